import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "./json.ts";
import { applyJsonPatch, JsonPatchError, readJsonPatch } from "./json-patch.ts";

interface Case {
  readonly comment?: string;
  readonly doc: JsonValue;
  readonly patch: JsonValue;
  readonly expected?: JsonValue;
  /** Words for people: only that there is an error counts. */
  readonly error?: string;
}

/** The public test suite of JSON Patch, see recordings/README.md. */
function readCases(file: string): Case[] {
  const path = resolve(import.meta.dirname, "../recordings/json-patch-test-suite", file);
  return JSON.parse(readFileSync(path, "utf8")).filter((each: Case) => each.patch !== undefined);
}

/** Why a case is left out. */
const skipped: Readonly<Record<string, string>> = {
  "76 duplicate ops": "a member that comes twice is gone once the JSON is parsed; parseJson refuses it before",
};

describe.for(["tests.json", "spec-tests.json"])("%s", (file) => {
  const cases = readCases(file);

  test("is there", () => {
    expect(cases.length).toBeGreaterThan(15);
  });

  const named = cases.map((each, index) => ({ ...each, name: `${index} ${each.comment ?? each.error ?? ""}` }));

  test.for(named.filter(({ name }) => !(name in skipped)))("$name", ({ doc, patch, expected, error }) => {
    const before = JSON.stringify(doc);
    const apply = (): JsonValue => applyJsonPatch(doc, readJsonPatch(patch));
    if (error === undefined) expect(apply()).toEqual(expected ?? doc);
    else expect(apply).toThrow(JsonPatchError);
    expect(JSON.stringify(doc)).toBe(before);
  });
});
