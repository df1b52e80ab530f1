import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { AbortScopes, untilAborted } from "./abort-scope.ts";

const reason = new Error("enough");

test("a scope aborts with its parent, for its reason; others of the parent too", () => {
  const scopes = new AbortScopes();
  const parent = new AbortController();
  const [first, second] = [scopes.open(parent.signal), scopes.open(parent.signal)];
  second.end();
  expect(first.signal.aborted).toBe(false);
  parent.abort(reason);
  expect(first.signal.reason).toBe(reason);
  expect(scopes.open(parent.signal).signal.reason).toBe(reason);
});

test("a scope that has ended is aborted; without parent nothing else aborts it", () => {
  const scope = new AbortScopes().open(undefined);
  expect(scope.signal.aborted).toBe(false);
  scope.end();
  scope.end();
  expect(scope.signal.aborted).toBe(true);
});

test("a parent has one listener while it has scopes, and none afterwards", () => {
  const scopes = new AbortScopes();
  const { signal } = new AbortController();
  const opened = Array.from({ length: 100 }, () => scopes.open(signal));
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  for (const scope of opened) scope.end();
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
  scopes.open(signal);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
});

test("work that is waited for until an abort", async () => {
  const { signal } = new AbortController();
  expect(await untilAborted(Promise.resolve(1), signal)).toBe(1);
  expect(await untilAborted(Promise.resolve(2), undefined)).toBe(2);
  await expect(untilAborted(Promise.reject(reason), signal)).rejects.toBe(reason);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
  await expect(untilAborted(new Promise(() => {}), AbortSignal.abort(reason))).rejects.toBe(reason);
  const later = new AbortController();
  const waiting = untilAborted(new Promise(() => {}), later.signal);
  later.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});
