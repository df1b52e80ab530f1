import { describe, expect, test } from "vitest";
import { JsonPatch } from "./json-patch.ts";

const { add, copy, move, remove, replace } = JsonPatch;
// Not taken apart like the others: vitest has a `test` of its own.
const must = (path: string, value: unknown): JsonPatch => JsonPatch.test(path, value);

test.for([
  ["add", add("/a", 1), { op: "add", path: "/a", value: 1 }],
  ["remove", remove("/a"), { op: "remove", path: "/a" }],
  ["replace", replace("/a", 1), { op: "replace", path: "/a", value: 1 }],
  ["copy", copy("/a", "/b"), { op: "copy", from: "/a", path: "/b" }],
  ["move", move("/a", "/b"), { op: "move", from: "/a", path: "/b" }],
  ["test", must("/a", 1), { op: "test", path: "/a", value: 1 }],
] as const)("%s holds its operation", ([, patch, operation]) => {
  expect(patch._toJson()).toEqual(operation);
});

describe("applied", () => {
  test.for<[rule: string, document: unknown, patch: JsonPatch, result: unknown]>([
    ["add sets a member", { a: 1 }, add("/b", 2), { a: 1, b: 2 }],
    ["add overwrites a member", { a: 1 }, add("/a", 2), { a: 2 }],
    ["add in a list inserts before the index", [1, 2], add("/1", 9), [1, 9, 2]],
    ["add in a list at - appends", [1, 2], add("/-", 9), [1, 2, 9]],
    ["add in a list past the end appends", [1, 2], add("/9", 9), [1, 2, 9]],
    ["add in a list far past the end appends", [1, 2], add("/4294967296", 9), [1, 2, 9]],
    ["add in a list at nothing inserts in front", { l: [1, 2] }, add("/l/", 9), { l: [9, 1, 2] }],
    ["an index may have zeros in front", [1, 2], add("/01", 9), [1, 9, 2]],
    ["an index on the way may have zeros in front", [1, { a: 1 }], add("/01/a", 9), [1, { a: 9 }]],
    ["the empty name is a name", { a: {} }, add("/a/", 1), { a: { "": 1 } }],
    ["add to the whole replaces it", { a: 1 }, add("", [1]), [1]],
    ["remove takes a member away", { a: 1, b: 2 }, remove("/a"), { b: 2 }],
    ["remove takes an item away", [1, 2, 3], remove("/1"), [1, 3]],
    ["remove counts negative indexes from the end", [1, 2, 3], remove("/-1"), [1, 2]],
    ["remove of a missing member is no error", { a: 1 }, remove("/b"), { a: 1 }],
    ["remove of a missing item is no error", [1, 2], remove("/2"), [1, 2]],
    ["remove at - finds nothing", [1, 2], remove("/-"), [1, 2]],
    ["remove of a name in a list finds nothing", [1, 2], remove("/first"), [1, 2]],
    ["remove of the whole leaves null", { a: 1 }, remove(""), null],
    ["replace sets a member", { a: 1 }, replace("/a", 2), { a: 2 }],
    ["replace adds a missing member", {}, replace("/a", 2), { a: 2 }],
    ["replace sets an item", [1, 2], replace("/0", 9), [9, 2]],
    ["replace of the whole", { a: 1 }, replace("", { b: 1 }), { b: 1 }],
    ["copy", { a: { b: 1 } }, copy("/a", "/c"), { a: { b: 1 }, c: { b: 1 } }],
    ["copy of what is missing is null", {}, copy("/a", "/b"), { b: null }],
    ["copy of the whole", { a: 1 }, copy("", "/b"), { a: 1, b: { a: 1 } }],
    ["copy to the whole", { a: { b: 1 } }, copy("/a", ""), { b: 1 }],
    ["move", { a: { b: 1 } }, move("/a/b", "/c"), { a: {}, c: 1 }],
    ["move within a list", [0, 1, 2, 3], move("/0", "/3"), [1, 2, 3, 0]],
    ["move to the whole", { a: { b: 1 } }, move("/a", ""), { b: 1 }],
    ["~1 is a slash and ~0 a tilde", { "a/b": 1, "~1": 2 }, remove("/a~1b"), { "~1": 2 }],
    ["~01 is a tilde and a one", { "a/b": 1, "~1": 2 }, remove("/~01"), { "a/b": 1 }],
    ["a member of text is not set", { a: "text" }, add("/a/b", 1), { a: "text" }],
    ["a member of a number is not set", { a: 5 }, replace("/a/b", 1), { a: 5 }],
    ["a pointer without a slash is the member undefined", {}, add("b", 1), { undefined: 1 }],
    [
      "a test that holds changes nothing",
      { a: { x: 1, y: [1, {}] } },
      must("/a", { y: [1, {}], x: 1 }),
      { a: { x: 1, y: [1, {}] } },
    ],
    ["what objects inherit is missing", {}, copy("/toString", "/a"), { a: null }],
    ["constructor is a name like others", {}, add("/constructor", 1), Object.assign({}, { constructor: 1 })],
  ])("%s", ([, document, patch, result]) => {
    expect(JsonPatch.apply(document, patch)).toEqual(result);
  });

  test("replace past the end of a list leaves holes", () => {
    const list = JsonPatch.apply([1], replace("/3", 9));
    expect([list.length, Object.keys(list)]).toEqual([4, ["0", "3"]]);
  });

  test("move of what is missing sets undefined", () => {
    expect(Object.entries(JsonPatch.apply({}, move("/a", "/b")))).toEqual([["b", undefined]]);
  });

  test("a name in a list becomes a property of the list", () => {
    expect(Object.entries(JsonPatch.apply([1], add("/x", 2)))).toEqual([
      ["0", 1],
      ["x", 2],
    ]);
  });

  test("in order, to the document itself", () => {
    const document = { a: 1 };
    expect(JsonPatch.apply(document, add("/b", []), add("/b/-", 2), remove("/a"))).toBe(document);
    expect(document).toEqual({ b: [2] });
  });

  test("without patches: the same document", () => {
    const document = Object.freeze({ a: 1 });
    expect(JsonPatch.apply(document)).toBe(document);
    expect(JsonPatch.apply(undefined)).toBe(undefined);
  });

  test("a patch can be applied again: what is done to its value stays in the document", () => {
    const value = { list: [1] };
    const patches = [add("/a", value), add("/a/list/-", 2)];
    expect(JsonPatch.apply({}, ...patches)).toEqual({ a: { list: [1, 2] } });
    expect(JsonPatch.apply({}, ...patches)).toEqual({ a: { list: [1, 2] } });
    expect(value).toEqual({ list: [1] });
  });

  test("a copy shares nothing with its original", () => {
    expect(JsonPatch.apply({ a: { n: 1 } }, copy("/a", "/b"), replace("/b/n", 2))).toEqual({
      a: { n: 1 },
      b: { n: 2 },
    });
  });

  test("values are those that JSON can write", () => {
    const value = { no: undefined, call() {}, when: new Date(0), list: [undefined], nan: Number.NaN };
    expect(JsonPatch.apply({}, add("/a", value))).toStrictEqual({
      a: { when: "1970-01-01T00:00:00.000Z", list: [null], nan: null },
    });
  });
});

describe("refused", () => {
  const banned = /^JSON-Patch: modifying `__proto__` or `constructor\/prototype` prop is banned for security reasons/;

  test.for<[rule: string, document: unknown, patch: JsonPatch, message: string | RegExp]>([
    ["add below nothing", {}, add("/a/bar", 1), "Cannot set properties of undefined (setting 'bar')"],
    ["add below null", { a: null }, add("/a/bar", 1), "Cannot set properties of null (setting 'bar')"],
    ["add far below nothing", {}, add("/a/b/c", 1), "Cannot read properties of undefined (reading 'b')"],
    ["remove below nothing", {}, remove("/a/bar"), "Cannot read properties of undefined (reading 'bar')"],
    ["replace below nothing", {}, replace("/a/bar", 1), "Cannot read properties of undefined (reading 'bar')"],
    ["copy from below nothing", {}, copy("/a/bar", "/b"), "Cannot read properties of undefined (reading 'bar')"],
    ["move to below nothing", { a: 1 }, move("/a", "/b/c"), "Cannot read properties of undefined (reading 'c')"],
    ["move into itself", { a: {} }, move("/a", "/a/b"), "Cannot set properties of undefined (setting 'b')"],
    [
      "the whole into itself",
      { a: 1 },
      move("", "/b"),
      'JSON-Patch: the document cannot be moved into itself, to "/b"',
    ],
    [
      "a pointer without a slash into a list",
      [],
      add("b", 1),
      'JSON-Patch: "b" leads into no list, it begins without a slash',
    ],
    ["a prototype", {}, add("/__proto__/x", 1), banned],
    ["a prototype as the last name", { a: {} }, add("/a/__proto__", {}), banned],
    ["a prototype to read from", {}, copy("/__proto__", "/x"), banned],
    ["the prototype of a constructor", {}, add("/constructor/prototype/x", 1), banned],
    [
      "what all objects inherit",
      {},
      add("/constructor/keys", 1),
      "Cannot set properties of undefined (setting 'keys')",
    ],
    ["a frozen document", Object.freeze({}), add("/a", 1), "Cannot add property a, object is not extensible"],
  ])("%s", ([, document, patch, message]) => {
    expect(() => JsonPatch.apply(document, patch)).toThrow(
      typeof message === "string" ? new TypeError(message) : message,
    );
  });

  test("a move that has no target leaves the document as it was", () => {
    const document = { a: 1 };
    expect(() => JsonPatch.apply(document, move("/a", "/b/c"))).toThrow(TypeError);
    expect(document).toEqual({ a: 1 });
  });

  test.for<[fact: string, document: unknown, path: string, value: unknown]>([
    ["another value", { a: 1 }, "/a", 2],
    ["another type", { a: 1 }, "/a", "1"],
    ["a member more", { a: { b: 1 } }, "/a", {}],
    ["a member less", { a: {} }, "/a", { b: 1 }],
    ["another member", { a: { b: 1 } }, "/a", { c: 1 }],
    ["an item more", { a: [1] }, "/a", []],
    ["another order of items", { a: [1, 2] }, "/a", [2, 1]],
    ["a list is no object", { a: [1] }, "/a", { 0: 1 }],
    ["what is missing is not null", {}, "/a", null],
    ["null is no object", { a: null }, "/a", {}],
    ["an inherited member is missing", { a: {} }, "/a", { toString: 1 }],
  ])("a test that fails: %s", ([, document, path, value]) => {
    expect(() => JsonPatch.apply(document, must(path, value))).toThrow(
      expect.objectContaining({ name: "TEST_OPERATION_FAILED", index: 0, tree: document }),
    );
  });

  test("a failed test names its operation and shows the document, with the operations before it applied", () => {
    const document = { a: 1 };
    expect(() => JsonPatch.apply(document, add("/b", [2]), must("/a", { c: 3 }))).toThrow(
      expect.objectContaining({
        index: 1,
        operation: { op: "test", path: "/a", value: { c: 3 } },
        tree: document,
        message: [
          "Test operation failed",
          "name: TEST_OPERATION_FAILED",
          "index: 1",
          'operation: {\n  "op": "test",\n  "path": "/a",\n  "value": {\n    "c": 3\n  }\n}',
          'tree: {\n  "a": 1,\n  "b": [\n    2\n  ]\n}',
        ].join("\n"),
      }),
    );
    expect(document).toEqual({ a: 1, b: [2] });
  });
});

test("many patches are applied in the time of each", { timeout: 10_000 }, () => {
  const document = { list: [] as number[] };
  const patches = Array.from({ length: 50_000 }, (_, index) => add("/list/-", index));
  JsonPatch.apply(document, ...patches);
  expect(document.list).toHaveLength(50_000);
});
