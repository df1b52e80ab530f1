/**
 * The text of the value at `path` inside the JSON text `json`, exactly as it is written there: what a recording says was
 * sent keeps its key order and number spelling only as text. `undefined` when a member of the path is missing.
 */
export function jsonSpan(json: string, path: readonly string[]): string | undefined {
  let start = skipSpace(json, 0);
  for (const name of path) {
    const found = memberStart(json, start, name);
    if (found === undefined) return undefined;
    start = found;
  }
  return json.slice(start, valueEnd(json, start));
}

/** Where the value of the member `name` of the object at `start` begins. */
function memberStart(json: string, start: number, name: string): number | undefined {
  if (json[start] !== "{") return undefined;
  let at = skipSpace(json, start + 1);
  while (json[at] === '"') {
    const end = valueEnd(json, at);
    const value = skipSpace(json, skipSpace(json, end) + 1);
    if (JSON.parse(json.slice(at, end)) === name) return value;
    at = skipSpace(json, valueEnd(json, value));
    if (json[at] === ",") at = skipSpace(json, at + 1);
  }
  return undefined;
}

/** The end of the value that begins at `start`, in text that is known to be JSON. */
function valueEnd(json: string, start: number): number {
  const first = json[start];
  if (first === '"') return stringEnd(json, start);
  if (first !== "{" && first !== "[")
    return start + (/^[^,\]}\s]*/.exec(json.slice(start, start + 400))?.[0].length ?? 0);
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const character = json[at];
    if (character === '"') at = stringEnd(json, at) - 1;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return json.length;
}

function stringEnd(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === "\\") at++;
    else if (json[at] === '"') return at + 1;
  }
  return json.length;
}

function skipSpace(json: string, start: number): number {
  let at = start;
  while (json[at] === " " || json[at] === "\n" || json[at] === "\t" || json[at] === "\r") at++;
  return at;
}
