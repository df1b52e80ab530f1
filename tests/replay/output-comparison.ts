import type { Bindings } from "./bindings.ts";
import type { Difference } from "./difference.ts";
import { isAge, matchText } from "./text-comparison.ts";

/** What kubectl printed, line by line; `name` says where. */
export function compareOutput(name: string, recorded: string, ours: string, bindings: Bindings): Difference[] {
  const [theirs, own] = [inOrder(lines(recorded)), inOrder(lines(ours))];
  const hasAges = theirs.some((line) => /\bAGE\b|\bAge\b|LAST SEEN| {2}(?:\d+[smhdy]){1,2}$/.test(line));
  for (let index = 0; index < Math.max(theirs.length, own.length); index++) {
    const [before, after] = [theirs[index], own[index]];
    if (before !== undefined && after !== undefined && matchLine(before, after, hasAges, bindings)) continue;
    const rest = theirs.length === own.length ? "" : `, ${theirs.length} lines were expected and ${own.length} came`;
    return [{ path: `${name}, line ${index + 1}${rest}`, expected: before ?? "(no line)", got: after ?? "(no line)" }];
  }
  return [];
}

/** The problems of one object, a line each, come in any order. */
function inOrder(all: readonly string[]): string[] {
  const problems = all.filter((line) => line.startsWith("* ")).sort();
  return all.map((line) => (line.startsWith("* ") ? (problems.shift() ?? line) : line));
}

/** When a wait runs into its timeout, the watch behind it does too: whether kubectl still says so as it ends is chance. */
const cutWatch = /^E reflector\.go:\d+\] "Failed to watch" err="context deadline exceeded"/;

function lines(text: string): string[] {
  return text
    .split("\n")
    .map((line) =>
      line
        // the prefix of klog lines, times in the heads of diffs, names of temporary files
        .replace(/^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /, "$1 ")
        .replace(/\t\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \+0000$/, "\tTIME")
        .replace(/kubectl-edit-\d+/g, "kubectl-edit-N"),
    )
    .filter((line) => !cutWatch.test(line));
}

/** An age is as wide as it is, and so is the column: around ages the number of spaces is free. */
function matchLine(recorded: string, ours: string, hasAges: boolean, bindings: Bindings): boolean {
  if (matchText(recorded, ours, bindings)) return true;
  if (!hasAges) return false;
  const [theirs, own] = [recorded.split(/ {2,}/), ours.split(/ {2,}/)];
  return (
    theirs.length === own.length &&
    theirs.every((cell, index) => {
      const other = own[index] ?? "";
      return (isAge(cell) && isAge(other)) || matchText(cell, other, bindings);
    })
  );
}
