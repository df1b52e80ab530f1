import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Difference, formatDifference } from "./difference.ts";
import type { FileResult } from "./replay-file.ts";
import type { StepResult } from "./run-sequence.ts";

/** Cases that are known not to be as recorded, and why. */
interface ExpectedDifference {
  readonly reason: string;
  /**
   * Where they differ, and nowhere else: beginnings of the paths of differences, with `[*]` for any place in a list.
   * @default anywhere
   */
  readonly only?: readonly string[] | undefined;
  /** By file; `*` stands for every case of it. */
  readonly cases: Readonly<Record<string, readonly string[] | "*">>;
}

export interface ExpectedDifferences {
  /** Cases whose answer is not fixed: either outcome is right. */
  readonly unstable: readonly ExpectedDifference[];
  readonly expected: readonly ExpectedDifference[];
}

const file = fileURLToPath(new URL("../recordings/expected-differences.json", import.meta.url));

export function readExpectedDifferences(): ExpectedDifferences {
  return JSON.parse(readFileSync(file, "utf8")) as ExpectedDifferences;
}

export function writeExpectedDifferences(expected: ExpectedDifferences): void {
  writeFileSync(file, `${JSON.stringify(expected, undefined, 2)}\n`);
}

/** Why the case is expected not to be as recorded; `undefined`: it is expected to be. */
export function reasonFor(expected: ExpectedDifferences, name: string, id: string): string | undefined {
  return expected.expected.find((difference) => covers(difference, name, id))?.reason;
}

/** What of the differences of a case is not covered by the list. */
function unlisted(expected: ExpectedDifferences, name: string, { id, differences }: StepResult): readonly Difference[] {
  const listed = expected.expected.filter((difference) => covers(difference, name, id));
  if (listed.some(({ only }) => only === undefined)) return [];
  const places = listed.flatMap(({ only }) => only ?? []);
  return differences.filter(
    ({ path }) => !places.some((place) => path.replace(/\[[^\]]*\]/g, "[*]").startsWith(place)),
  );
}

/** Whether a case of the file is expected not to be as recorded, or need not be. */
export function listedIn(expected: ExpectedDifferences, name: string): (id: string) => boolean {
  return (id) => reasonFor(expected, name, id) !== undefined || isUnstable(expected, name, id);
}

function isUnstable(expected: ExpectedDifferences, name: string, id: string): boolean {
  return expected.unstable.some((difference) => covers(difference, name, id));
}

function covers({ cases }: ExpectedDifference, name: string, id: string): boolean {
  const ids = cases[name];
  return ids === "*" || ids?.includes(id) === true;
}

/** What is wrong with the list, or with us: both are failures. */
export interface Verdict {
  /** Not as recorded, and not listed, with the differences that are not. */
  readonly unexpected: readonly StepResult[];
  /** Listed, and as recorded. */
  readonly nowPassing: readonly string[];
  /** Listed, and no case of the file. */
  readonly unknown: readonly string[];
}

export function judge({ name, results }: FileResult, expected: ExpectedDifferences): Verdict {
  const settled = results.filter(({ id }) => !isUnstable(expected, name, id));
  const listed = expected.expected.flatMap(({ cases }) => cases[name] ?? []).filter((ids) => ids !== "*");
  const known = new Set(results.map(({ id }) => id));
  return {
    unexpected: settled.flatMap((result) => {
      const differences = result.outcome === "failed" ? unlisted(expected, name, result) : [];
      return differences.length === 0 ? [] : [{ ...result, differences }];
    }),
    nowPassing: settled
      .filter(({ id, outcome }) => outcome === "passed" && reasonFor(expected, name, id) !== undefined)
      .map(({ id }) => id),
    unknown: listed.filter((id) => !known.has(id)),
  };
}

/** Nothing, or what is wrong in the words of a reader of the test's output. */
export function describeVerdict({ unexpected, nowPassing, unknown }: Verdict): string {
  return [
    ...unexpected.map(({ id, about, request, differences }) =>
      [`${id} (${about}) ${request}`, ...differences.slice(0, 10).map(formatDifference)].join("\n"),
    ),
    ...nowPassing.map((id) => `${id} is listed in expected-differences.json and passes: take it off the list`),
    ...unknown.map((id) => `${id} is listed in expected-differences.json and is no case of this file`),
  ].join("\n");
}

/** The list without what passes by now. */
export function withoutPassing(expected: ExpectedDifferences, files: readonly FileResult[]): ExpectedDifferences {
  const prune = (difference: ExpectedDifference): ExpectedDifference[] => {
    const { cases } = difference;
    const left = Object.entries(cases).flatMap(([name, ids]): [string, readonly string[] | "*"][] => {
      const result = files.find((other) => other.name === name);
      if (result === undefined || result.skipped !== undefined) return [[name, ids]];
      const failing = result.results.filter(({ outcome }) => outcome === "failed").map(({ id }) => id);
      if (ids === "*") return failing.length === result.results.length ? [[name, ids]] : keep(name, failing);
      return keep(
        name,
        ids.filter((id) => failing.includes(id)),
      );
    });
    return left.length === 0 ? [] : [{ ...difference, cases: Object.fromEntries(left) }];
  };
  return { ...expected, expected: expected.expected.flatMap(prune) };
}

const keep = (name: string, ids: readonly string[]): [string, readonly string[]][] =>
  ids.length === 0 ? [] : [[name, ids]];
