import type { Bindings } from "./bindings.ts";

/** What may differ inside a text, and what it is. Everything else of a text is compared letter by letter. */
const varyingParts: readonly {
  readonly kind: "token" | "time" | "object" | "store" | "noise";
  readonly pattern: RegExp;
}[] = [
  { kind: "token", pattern: /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/ },
  { kind: "token", pattern: /(?<=hash=)[0-9A-F]{128}/ },
  { kind: "time", pattern: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/ },
  { kind: "object", pattern: /(?<=resourceVersion\\*"?: ?\\*")\d+/ },
  { kind: "object", pattern: /(?<=Resource Version: +)\d+/ },
  { kind: "object", pattern: /(?<=in record \()\d+(?=\))/ },
  { kind: "store", pattern: /(?<=, current: )\d+/ },
  { kind: "store", pattern: /(?<=too old resource version: \d+ \()\d+(?=\))/ },
  { kind: "noise", pattern: /(?<=Too large resource version: )\d+/ },
];

const anyVaryingPart = varyingParts.map(({ pattern }) => `(${pattern.source})`).join("|");

/** Letters of generated suffixes. */
const suffix = "[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])";

function varyingPattern(bindings: Bindings): RegExp {
  const prefixes = [...bindings.generatedPrefixes()].map((prefix) => prefix.replace(/[^\w]/g, "\\$&"));
  const generated = prefixes.length === 0 ? "" : `|((?:${prefixes.join("|")})${suffix})`;
  return new RegExp(`${anyVaryingPart}${generated}`, "g");
}

/** Whether `ours` is `recorded` but for what varies from run to run. Binds what varies when it is. */
export function matchText(recorded: string, ours: string, bindings: Bindings): boolean {
  if (recorded === ours) return true;
  const pattern = varyingPattern(bindings);
  const expected = split(recorded, pattern);
  const got = split(ours, pattern);
  if (expected.length !== got.length) return false;
  return expected.every((part, index) => {
    const other = got[index];
    if (other === undefined || part.kind !== other.kind) return false;
    return matchPart(part.kind, part.text, other.text, bindings);
  });
}

type Kind = (typeof varyingParts)[number]["kind"] | "literal";

function matchPart(kind: Kind, recorded: string, ours: string, bindings: Bindings): boolean {
  switch (kind) {
    case "literal":
      return recorded === ours;
    case "token":
      return recorded === ours || bindings.matchToken(recorded, ours);
    case "time":
      return matchTime(recorded, ours, bindings);
    case "object":
      return bindings.matchObjectVersion(recorded, ours);
    case "store":
      return bindings.matchStoreVersion(recorded, ours, false);
    case "noise":
      return recorded.length > 0 && ours.length > 0;
  }
}

/** Two points in time, written in the same way; a time that the request named is that time. */
export function matchTime(recorded: string, ours: string, bindings: Bindings): boolean {
  if (bindings.isPinned(recorded)) return recorded === ours;
  bindings.noteSeen(recorded);
  const shape = (text: string): string =>
    text.replace(/\d+/g, (digits) => (digits.length === 4 ? "y" : `${digits.length}`));
  return !Number.isNaN(Date.parse(ours)) && shape(recorded) === shape(ours);
}

/** `10s`, `5m2s`, `292y`, `<unknown>`. */
export function isAge(text: string): boolean {
  return /^(?:(?:\d+[smhdy]){1,2}|<unknown>|<invalid>)$/.test(text);
}

interface Part {
  readonly kind: Kind;
  readonly text: string;
}

function split(text: string, pattern: RegExp): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const which = match.slice(1).findIndex((group) => group !== undefined);
    parts.push({ kind: "literal", text: text.slice(end, match.index) });
    parts.push({ kind: varyingParts[which]?.kind ?? "token", text: match[0] });
    end = match.index + match[0].length;
  }
  return [...parts, { kind: "literal", text: text.slice(end) }];
}
