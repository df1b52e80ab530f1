import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  apiVersionOf,
  createInventory,
  type Inventory,
  type InventoryEntry,
  intersectInventories,
  inventoriesEqual,
  inventoryOf,
  subtractInventory,
  uniteInventories,
} from "./inventory.ts";

const entry = (name: string, version = "v1"): InventoryEntry => ({
  group: "apps",
  version,
  kind: "Deployment",
  namespace: "n",
  name,
});
const inventory = (names: string): Inventory => createInventory([...names].map((name) => entry(name)));
const draw = (of: Inventory): string => [...of.values()].map(({ name }) => name).join("");

test("objects are taken in their order, once each, under the version that comes last", () => {
  const object = (apiVersion: string, name: string) => ({
    apiVersion,
    kind: "Deployment",
    metadata: { name, namespace: "n" },
  });
  const objects = [object("apps/v1beta1", "a"), object("apps/v1", "b"), { kind: "X" }, object("apps/v1", "a")];
  expect([...inventoryOf(objects).values()]).toEqual([entry("a"), entry("b")]);
  expect([...inventoryOf([{ apiVersion: "v1", kind: "Node", metadata: { name: "x" } }]).values()]).toEqual([
    { group: "", version: "v1", kind: "Node", namespace: "", name: "x" },
  ]);
});

test("an entry knows how the API is asked for it", () => {
  expect([apiVersionOf(entry("a")), apiVersionOf({ ...entry("a"), group: "" })]).toEqual(["apps/v1", "v1"]);
});

test("B-13 odd but legal names stay apart", () => {
  const names = ["a.b", "a_b", "a__b", "system:node_ops:a__b", "a-b"];
  expect(createInventory(names.map((name) => entry(name))).size).toBe(5);
  const [left, right] = [
    { ...entry("b"), namespace: "x_a" },
    { ...entry("a_b"), namespace: "x" },
  ];
  expect(inventoriesEqual(createInventory([left]), createInventory([right]))).toBe(false);
});

test.for([
  { rule: "what is owned and not desired is stale", owned: "abc", desired: "cd", stale: "ab" },
  { rule: "nothing desired leaves all", owned: "ab", desired: "", stale: "ab" },
  { rule: "nothing owned leaves nothing", owned: "", desired: "ab", stale: "" },
])("$rule", ({ owned, desired, stale }) => {
  expect(draw(subtractInventory(inventory(owned), inventory(desired)))).toBe(stale);
});

test("another version of an owned object is not stale, and its entry is the newer one in the union", () => {
  const [old, new_] = [createInventory([entry("a", "v1beta1")]), createInventory([entry("a")])];
  expect(subtractInventory(old, new_).size).toBe(0);
  expect([...uniteInventories(old, new_).values()]).toEqual([entry("a")]);
  expect([...intersectInventories(old, new_).values()]).toEqual([entry("a", "v1beta1")]);
});

describe("sets", () => {
  const any = fc.uniqueArray(fc.constantFrom(..."abcdefgh")).map((names) => inventory(names.join("")));

  test("owned is what is stale and what is kept, and the two share nothing", () => {
    fc.assert(
      fc.property(any, any, (owned, desired) => {
        const stale = subtractInventory(owned, desired);
        const kept = intersectInventories(owned, desired);
        expect(intersectInventories(stale, kept).size).toBe(0);
        expect(inventoriesEqual(uniteInventories(stale, kept), owned)).toBe(true);
        expect(intersectInventories(stale, desired).size).toBe(0);
      }),
    );
  });

  test("union and intersection do not mind the order, and are what they say", () => {
    fc.assert(
      fc.property(any, any, any, (a, b, c) => {
        expect(inventoriesEqual(uniteInventories(a, b), uniteInventories(b, a))).toBe(true);
        expect(inventoriesEqual(intersectInventories(a, b), intersectInventories(b, a))).toBe(true);
        const left = intersectInventories(a, uniteInventories(b, c));
        expect(inventoriesEqual(left, uniteInventories(intersectInventories(a, b), intersectInventories(a, c)))).toBe(
          true,
        );
        expect(
          inventoriesEqual(subtractInventory(a, uniteInventories(b, c)), subtractInventory(subtractInventory(a, b), c)),
        ).toBe(true);
      }),
    );
  });
});
