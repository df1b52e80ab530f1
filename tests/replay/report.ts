import type { Difference } from "./difference.ts";
import { countsOf, type FileResult } from "./replay-file.ts";

/** Machine-readable outcome of a replay. */
export interface Report {
  readonly files: readonly {
    readonly name: string;
    readonly passed: number;
    readonly total: number;
    readonly skipped?: string | undefined;
    readonly managersMatch: number;
    readonly managersCompared: number;
    readonly seconds: number;
  }[];
  /** Failed cases by the reason that expected-differences.json gives, most frequent first. */
  readonly reasons: readonly { readonly reason: string; readonly count: number; readonly cases: readonly string[] }[];
  /** Differences that look alike, most frequent first. */
  readonly groups: readonly { readonly cause: string; readonly count: number; readonly cases: readonly string[] }[];
  readonly failures: readonly {
    readonly case: string;
    readonly about: string;
    readonly request: string;
    readonly differences: readonly Difference[];
  }[];
  /** What servers logged as failures of their own. */
  readonly logged: readonly string[];
}

export function buildReport(
  files: readonly FileResult[],
  reasonOf: (name: string, id: string) => string | undefined,
): Report {
  const failures = files.flatMap(({ name, results }) =>
    results
      .filter(({ outcome }) => outcome === "failed")
      .map(({ id, about, request, differences }) => ({ case: `${name}:${id}`, about, request, differences })),
  );
  return {
    files: files.map((file) => ({
      name: file.name,
      ...countsOf(file),
      skipped: file.skipped,
      managersMatch: file.results.filter(({ managersMatch }) => managersMatch === true).length,
      managersCompared: file.results.filter(({ managersMatch }) => managersMatch !== undefined).length,
      seconds: Number(file.seconds.toFixed(2)),
    })),
    reasons: groupBy(failures, ({ case: name }) => {
      const [file = "", id = ""] = name.split(":", 2);
      return reasonOf(file, id) ?? "not listed";
    }).map(([reason, cases]) => ({ reason, count: cases.length, cases })),
    groups: groupBy(failures, ({ differences: [first], request }) =>
      first === undefined ? "" : causeOf(first, request),
    ).map(([cause, cases]) => ({ cause, count: cases.length, cases })),
    failures,
    logged: files.flatMap(({ name, failures: logged }) => logged.map((text) => `${name}: ${text}`)),
  };
}

type Failure = Report["failures"][number];

/** The names of cases by what `keyOf` says, most frequent first. */
function groupBy(failures: readonly Failure[], keyOf: (failure: Failure) => string): [string, string[]][] {
  const groups = new Map<string, string[]>();
  for (const failure of failures) {
    const key = keyOf(failure);
    groups.set(key, [...(groups.get(key) ?? []), failure.case]);
  }
  return [...groups].sort(([a, cases], [b, others]) => others.length - cases.length || (a < b ? -1 : 1));
}

/** What a difference has in common with those like it: names, numbers and the rest of long texts left out. */
function causeOf({ path, expected, got }: Difference, request: string): string {
  const place = path.replace(/\[\d+\]/g, "[]").replace(/meanwhile .*/, "meanwhile");
  const short = (text: string): string =>
    text
      .replace(/\\"[^"]*\\"/g, "…")
      .replace(/\d+/g, "#")
      .slice(0, 90);
  const verb = request.split(" ")[0] ?? "";
  return place === "status"
    ? `${verb}: ${short(expected)} → ${short(got)}`
    : `${place}: ${short(expected)} → ${short(got)}`;
}
