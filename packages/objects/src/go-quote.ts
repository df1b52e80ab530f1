const named: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
};

/** What Go calls unprintable: all but the space among the separators, controls, and what is not assigned. */
const unprintable = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** `text` in double quotes as Go's `%q` prints it. A lone surrogate becomes U+FFFD, since Go has no such strings. */
export function goQuote(text: string): string {
  return `"${text.replace(unprintable, escapeCharacter)}"`;
}

/** One character, without the quotes around it. */
function escapeCharacter(character: string): string {
  const name = named[character];
  if (name !== undefined) return name;
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code < 0x1_0000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
