import { expect, test } from "vitest";
import type { JsonValue } from "./json.ts";
import { openList } from "./list.ts";

const a = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };

test.for<{ rule: string; value: JsonValue; opened: readonly JsonValue[] }>([
  {
    rule: "A-21 lists are opened, and lists in them, and null is an empty one",
    value: { apiVersion: "v1", kind: "List", items: [a, { apiVersion: "v1", kind: "List", items: null }] },
    opened: [a],
  },
  { rule: "lists of a kind", value: { apiVersion: "v1", kind: "ConfigMapList", items: [a, a] }, opened: [a, a] },
  { rule: "an empty list", value: { kind: "List", items: [] }, opened: [] },
  {
    rule: "a kind that merely ends in List",
    value: { kind: "AllowList", spec: {} },
    opened: [{ kind: "AllowList", spec: {} }],
  },
  {
    rule: "a kind with items that is no list",
    value: { kind: "Order", items: [1] },
    opened: [{ kind: "Order", items: [1] }],
  },
  { rule: "anything else", value: [a], opened: [[a]] },
])("$rule", ({ value, opened }) => {
  expect(openList(value)).toEqual(opened);
});
