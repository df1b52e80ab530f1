import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DependencyCycleError, type Edge, orderByEdges, orderByNeed } from "./graph.ts";

/** `"a>b"`: a goes first. */
const edges = (text: string): Edge<string>[] =>
  text === "" ? [] : text.split(" ").map((pair) => ({ before: pair.charAt(0), after: pair.charAt(2) }));
const order = (nodes: string, pairs: string): string => orderByEdges([...nodes], edges(pairs)).join("");

test.for([
  { rule: "without edges nothing moves", nodes: "cab", pairs: "", result: "cab" },
  { rule: "what fits does not move", nodes: "abc", pairs: "a>c", result: "abc" },
  { rule: "only what is needed moves ahead", nodes: "abcd", pairs: "c>a", result: "cabd" },
  { rule: "chains", nodes: "abcd", pairs: "b>a c>b d>c", result: "dcba" },
  { rule: "one needed by two", nodes: "abc", pairs: "c>a c>b", result: "cab" },
  { rule: "several needs come in the order of the edges", nodes: "abc", pairs: "c>a b>a", result: "cba" },
  { rule: "an edge twice", nodes: "ab", pairs: "b>a b>a", result: "ba" },
  { rule: "edges to others do not count", nodes: "ab", pairs: "x>a b>y b>a", result: "ba" },
])("$rule", ({ nodes, pairs, result }) => {
  expect(order(nodes, pairs)).toBe(result);
});

test("what is needed from elsewhere is added", () => {
  expect(orderByNeed(["a"], (node) => (node === "a" ? ["x"] : []))).toEqual(["x", "a"]);
});

describe("a circle", () => {
  test.for([
    { rule: "of two", nodes: "ab", pairs: "a>b b>a", path: "a → b → a" },
    { rule: "with itself", nodes: "ab", pairs: "b>b", path: "b → b" },
    { rule: "behind a chain, which is not part of it", nodes: "abcd", pairs: "b>a c>b d>c b>d", path: "b → c → d → b" },
  ])("$rule is refused with its path", ({ nodes, pairs, path }) => {
    const message = `these need each other in a circle: ${path}. Remove one of the dependencies.`;
    expect(() => order(nodes, pairs)).toThrow(expect.objectContaining({ code: "DEPENDENCY_CYCLE", message }));
  });

  test("names its nodes as it is told to, and has them as they are", () => {
    const node = { id: 1 };
    const run = (): unknown => orderByNeed([node], () => [node], { nameOf: ({ id }) => `#${id}` });
    expect(run).toThrow(/#1 → #1/);
    expect(run).toThrow(expect.objectContaining({ path: [node, node] }));
    expect(run).toThrow(DependencyCycleError);
  });
});

test("a chain of 100,000 is no problem", () => {
  const nodes = Array.from({ length: 100_000 }, (_, index) => index);
  const chain = nodes.slice(1).map((node) => ({ before: node, after: node - 1 }));
  expect(orderByEdges(nodes, chain)).toEqual(nodes.toReversed());
});

test("each node comes once and after what it needs; a second run changes nothing", () => {
  const node = fc.nat({ max: 20 });
  fc.assert(
    fc.property(fc.uniqueArray(node), fc.array(fc.tuple(node, node)), (nodes, pairs) => {
      // From the smaller to the greater number, so that there is no circle.
      const forward = pairs
        .filter(([a, b]) => a !== b)
        .map(([a, b]) => ({ before: Math.min(a, b), after: Math.max(a, b) }));
      const once = orderByEdges(nodes, forward);
      expect(once.toSorted((a, b) => a - b)).toEqual(nodes.toSorted((a, b) => a - b));
      for (const { before, after } of forward) {
        if (once.includes(before) && once.includes(after))
          expect(once.indexOf(before)).toBeLessThan(once.indexOf(after));
      }
      expect(orderByEdges(once, forward)).toEqual(once);
    }),
  );
});
