import { byCodeUnit, formatJson, getMember, isJsonArray, isJsonObject, type JsonValue } from "@slipway/objects";

/**
 * `value` as compact JSON in Go's spelling: characters that mean something to HTML, and the two line separators of
 * JavaScript, are escaped; the keys of a map stand in order, also where they look like numbers.
 */
export function wireJson(value: JsonValue): string {
  const text = formatJson(value);
  // Outside of strings JSON has none of these characters, so the text as a whole may be searched.
  return (numericKey.test(text) ? formatOrdered(value) : text).replace(/[<>&\u2028\u2029]/g, escapeCharacter);
}

/** Keys that objects of JavaScript have before all others, in the order of their numbers. */
const numericKey = /"(?:0|[1-9]\d{0,9})":/;

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Objects with such a key are maps, which are sorted; the members of all others stay where they are. */
function formatOrdered(value: JsonValue): string {
  if (isJsonArray(value)) return `[${value.map(formatOrdered).join(",")}]`;
  if (!isJsonObject(value)) return formatJson(value);
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  if (names.some((name) => numericKey.test(`"${name}":`))) names.sort(byCodeUnit);
  return `{${names.map((name) => `${formatJson(name)}:${formatOrdered(getMember(value, name) ?? null)}`).join(",")}}`;
}
