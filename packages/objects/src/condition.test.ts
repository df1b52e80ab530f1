import { describe, expect, test } from "vitest";
import {
  type Condition,
  conditionsEqual,
  findCondition,
  hasCondition,
  removeCondition,
  setCondition,
  setConditions,
} from "./condition.ts";

const then = "2026-01-01T00:00:00Z";
const now = "2026-01-02T00:00:00Z";
const ready: Condition = { type: "Ready", status: "True", reason: "Up", message: "it is", lastTransitionTime: then };
const stalled: Condition = { type: "Stalled", status: "False", lastTransitionTime: then };

describe("set", () => {
  test.for<{ rule: string; change: Condition; result: readonly Condition[] }>([
    {
      rule: "a new one comes last, from now",
      change: { type: "New", status: "Unknown" },
      result: [ready, stalled, { type: "New", status: "Unknown", lastTransitionTime: now }],
    },
    {
      rule: "or from when it says",
      change: { type: "New", status: "True", lastTransitionTime: then },
      result: [ready, stalled, { type: "New", status: "True", lastTransitionTime: then }],
    },
    {
      rule: "another status is a transition, in place",
      change: { type: "Ready", status: "False", reason: "Down", message: "" },
      result: [{ type: "Ready", status: "False", reason: "Down", message: "", lastTransitionTime: now }, stalled],
    },
    {
      rule: "another message is none",
      change: { type: "Ready", status: "True", reason: "Up", message: "still" },
      result: [{ ...ready, message: "still" }, stalled],
    },
    {
      rule: "another generation is none",
      change: { type: "Ready", status: "True", observedGeneration: 2 },
      result: [{ ...ready, observedGeneration: 2 }, stalled],
    },
  ])("$rule", ({ change, result }) => {
    expect(setCondition([ready, stalled], change, now)).toEqual(result);
  });

  test("what changes nothing gives the same list", () => {
    const list = [ready, stalled];
    const { lastTransitionTime: _, ...same } = ready;
    expect(setCondition(list, same as Condition, now)).toBe(list);
    expect(setCondition(list, { ...ready, lastTransitionTime: now }, now)).toBe(list);
    expect(setConditions(list, [ready, stalled], now)).toBe(list);
  });

  test("several, one after the other, and the input stays", () => {
    const list = Object.freeze([ready]);
    const changes: Condition[] = [
      { type: "A", status: "True" },
      { type: "A", status: "False" },
    ];
    expect(setConditions(list, changes, now).map(({ type, status }) => `${type} ${status}`)).toEqual([
      "Ready True",
      "A False",
    ]);
  });
});

test("find, has and remove go by type", () => {
  expect(findCondition([ready, stalled], "Stalled")).toBe(stalled);
  expect(findCondition(undefined, "Ready")).toBeUndefined();
  expect([
    hasCondition([ready], "Ready"),
    hasCondition([stalled], "Stalled"),
    hasCondition([stalled], "Stalled", "False"),
  ]).toEqual([true, false, true]);
  const list = [ready, stalled];
  expect(removeCondition(list, "Ready")).toEqual([stalled]);
  expect(removeCondition(list, "Other")).toBe(list);
});

test("two are equal when they say the same, whenever they began to; absent and empty are one", () => {
  expect(conditionsEqual(ready, { ...ready, lastTransitionTime: now })).toBe(true);
  expect(conditionsEqual(stalled, { ...stalled, reason: "", message: "", observedGeneration: 0 })).toBe(true);
  for (const change of [
    { status: "False" },
    { reason: "x" },
    { message: "x" },
    { observedGeneration: 1 },
    { type: "X" },
  ]) {
    expect(conditionsEqual(ready, { ...ready, ...change } as Condition)).toBe(false);
  }
});
