import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatJson, type JsonValue } from "./json.ts";
import { applyJsonPatch, JsonPatchError, type JsonPatchOptions, readJsonPatch } from "./json-patch.ts";

const fromJson = (text: string): JsonValue => JSON.parse(text);

/** The result as JSON, or how it was refused. */
function patched(document: string, patch: string, options?: JsonPatchOptions): string {
  try {
    return formatJson(applyJsonPatch(fromJson(document), readJsonPatch(fromJson(patch), options), options));
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    return error.kind;
  }
}

describe("RFC 6902, appendix A", () => {
  test.for([
    [
      "A.1 adding an object member",
      '{"foo":"bar"}',
      '[{"op":"add","path":"/baz","value":"qux"}]',
      '{"foo":"bar","baz":"qux"}',
    ],
    [
      "A.2 adding an array element",
      '{"foo":["bar","baz"]}',
      '[{"op":"add","path":"/foo/1","value":"qux"}]',
      '{"foo":["bar","qux","baz"]}',
    ],
    ["A.3 removing an object member", '{"baz":"qux","foo":"bar"}', '[{"op":"remove","path":"/baz"}]', '{"foo":"bar"}'],
    [
      "A.4 removing an array element",
      '{"foo":["bar","qux","baz"]}',
      '[{"op":"remove","path":"/foo/1"}]',
      '{"foo":["bar","baz"]}',
    ],
    [
      "A.5 replacing a value",
      '{"baz":"qux","foo":"bar"}',
      '[{"op":"replace","path":"/baz","value":"boo"}]',
      '{"baz":"boo","foo":"bar"}',
    ],
    [
      "A.6 moving a value",
      '{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}',
      '[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]',
      '{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}',
    ],
    [
      "A.7 moving an array element",
      '{"foo":["all","grass","cows","eat"]}',
      '[{"op":"move","from":"/foo/1","path":"/foo/3"}]',
      '{"foo":["all","cows","eat","grass"]}',
    ],
    [
      "A.8 testing a value: success",
      '{"baz":"qux","foo":["a",2,"c"]}',
      '[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]',
      '{"baz":"qux","foo":["a",2,"c"]}',
    ],
    ["A.9 testing a value: error", '{"baz":"qux"}', '[{"op":"test","path":"/baz","value":"bar"}]', "failed"],
    [
      "A.10 adding a nested member object",
      '{"foo":"bar"}',
      '[{"op":"add","path":"/child","value":{"grandchild":{}}}]',
      '{"foo":"bar","child":{"grandchild":{}}}',
    ],
    [
      "A.11 ignoring unrecognized elements",
      '{"foo":"bar"}',
      '[{"op":"add","path":"/baz","value":"qux","xyz":123}]',
      '{"foo":"bar","baz":"qux"}',
    ],
    [
      "A.12 adding to a nonexistent target",
      '{"foo":"bar"}',
      '[{"op":"add","path":"/baz/bat","value":"qux"}]',
      "failed",
    ],
    ["A.14 ~ escape ordering", '{"/":9,"~1":10}', '[{"op":"test","path":"/~01","value":10}]', '{"/":9,"~1":10}'],
    ["A.15 comparing strings and numbers", '{"/":9,"~1":10}', '[{"op":"test","path":"/~01","value":"10"}]', "failed"],
    [
      "A.16 adding an array value",
      '{"foo":["bar"]}',
      '[{"op":"add","path":"/foo/-","value":["abc","def"]}]',
      '{"foo":["bar",["abc","def"]]}',
    ],
  ] as const)("%s", ([, document, patch, result]) => {
    expect(patched(document, patch)).toBe(result);
  });
});

describe("strict", () => {
  test.for([
    ["the whole document may be replaced", '[{"op":"replace","path":"","value":7}]', "7"],
    ["and added, and tested", '[{"op":"add","path":"","value":[1]},{"op":"test","path":"","value":[1]}]', "[1]"],
    ["and moved into place", '[{"op":"move","from":"/a","path":""}]', '{"b":[1,2]}'],
    ["but not removed", '[{"op":"remove","path":""}]', "failed"],
    ["replace of a missing member", '[{"op":"replace","path":"/x","value":1}]', "failed"],
    ["test of a missing member against null", '[{"op":"test","path":"/x","value":null}]', "failed"],
    ["copy of a missing member", '[{"op":"copy","from":"/x","path":"/y"}]', "failed"],
    ["a negative index", '[{"op":"remove","path":"/a/b/-1"}]', "failed"],
    ["an index with a zero in front", '[{"op":"remove","path":"/a/b/01"}]', "failed"],
    ["an index beyond the end", '[{"op":"add","path":"/a/b/3","value":0}]', "failed"],
    ["- names no item that is there", '[{"op":"remove","path":"/a/b/-"}]', "failed"],
    ["a path through a number", '[{"op":"add","path":"/a/b/0/c","value":0}]', "failed"],
    ["a pointer without a slash", '[{"op":"remove","path":"a"}]', "malformed"],
    ["a tilde that is no escape", '[{"op":"remove","path":"/a~2"}]', "malformed"],
    ["a move into itself", '[{"op":"move","from":"/a","path":"/a/b"}]', "malformed"],
    ["a move to where it is", '[{"op":"move","from":"/a","path":"/a"}]', '{"a":{"b":[1,2]}}'],
    ["add without a value", '[{"op":"add","path":"/x"}]', "malformed"],
    ["copy without from", '[{"op":"copy","path":"/x"}]', "malformed"],
    ["an unknown operation", '[{"op":"increment","path":"/x"}]', "malformed"],
    ["no operation", '[{"path":"/x"}]', "malformed"],
    ["no path", '[{"op":"remove"}]', "malformed"],
    ["a path that is a number", '[{"op":"remove","path":1}]', "malformed"],
    ["an operation that is a text", '["remove"]', "malformed"],
    ["an object instead of a list", '{"op":"remove","path":"/a"}', "malformed"],
    ["no operations at all", "[]", '{"a":{"b":[1,2]}}'],
  ] as const)("%s", ([, patch, result]) => {
    expect(patched('{"a":{"b":[1,2]}}', patch)).toBe(result);
  });
});

// Answers of kube-apiserver 1.36.3 (its refusals are 422, "malformed" 400), then of its library, evanphx/json-patch 4.13.
describe("lenient", () => {
  const document = '{"order":["x","y"],"attributes":{"k":"v","a/b":"s","a~b":"t"},"size":1}';
  test.for([
    [
      "json-patch-05: - adds at the end",
      '[{"op":"add","path":"/order/-","value":"e"},{"op":"remove","path":"/attributes"}]',
      '{"order":["x","y","e"],"size":1}',
    ],
    ["json-patch-06: add beyond the end", '[{"op":"add","path":"/order/9","value":"no"}]', "failed"],
    ["json-patch-07: add below a missing parent", '[{"op":"add","path":"/limits/cpu","value":"1"}]', "failed"],
    ["json-patch-10: remove a missing member", '[{"op":"remove","path":"/title"}]', "failed"],
    [
      "json-patch-12: remove a negative index",
      '[{"op":"remove","path":"/order/-1"},{"op":"remove","path":"/attributes"}]',
      '{"order":["x"],"size":1}',
    ],
    [
      "json-patch-14: replace adds a missing member",
      '[{"op":"replace","path":"/title","value":"F"},{"op":"remove","path":"/attributes"}]',
      '{"order":["x","y"],"size":1,"title":"F"}',
    ],
    ["json-patch-15: replace below a missing parent", '[{"op":"replace","path":"/limits/cpu","value":"1"}]', "failed"],
    [
      "json-patch-18: move from a missing member",
      '[{"op":"move","from":"/attributes/z","path":"/attributes/x"}]',
      "failed",
    ],
    [
      "json-patch-21: a test that fails",
      '[{"op":"test","path":"/size","value":99},{"op":"replace","path":"/size","value":4}]',
      "failed",
    ],
    ["json-patch-22: test of a missing member against null", '[{"op":"test","path":"/title","value":null}]', document],
    [
      "json-patch-23: escaped slash and tilde",
      '[{"op":"remove","path":"/attributes/a~1b"},{"op":"remove","path":"/attributes/a~0b"}]',
      '{"order":["x","y"],"attributes":{"k":"v"},"size":1}',
    ],
    [
      "json-patch-25: a path without a slash loses its first segment",
      '[{"op":"remove","path":"spec/attributes"}]',
      '{"order":["x","y"],"size":1}',
    ],
    ["json-patch-26: an unknown operation", '[{"op":"increment","path":"/size","value":1}]', "failed"],
    ["json-patch-27: no op", '[{"path":"/size","value":1}]', "failed"],
    ["json-patch-28: no path", '[{"op":"add","value":1}]', "failed"],
    [
      "json-patch-29: add without a value adds null",
      '[{"op":"add","path":"/size"},{"op":"remove","path":"/attributes"}]',
      '{"order":["x","y"],"size":null}',
    ],
    ["json-patch-30: replace of the whole document", '[{"op":"replace","path":"","value":{"a":1}}]', '{"a":1}'],
    ["json-patch-31: no operations", "[]", document],
    ["json-patch-32: an object instead of a list", '{"op":"add","path":"/size","value":1}', "malformed"],
    ["an operation that is null", "[null]", "failed"],
    ["an op that is a number", '[{"op":1,"path":"/size"}]', "malformed"],
    [
      "01 is index 1",
      '[{"op":"replace","path":"/order/01","value":"z"},{"op":"remove","path":"/attributes"}]',
      '{"order":["x","z"],"size":1}',
    ],
    [
      "-1 adds behind the last item",
      '[{"op":"add","path":"/order/-1","value":"e"},{"op":"remove","path":"/attributes"}]',
      '{"order":["x","y","e"],"size":1}',
    ],
    ["-3 is before the first of two", '[{"op":"remove","path":"/order/-3"}]', "failed"],
    [
      "copy of a missing member is null",
      '[{"op":"copy","from":"/nothing","path":"/size"},{"op":"remove","path":"/attributes"}]',
      '{"order":["x","y"],"size":null}',
    ],
    ["the whole document cannot be added", '[{"op":"add","path":"","value":{}}]', "failed"],
    ["nor copied", '[{"op":"copy","from":"","path":"/x"}]', "failed"],
    ["nor replaced by a text", '[{"op":"replace","path":"","value":"x"}]', "failed"],
    ["it can be tested", '[{"op":"test","path":"","value":{}}]', "failed"],
    ["a path of one word leads nowhere", '[{"op":"remove","path":"size"}]', "failed"],
  ] as const)("%s", ([, patch, result]) => {
    expect(patched(document, patch, { lenient: true })).toBe(result);
  });
});

describe("errors", () => {
  test.for([
    {
      patch: '[{"op":"test","path":"/a","value":1},{"op":"replace","path":"/b/c","value":1}]',
      problem: { index: 1, op: "replace", pointer: "/b/c", kind: "failed" },
      message: 'JSON patch [1] replace "/b/c": "/b" is neither an object nor a list',
    },
    {
      patch: '[{"op":"move","path":"/x","from":"/nothing"}]',
      problem: { index: 0, op: "move", pointer: "/nothing", kind: "failed" },
      message: 'JSON patch [0] move "/nothing": it does not exist',
    },
    {
      patch: '[{"op":"add","path":"/l/5","value":1}]',
      problem: { index: 0, op: "add", pointer: "/l/5", kind: "failed" },
      message: 'JSON patch [0] add "/l/5": "5" is no index of a list with 1 items',
    },
    {
      patch: '[{"op":"join","path":"/a"}]',
      problem: { index: 0, op: "join", pointer: "/a", kind: "malformed" },
      message: 'JSON patch [0] join "/a": the operation is unknown. Use add, remove, replace, move, copy or test.',
    },
    {
      patch: "7",
      problem: { index: undefined, op: undefined, pointer: undefined, kind: "malformed" },
      message: "JSON patch: it is not a list. Put the operation into one.",
    },
  ] as const)("$message", ({ patch, problem, message }) => {
    const apply = (): JsonValue => applyJsonPatch({ a: 1, l: [0] }, readJsonPatch(fromJson(patch)));
    expect(apply).toThrow(expect.objectContaining({ ...problem, message, code: "INVALID_PATCH" }));
  });

  test("copies that double what is there stop at the limit", () => {
    const patch = Array.from({ length: 40 }, () => ({ op: "copy", from: "", path: "/-" }) as const);
    expect(() => applyJsonPatch(["x"], patch)).toThrow("take more than 3145728 bytes");
    expect(() => applyJsonPatch(["é"], patch, { maxCopiedBytes: 5 })).toThrow("take more than 5 bytes"); // ["é"] has 6
  });
});

describe("laws", () => {
  test("what was copied is a value of its own", () => {
    const patch = readJsonPatch(
      fromJson(
        '[{"op":"add","path":"/a/x","value":1},{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/a/x","value":2}]',
      ),
    );
    expect(applyJsonPatch({ a: {} }, patch)).toEqual({ a: { x: 2 }, b: { x: 1 } });
  });

  test("__proto__ is a member like others", () => {
    const patch = readJsonPatch(
      fromJson('[{"op":"add","path":"/__proto__","value":{}},{"op":"add","path":"/__proto__/a","value":1}]'),
    );
    expect(formatJson(applyJsonPatch({}, patch))).toBe('{"__proto__":{"a":1}}');
    expect(Object.prototype).not.toHaveProperty("a");
  });

  const segment = fc.constantFrom("a", "b", "0", "1", "-", "-1", "~0", "~1", "");
  const pointer = fc.array(segment, { maxLength: 3 }).map((parts) => parts.map((part) => `/${part}`).join(""));
  const member = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<JsonValue>(null, 1, "x"),
      fc.array(tie("value"), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom("a", "b", "~", "/", ""), tie("value"), { maxKeys: 3 }),
    ),
  })).value;
  const operation = fc.record({
    op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
    path: pointer,
    from: pointer,
    value: member,
  });

  test("nothing is changed that was given, whether the patch applies or not", () => {
    fc.assert(
      fc.property(member, fc.array(operation, { maxLength: 5 }), fc.boolean(), (document, patch, lenient) => {
        const before = JSON.stringify([document, patch]);
        patched(JSON.stringify(document), JSON.stringify(patch), { lenient });
        try {
          applyJsonPatch(document, readJsonPatch(patch, { lenient }), { lenient });
        } catch (error) {
          expect(error).toBeInstanceOf(JsonPatchError);
        }
        expect(JSON.stringify([document, patch])).toBe(before);
      }),
    );
  });
});
