import { inspect } from "node:util";
import { JsonPatch as Ours } from "@slipway/core";
import { JsonPatch as Theirs } from "cdk8s";
import fc from "fast-check";
import { expect, test } from "vitest";

type Operation =
  | readonly ["add" | "replace" | "test", path: string, value: unknown]
  | readonly ["remove", path: string]
  | readonly ["copy" | "move", from: string, path: string];

type Library = typeof Ours | typeof Theirs;

const clone = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** All that a program can see: the result or the error, and what has become of the document. */
function outcome(library: Library, document: unknown, operations: readonly Operation[]): string {
  const patched = clone(document);
  try {
    return draw({ result: apply(library, patched, operations), patched });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // Of the text about prototypes only the beginning is promised.
    const [text] = error.message.split(", if this was on purpose").join(". ").split("security reasons");
    return draw({ error: error.name, text, fields: { ...error }, patched });
  }
}

function apply(library: Library, document: unknown, operations: readonly Operation[]): unknown {
  const make: Record<string, (...operands: never[]) => unknown> = library as never;
  return library.apply(
    document,
    ...(operations.map(([op, ...operands]) => make[op]?.(...(operands as unknown as never[]))) as never[]),
  );
}

/** With the order of members, holes, `undefined` and properties of lists. */
const draw = (value: unknown): string => inspect(value, { depth: null, maxArrayLength: null, breakLength: 120 });

const token = fc.constantFrom("a", "b", "", "0", "1", "3", "01", "-", "-1", "length", "x~0", "y~1", "~", "__proto__");
const pointer = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.array(token, { maxLength: 4 }).map((tokens) => tokens.map((each) => `/${each}`).join("")),
  },
  { weight: 1, arbitrary: fc.constantFrom("b", "a/b", "a/b/0") },
);
const { document } = fc.letrec<{
  document: unknown;
  scalar: unknown;
  list: unknown[];
  object: Record<string, unknown>;
}>((tie) => ({
  document: fc.oneof({ depthSize: "small", withCrossShrink: true }, tie("scalar"), tie("list"), tie("object")),
  scalar: fc.constantFrom(null, true, 0, 1, "", "a", "text"),
  list: fc.array(tie("document"), { maxLength: 4 }),
  object: fc.dictionary(fc.constantFrom("a", "b", "", "0", "length", "x~", "y/"), tie("document"), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
}));
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.tuple(fc.constantFrom("add" as const, "replace" as const, "test" as const), pointer, document),
  fc.tuple(fc.constant("remove" as const), pointer),
  fc.tuple(fc.constantFrom("copy" as const, "move" as const), pointer, pointer),
);

test("random patches do to random documents what they do in cdk8s", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(document, fc.array(operation, { minLength: 1, maxLength: 6 }), (value, operations) => {
      const kept = withoutDifferences(value, operations);
      expect(outcome(Ours, value, kept)).toBe(outcome(Theirs, value, kept));
    }),
    { numRuns: 3000 },
  );
});

test("a test of what is there holds in both", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(document, document, (value, other) => {
      const same = [["test", "/a", value]] as const;
      expect(outcome(Ours, { a: value }, same)).toBe(draw({ result: { a: value }, patched: { a: value } }));
      expect(outcome(Theirs, { a: value }, same)).toBe(draw({ result: { a: value }, patched: { a: value } }));
      const maybe = [["test", "/a", other]] as const;
      expect(outcome(Ours, { a: value }, maybe)).toBe(outcome(Theirs, { a: value }, maybe));
    }),
  );
});

/** Leaves out the operations that the rows below are about, at the place where they would meet their case. */
function withoutDifferences(value: unknown, operations: readonly Operation[]): Operation[] {
  let state = clone(value);
  const kept: Operation[] = [];
  for (const each of operations) {
    if (isDifference(state, each)) continue;
    kept.push(each);
    try {
      state = apply(Ours, state, [each]);
    } catch {
      break;
    }
  }
  return kept;
}

function isDifference(state: unknown, [op, first, second]: Operation): boolean {
  const pointers = [first, ...(op === "copy" || op === "move" ? [second] : [])];
  if (Array.isArray(state) && pointers.some((each) => each !== "" && !each.startsWith("/"))) return true;
  if (op !== "remove" && op !== "move") return false;
  if (first === "") return op === "move";
  const tokens = first
    .split("/")
    .slice(1)
    .map((each) => each.replace("~1", "/").replace("~0", "~"));
  const last = tokens.pop() ?? "undefined";
  let parent = state;
  for (const each of tokens) {
    const key = Array.isArray(parent) && /^[0-9]*$/.test(each) ? Number(each) : each;
    parent = parent === null || parent === undefined ? undefined : (parent as Record<string, unknown>)[key];
  }
  return Array.isArray(parent) && !/^-?[0-9]*$/.test(last);
}

test.for<[reason: string, document: unknown, operation: Operation, ours: unknown, theirs: unknown]>([
  ["a name in a list is no item: cdk8s removes the first one", [1, 2], ["remove", "/x"], [1, 2], [2]],
  [
    "a name in a list is no item: cdk8s moves the first one",
    { a: [1, 2] },
    ["move", "/a/x", "/b"],
    { a: [1, 2], b: undefined },
    { a: [2], b: 1 },
  ],
  [
    "an index of more than 32 bits is past the end: cdk8s counts again from 0",
    [1],
    ["add", "/4294967296", 2],
    [1, 2],
    [2, 1],
  ],
  [
    "what objects inherit is no part of a document: cdk8s copies the function",
    {},
    ["copy", "/toString", "/a"],
    { a: null },
    { a: Object.prototype.toString },
  ],
  [
    "a member called hasOwnProperty is a member: cdk8s calls it",
    { a: { hasOwnProperty: 1 } },
    ["test", "/a", { hasOwnProperty: 1 }],
    { a: { hasOwnProperty: 1 } },
    "TypeError: b.hasOwnProperty is not a function",
  ],
])("on purpose: %s", ([, value, each, ours, theirs]) => {
  const run = (library: Library): unknown => {
    try {
      return apply(library, clone(value), [each]);
    } catch (error) {
      return String(error);
    }
  };
  expect(draw(run(Ours))).toBe(draw(ours));
  expect(draw(run(Theirs))).toBe(draw(theirs));
});

test("on purpose: the document is not moved into itself, of which cdk8s makes a circle", () => {
  const circular = Theirs.apply({ a: 1 }, Theirs.move("", "/b"));
  expect(circular.b).toBe(circular);
  expect(() => Ours.apply({ a: 1 }, Ours.move("", "/b"))).toThrow(TypeError);
});

test("on purpose: a patch does not reach what all objects share, as it does in cdk8s", () => {
  const shared = Object as unknown as { reached?: boolean };
  Theirs.apply({}, Theirs.add("/constructor/reached", true));
  expect(shared.reached).toBe(true);
  delete shared.reached;
  expect(() => Ours.apply({}, Ours.add("/constructor/reached", true))).toThrow(TypeError);
  expect(shared.reached).toBe(undefined);
});

test("on purpose: a frozen document is an error, where cdk8s loses the change", () => {
  expect(Theirs.apply(Object.freeze({ a: 1 }), Theirs.add("/b", 2))).toEqual({ a: 1 });
  expect(() => Ours.apply(Object.freeze({ a: 1 }), Ours.add("/b", 2))).toThrow(TypeError);
});

test("patches of cdk8s are patches here, and the other way round", () => {
  expect(Ours.apply({}, Theirs.add("/a", 1) as unknown as Ours)).toEqual({ a: 1 });
  expect(Theirs.apply({}, Ours.add("/a", 1) as unknown as Theirs)).toEqual({ a: 1 });
});

test("a pointer without a slash is refused by both for a list", () => {
  expect(() => Theirs.apply([], Theirs.add("b", 1))).toThrow(TypeError);
  expect(() => Ours.apply([], Ours.add("b", 1))).toThrow(TypeError);
});
