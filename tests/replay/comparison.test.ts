import type { JsonObject, JsonValue } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { Bindings } from "./bindings.ts";
import { jsonSpan } from "./json-span.ts";
import { compareOutput } from "./output-comparison.ts";
import { readProtobuf } from "./protobuf-comparison.ts";
import { resolveJson, resolveText } from "./references.ts";
import { matchText } from "./text-comparison.ts";
import { compareValues } from "./value-comparison.ts";

const uid = (digit: number): string => `${String(digit).repeat(8)}-aaaa-4aaa-8aaa-aaaaaaaaaaaa`;

describe("versions of objects", () => {
  test.for([
    {
      rule: "the same stays the same",
      pairs: [
        [5, 50],
        [5, 50],
      ],
      fits: true,
    },
    {
      rule: "the same does not become another",
      pairs: [
        [5, 50],
        [5, 51],
      ],
      fits: false,
    },
    {
      rule: "rising stays rising, by any step",
      pairs: [
        [5, 50],
        [6, 70],
        [9, 71],
      ],
      fits: true,
    },
    {
      rule: "rising does not fall",
      pairs: [
        [5, 50],
        [6, 49],
      ],
      fits: false,
    },
    {
      rule: "two do not become one",
      pairs: [
        [5, 50],
        [6, 50],
      ],
      fits: false,
    },
    {
      rule: "what is seen late keeps its place",
      pairs: [
        [5, 50],
        [9, 90],
        [7, 60],
      ],
      fits: true,
    },
    {
      rule: "and no other",
      pairs: [
        [5, 50],
        [9, 90],
        [7, 95],
      ],
      fits: false,
    },
  ])("$rule", ({ pairs, fits }) => {
    const bindings = new Bindings();
    const outcomes = pairs.map(([theirs, ours]) => bindings.matchObjectVersion(String(theirs), String(ours)));
    expect(outcomes.every((outcome) => outcome)).toBe(fits);
  });

  test("a list was made after what is in it and before what comes later", () => {
    const bindings = new Bindings();
    bindings.matchObjectVersion("5", "50");
    bindings.matchObjectVersion("9", "90");
    expect(bindings.matchStoreVersion("7", "49", true)).toBe(false);
    expect(bindings.matchStoreVersion("7", "90", true)).toBe(false);
    expect(bindings.matchStoreVersion("7", "60", true)).toBe(true);
    expect(bindings.matchStoreVersion("7", "61", true)).toBe(false);
    expect(bindings.matchStoreVersion("7", "61", false)).toBe(true);
  });
});

describe("texts", () => {
  test.for([
    { rule: "equal texts", theirs: "a b", ours: "a b", fits: true },
    { rule: "another letter", theirs: "a b", ours: "a c", fits: false },
    { rule: "another number", theirs: "limit is 10", ours: "limit is 11", fits: false },
    { rule: "another uid", theirs: `uid ${uid(1)}.`, ours: `uid ${uid(2)}.`, fits: true },
    { rule: "one uid for two", theirs: `${uid(1)} ${uid(2)}`, ours: `${uid(3)} ${uid(3)}`, fits: false },
    { rule: "another time", theirs: "at 2026-11-30T12:00:00Z", ours: "at 2027-01-01T00:00:01Z", fits: true },
    { rule: "a time that is none", theirs: "at 2026-11-30T12:00:00Z", ours: "at 2027-99-99T00:00:01Z", fits: false },
    { rule: "a time in another form", theirs: "2026-11-30T12:00:00Z", ours: "2026-11-30T12:00:00.5Z", fits: false },
    {
      rule: "a quoted version",
      theirs: '{\\"resourceVersion\\":\\"3\\"}',
      ours: '{\\"resourceVersion\\":\\"70\\"}',
      fits: true,
    },
    {
      rule: "the oldest version",
      theirs: "too old resource version: 1 (30)",
      ours: "too old resource version: 1 (7)",
      fits: true,
    },
    {
      rule: "the version asked for",
      theirs: "too old resource version: 1 (30)",
      ours: "too old resource version: 2 (30)",
      fits: false,
    },
  ])("$rule: $fits", ({ theirs, ours, fits }) => {
    expect(matchText(theirs, ours, new Bindings())).toBe(fits);
  });

  test("what a request names is no free choice", () => {
    const bindings = new Bindings();
    bindings.pin(uid(1));
    expect(matchText(uid(1), uid(2), bindings)).toBe(false);
    expect(matchText(uid(1), uid(1), bindings)).toBe(true);
  });

  test("a generated name is free behind its prefix", () => {
    const bindings = new Bindings();
    bindings.noteGenerated("gen-");
    expect(matchText('"gen-xn4mv" is bad', '"gen-bbbbz" is bad', bindings)).toBe(true);
    expect(matchText("again gen-xn4mv", "again gen-ccccz", bindings)).toBe(false);
    expect(matchText("other-xn4mv", "other-bbbbz", new Bindings())).toBe(false);
  });
});

describe("values", () => {
  const differences = (recorded: JsonValue, ours: JsonValue): string[] =>
    compareValues(recorded, ours, "body", { bindings: new Bindings(), groups: ["example.dev"] }).map(
      ({ path }) => path,
    );

  test.for<{ rule: string; recorded: JsonValue; ours: JsonValue; paths: string[] }>([
    { rule: "the order of members", recorded: { a: 1, b: 2 }, ours: { b: 2, a: 1 }, paths: [] },
    { rule: "the spelling of numbers", recorded: { a: 1 }, ours: { a: 1.0 }, paths: [] },
    { rule: "digits", recorded: { a: 2n ** 60n }, ours: { a: 2n ** 60n + 1n }, paths: ["body/a"] },
    { rule: "null is not absent", recorded: { a: null }, ours: {}, paths: ["body/a"] },
    { rule: "a member too many", recorded: {}, ours: { a: 1 }, paths: ["body/a"] },
    { rule: "a list that is shorter", recorded: [1, 2], ours: [1], paths: ["body/length"] },
    { rule: "managers", recorded: { metadata: { managedFields: [] } }, ours: { metadata: {} }, paths: [] },
    {
      rule: "which objects a list has",
      recorded: { items: [{ metadata: { name: "a" } }, { metadata: { name: "b" } }] },
      ours: { items: [{ metadata: { name: "b" } }] },
      paths: ["body/items/objects"],
    },
    {
      rule: "other groups in discovery, and the order of groups",
      recorded: { kind: "APIGroupList", groups: [{ name: "example.dev" }, { name: "apps" }] },
      ours: { kind: "APIGroupList", groups: [{ name: "batch" }, { name: "example.dev" }] },
      paths: [],
    },
    {
      rule: "a group that is missing",
      recorded: { kind: "APIGroupList", groups: [{ name: "example.dev" }] },
      ours: { kind: "APIGroupList", groups: [] },
      paths: ["body/groups[example.dev]"],
    },
    {
      rule: "ages in tables, and nothing else there",
      recorded: {
        columnDefinitions: [{ name: "Size" }, { name: "Age", type: "date" }],
        rows: [{ cells: ["1d", "5s"] }],
      },
      ours: { columnDefinitions: [{ name: "Size" }, { name: "Age", type: "date" }], rows: [{ cells: ["2d", "7m"] }] },
      paths: ["body/rows[0]/cells[0]"],
    },
  ])("$rule", ({ recorded, ours, paths }) => {
    expect(differences(recorded, ours)).toEqual(paths);
  });

  const refusal = (...causes: (readonly [field: string, message: string])[]): JsonObject => ({
    kind: "Status",
    reason: "Invalid",
    message: `Widget "a" is invalid: [${causes.map(([field, message]) => `${field}: ${message}`).join(", ")}]`,
    details: { name: "a", causes: causes.map(([field, message]) => ({ reason: "FieldValueInvalid", field, message })) },
  });

  test.for([
    {
      rule: "problems of different fields in any order",
      ours: refusal(["spec.b", "2"], ["spec.b", "3"], ["spec.a", "1"]),
      fits: true,
    },
    {
      rule: "problems of one field in theirs",
      ours: refusal(["spec.b", "3"], ["spec.b", "2"], ["spec.a", "1"]),
      fits: false,
    },
    { rule: "another problem", ours: refusal(["spec.b", "2"], ["spec.b", "3"], ["spec.a", "9"]), fits: false },
    { rule: "one problem less", ours: refusal(["spec.b", "2"], ["spec.a", "1"]), fits: false },
  ])("$rule: $fits", ({ ours, fits }) => {
    expect(differences(refusal(["spec.a", "1"], ["spec.b", "2"], ["spec.b", "3"]), ours).length === 0).toBe(fits);
  });

  test("problems that have no field in any order", () => {
    const recorded = refusal(["spec.a", "1"], ["<nil>", "of a"], ["spec.b", "2"], ["<nil>", "of b"]);
    const ours = refusal(["spec.b", "2"], ["<nil>", "of b"], ["spec.a", "1"], ["<nil>", "of a"]);
    expect(differences(recorded, ours)).toEqual([]);
  });
});

test("what kubectl prints may differ in ages and the width of their column", () => {
  const recorded = "NAME   AGE   SIZE\na      9s    1\n";
  const paths = (ours: string): string[] =>
    compareOutput("stdout", recorded, ours, new Bindings()).map(({ path }) => path);
  expect(paths("NAME   AGE     SIZE\na      10m5s   1\n")).toEqual([]);
  expect(paths("NAME   AGE   SIZE\na      9s    2\n")).toEqual(["stdout, line 2"]);
  expect(paths("NAME   AGE   SIZE\n")).toEqual(["stdout, line 2, 3 lines were expected and 2 came"]);
});

test("the text of a value is found as it is written", () => {
  const json = '{"a":"}\\"","request": { "body" : {"2":1.0,"1":[ "x" ]} , "path":"/"}}';
  expect(jsonSpan(json, ["request", "body"])).toBe('{"2":1.0,"1":[ "x" ]}');
  expect(jsonSpan(json, ["request", "path"])).toBe('"/"');
  expect(jsonSpan(json, ["request", "none"])).toBeUndefined();
});

test("references lead to our own answers", () => {
  const bytes = Buffer.from('{"metadata":{"resourceVersion":"41","a/b":"q\\"q"}}');
  const answers = new Map([["x-1", { status: 200, headers: { etag: ['"E"'] }, bytes }]]);
  expect(resolveText("v={{x-1#/metadata/resourceVersion+100}}&e={{x-1#header:etag}}", answers)).toBe('v=141&e="E"');
  expect(resolveJson('{"a":"{{x-1#/metadata/a~1b}}","b":1.0}', answers)).toBe('{"a":"q\\"q","b":1.0}');
  expect(resolveText('{{repeat {"a": 2}}1{{repeat } 2}}', answers)).toBe('{"a":{"a":1}}');
  expect(() => resolveText("{{x-2#/metadata/name}}", answers)).toThrow("leads to nothing");
});

test("an answer in protobuf is read without its schema, times and managers left out", () => {
  const part = (field: number, bytes: readonly number[]): number[] => [field * 8 + 2, bytes.length, ...bytes];
  const time = [8, 0xc2, 0xa1, 0xb1, 0xc9, 0x06]; // seconds
  const managed = [0x8a, 0x01, 1, 0x78]; // field 17
  const bytes = Uint8Array.from([0x6b, 0x38, 0x73, 0, ...part(1, [0x61]), ...part(2, [...part(3, time), ...managed])]);
  expect(readProtobuf(bytes)).toEqual({ 1: ["a"], 2: [{ 3: [{ 1: ["(time)"] }] }] });
  expect(readProtobuf(Buffer.from("{}"))).toBeUndefined();
});
