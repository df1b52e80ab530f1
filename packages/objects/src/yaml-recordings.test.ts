import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import {
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEquals,
  type MutableJsonObject,
  setMember,
} from "./json.ts";
import { parseJson } from "./json-reader.ts";
import { readYamlDocuments } from "./yaml.ts";

/** Texts, and the JSON that kubectl printed for them; `null` where it refused. See recordings/README.md. */
type Answers = Readonly<Record<string, string | null>>;

const recorded: Readonly<Record<"values" | "keys" | "documents", Answers>> = JSON.parse(
  readFileSync(resolve(import.meta.dirname, "../recordings/yaml-scalars.json"), "utf8"),
);

const header = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

const NOT_YAML_1_2 = "YAML 1.1, and not YAML 1.2: the parser refuses it";
const AMBIGUOUS = "kubectl reads it as what the writer can hardly have meant";

/** What kubectl reads and we refuse. */
const refusedByUs: ReadonlyMap<string, string> = new Map([
  ["{a:}", AMBIGUOUS],
  ["[a:]", AMBIGUOUS],
  ["[!x, a]", AMBIGUOUS],
  ["[-]", NOT_YAML_1_2],
  ["{a: -}", NOT_YAML_1_2],
  ["'a'# b", NOT_YAML_1_2],
  ["[a]# b", NOT_YAML_1_2],
  ["a: |# c\n  x\n", NOT_YAML_1_2],
  ["'a\u0085b'", "a line break to kubectl that looks like a blank"],
  ["'a\u2028 b'", "a line break to kubectl that looks like a blank"],
  ["'a \u2028b'", "a line break to kubectl that looks like a blank"],
  ["a\u2028b", "kubectl drops what follows the line break"],
  ["a: |2\n  x\n    \nb: 1\n", "the parser loses blanks there"],
  ["a: 'x\ny'\n", NOT_YAML_1_2],
  ['a: "x\\\n\n  y"\n', "the parser folds it otherwise"],
  ["a: {b: 1,\nc: 2}\n", NOT_YAML_1_2],
  ["a: [\n1,\n2\n]\n", NOT_YAML_1_2],
  ["a: [1\n, 2]\n", NOT_YAML_1_2],
  ["a: [a,\n\tb]\n", NOT_YAML_1_2],
  ["a: 1\na: 2\n", "kubectl drops the first"],
  ["a: {b: 1, b: 2}\n", "kubectl drops the first"],
  ["a: {1: x, '1': y}\n", "kubectl drops the first"],
  ["a: {yes: x, true: y}\n", "kubectl drops the first"],
]);

/** What kubectl refuses and we read: there is one meaning that it can have. */
const refusedByKubectl: readonly string[] = [
  "!!timestamp x",
  "[:a]",
  "{:a}",
  "a:\n-\tb\n",
  "a: {x\n  : 1}\n",
  "a: 1\n\t\nb: 2\n",
];

/** Go has no -0 and rounds integers beyond 64 bits. */
function asCompared(value: JsonValue): JsonValue {
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value ? value : Number(value);
  if (typeof value === "number") return value + 0;
  if (isJsonArray(value)) return value.map(asCompared);
  if (!isJsonObject(value)) return value;
  const object: MutableJsonObject = {};
  for (const [name, member] of Object.entries(value)) setMember(object, name, asCompared(member ?? null));
  return object;
}

function readBody(body: string): JsonObject {
  const [document, ...others] = readYamlDocuments(header + body, { source: "f" });
  expect(others).toEqual([]);
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = (document?.value ?? {}) as JsonObject;
  return rest;
}

const readers: Readonly<Record<keyof typeof recorded, (text: string) => JsonValue | undefined>> = {
  values: (text) => getMember(readBody(`v: ${text}\n`), "v"),
  keys: (text) => getMember(readBody(`v:\n  ${text}: 1\n`), "v"),
  documents: readBody,
};

describe.for(["values", "keys", "documents"] as const)("%s read as by kubectl", (part) => {
  test.for(Object.entries(recorded[part]))("%j", ([text, answer]) => {
    const read = (): JsonValue => asCompared(readers[part](text) ?? null);
    if (answer === null ? !refusedByKubectl.includes(text) : refusedByUs.has(text)) {
      expect(read).toThrow(expect.objectContaining({ code: "INVALID_YAML" }));
    } else if (answer === null) {
      expect(read).not.toThrow();
    } else {
      expect(jsonEquals(read(), asCompared(parseJson(answer)))).toBe(true);
    }
  });
});

test("there are enough of them, and every exception is one of them", () => {
  const texts = Object.values(recorded).flatMap((answers) => Object.keys(answers));
  expect(texts.length).toBeGreaterThan(800);
  expect([...refusedByUs.keys(), ...refusedByKubectl].filter((text) => !texts.includes(text))).toEqual([]);
});
