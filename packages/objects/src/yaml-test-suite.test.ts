import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type JsonValue, jsonEquals } from "./json.ts";
import { readJsonSequence } from "./json-reader.ts";
import { readYamlDocuments } from "./yaml.ts";

interface Case {
  readonly id: string;
  readonly name: string;
  readonly yaml: string;
  /** The values of its documents; absent where JSON has none for them. */
  readonly json?: string;
  readonly fail?: true;
}

/** The public test suite of YAML, see recordings/README.md. */
const cases: readonly Case[] = JSON.parse(
  readFileSync(resolve(import.meta.dirname, "../recordings/yaml-test-suite.json"), "utf8"),
);

/** What is YAML and refused, by what is said about it. kubectl refuses it too, or reads something else. */
const refused = new Map(
  Object.entries({
    "kubectl reads no YAML directives":
      "27NA 2LFX 5TYM 6CK3 6LVF BEC7 C4HZ CC74 DK95-7 MUS6-2 P76L RTP8 U3C3 W4TN Z9M4",
    "only a comment may follow the ---":
      "2G84-2 2XXW 35KP 4Q9F 6FWR 6JQW 753E 82AN 93WF 96L6 9MQT-0 B3HG DK3J EXG3 FP8R FTA2 J7PZ K54U KSS4 L383 T26H T5N4 UGM3",
    "kubectl takes only letters, digits, - and _ in an anchor": "2SXE 8XYN W5VH Y2GN",
    "kubectl does not know the escape \\/": "3UYS",
    "this is not what the tag": "565N", // bytes that are no text
    "kubectl takes no question mark in braces or brackets": "652Z HM87-1 JR7V",
    "kubectl drops a document that no --- separates": "7Z25 M7A3",
    "kubectl takes no tab where a block begins": "96NN-0 R4YG Y79Y-1",
    "to kubectl this is part of the tag": "WZ62",
  }).flatMap(([message, ids]) => ids.split(" ").map((id): [string, string] => [id, message])),
);

const documentsOf = ({ yaml }: Case): JsonValue[] => readYamlDocuments(yaml, { source: "f" }).map(({ value }) => value);

test("it is there, and every exception is one of it", () => {
  expect(cases.length).toBeGreaterThan(400);
  expect([...refused.keys()].filter((id) => !cases.some((each) => each.id === id))).toEqual([]);
});

describe("what is no YAML is refused", () => {
  test.for(cases.filter(({ fail }) => fail === true))("$id $name", (each) => {
    expect(() => documentsOf(each)).toThrow(expect.objectContaining({ code: "INVALID_YAML" }));
  });
});

describe("what is YAML has the values of the suite, or is refused for a reason", () => {
  test.for(cases.filter(({ json }) => json !== undefined))("$id $name", (each) => {
    const reason = refused.get(each.id);
    if (reason !== undefined) {
      expect(() => documentsOf(each)).toThrow(reason);
      return;
    }
    const wanted = readJsonSequence(each.json ?? "").items.flatMap(({ value }) => (value === null ? [] : [value]));
    expect(jsonEquals(documentsOf(each), wanted)).toBe(true);
  });
});

describe("what has no JSON is read, or refused as YAML", () => {
  test.for(cases.filter(({ json, fail }) => json === undefined && fail !== true))("$id $name", (each) => {
    try {
      documentsOf(each);
    } catch (error) {
      expect(error).toMatchObject({ code: "INVALID_YAML" });
    }
  });
});
