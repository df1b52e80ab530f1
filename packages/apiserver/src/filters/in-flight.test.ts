import { expect, test } from "vitest";
import { InFlight } from "./in-flight.ts";

const anyone = { isPrivileged: false, nowMs: 0 };

test("each kind has its own places, and one that is left is free again", () => {
  const inFlight = new InFlight({ readOnly: 2, mutating: 1 });
  expect([inFlight.enter("readOnly", anyone), inFlight.enter("mutating", anyone)]).toEqual([true, true]);
  expect([inFlight.enter("readOnly", anyone), inFlight.enter("mutating", anyone)]).toEqual([true, false]);
  expect(inFlight.enter("readOnly", anyone)).toBe(false);
  expect(inFlight.present()).toEqual({ readOnly: 2, mutating: 1 });
  inFlight.leave("mutating", 0);
  expect(inFlight.enter("mutating", anyone)).toBe(true);
});

test("the privileged get a place beyond the limit, and it counts", () => {
  const inFlight = new InFlight({ readOnly: 1, mutating: 1 });
  for (const isPrivileged of [true, true]) {
    expect(inFlight.enter("readOnly", { isPrivileged, nowMs: 0 })).toBe(true);
  }
  expect(inFlight.present().readOnly).toBe(2);
  expect(inFlight.enter("readOnly", anyone)).toBe(false);
});

test("a limit of 0 is none", () => {
  const inFlight = new InFlight({ readOnly: 0, mutating: 0 });
  for (let count = 0; count < 1_000; count++) expect(inFlight.enter("mutating", anyone)).toBe(true);
});

test.for([
  { rule: "what has just gone still shows", atMs: 500, peak: 3 },
  { rule: "a second later it shows as well", atMs: 1_500, peak: 3 },
  { rule: "then only what is there", atMs: 2_500, peak: 1 },
  { rule: "and after a long time too", atMs: 99_000, peak: 1 },
])("the peak: $rule", ({ atMs, peak }) => {
  const inFlight = new InFlight({ readOnly: 10, mutating: 10 });
  for (let count = 0; count < 3; count++) inFlight.enter("readOnly", { isPrivileged: false, nowMs: 100 });
  for (let count = 0; count < 2; count++) inFlight.leave("readOnly", 200);
  expect(inFlight.peak(atMs)).toEqual({ readOnly: peak, mutating: 0 });
});
