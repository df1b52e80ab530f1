import { expect, test } from "vitest";
import type { Seen, Selection } from "./selection.ts";
import { WatchCheck } from "./watch-check.ts";

/** `a3@7`: name, step and version. Gold, unless it ends in `-`. */
function parse(text: string): Seen {
  const [, name = "", step, version, lead] = /^([a-z])(\d+)@(\d+)(-?)$/.exec(text) ?? [];
  return { namespace: "n", name, tier: lead === "-" ? "lead" : "gold", step: Number(step), version: Number(version) };
}

const types: Readonly<Record<string, string>> = { "+": "ADDED", "*": "MODIFIED", "-": "DELETED" };

function problems(script: string, selection: Selection = {}): string[] {
  const found: string[] = [];
  const check = new WatchCheck(selection, (problem) => found.push(problem));
  for (const line of script.split("; ")) {
    const [verb = "", ...args] = line.split(" ");
    if (verb === "list") check.list(args.slice(1).map(parse), Number(args[0]));
    else if (verb === "bookmark") check.bookmark(Number(args[0]));
    else for (const item of args) check.event(types[verb] ?? verb, parse(item));
  }
  return found;
}

test.for([
  ["a life", "list 1; + a1@2; * a2@3 a3@4; - a3@5; + a5@6"],
  ["two names", "list 3 a1@2 b4@3; * a2@4 b5@5; - a2@6; * b6@7; bookmark 9; + a4@10"],
  ["a list that skips", "list 3 a1@2; * a2@4; list 20 a9@15; * a10@21"],
  ["a name that was gone when listed", "list 3 a1@2; list 9; + a7@10"],
  ["a bookmark that says nothing new", "list 3; bookmark 3; + a1@4"],
] as const)("is right: %s", ([, script]) => {
  expect(problems(script)).toEqual([]);
});

test.for<[what: string, script: string, problem: RegExp]>([
  ["a gap", "list 3 a1@2; * a3@5", /after step 1/],
  ["a change twice", "list 3 a1@2; * a2@4 a2@4", /after 4 was seen/],
  ["a wrong order", "list 3 a1@2 b1@3; * b2@5 a2@4", /after 5 was seen/],
  ["a change from before the list", "list 3 a1@2; * a2@3", /after 3 was seen/],
  ["a creation that was missed", "list 3; * a2@4", /was not there/],
  ["a deletion that was missed", "list 3 a1@2; + a3@5", /was there at step 1/],
  ["a life that was missed", "list 3 a1@2; - a1@4; + a5@8", /missing after 1/],
  ["a deletion of what is not there", "list 3; - a1@4", /was not there/],
  ["a deletion that shows another state", "list 3 a1@2; - a2@4", /after step 1/],
  ["a list of the past", "list 5; bookmark 9; list 8", /after 9 was seen/],
  ["an older state in a list", "list 5 a4@4; list 9 a3@3", /after step 4/],
  ["a lost write", "list 5 a4@4; list 9 a4@7", /was at 4 before/],
  ["a bookmark of the past", "list 5; bookmark 4", /after 5 was seen/],
  ["a list with what comes later", "list 5 a1@6", /in a list at 5/],
  ["an object twice", "list 5 a1@2 a1@2", /twice/],
  ["another type", "list 5; ERROR a1@6", /type ERROR/],
])("is found: %s", ([, script, expected]) => {
  expect(problems(script)[0]).toMatch(expected);
});

test("with a selector, what enters and leaves may skip steps, and nothing else may", () => {
  const gold = { tier: "gold" };
  expect(problems("list 3 a1@2; - a1@4; + a7@9; * a8@10", gold)).toEqual([]);
  expect(problems("list 3 a1@2; - a1@4; + a2@9", gold)).toEqual([expect.stringMatching(/and its end/)]);
  expect(problems("list 3 a1@2; * a3@9", gold)).toEqual([expect.stringMatching(/after step 1/)]);
  expect(problems("list 3 a1@2; * a2@9-", gold)).toEqual([expect.stringMatching(/not selected/)]);
  expect(problems("list 3 a1@2-", gold)).toEqual([expect.stringMatching(/not selected/)]);
  expect(problems("list 3 a1@2; + b1@5", { name: "a" })).toEqual([expect.stringMatching(/not selected/)]);
});
