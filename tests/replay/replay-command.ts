import { writeFileSync } from "node:fs";
import { basename, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { formatDifference } from "./difference.ts";
import {
  judge,
  listedIn,
  readExpectedDifferences,
  reasonFor,
  withoutPassing,
  writeExpectedDifferences,
} from "./expected-differences.ts";
import { liveServer } from "./https-sender.ts";
import { mapBounded } from "./map-bounded.ts";
import { readRecordings } from "./read-recording.ts";
import type { Recording } from "./recording.ts";
import { countsOf, type FileResult, replayInProcess, replayOnServer } from "./replay-file.ts";
import { buildReport } from "./report.ts";

const recordingsFolder = fileURLToPath(new URL("../recordings", import.meta.url));

const usage = `Usage: npm run replay -- [OPTIONS] [DIR…]

Replays recordings, those of the project by default, and prints how many cases of each file are answered as recorded.
A folder may hold recordings of kube-apiserver, of kubectl and of cozystack-api.

  --differences       print every difference
  --report FILE       write counts and differences, grouped by cause, as JSON
  --kubeconfig FILE   against this server instead of one in process; only recordings of kube-apiserver and kubectl,
                      whose kinds it serves and whose namespaces it does not have. For recordings of kubectl it is
                      \`npm start -- --data EMPTY --definitions tests/recordings/kube/crds\`
  --prune             take off expected-differences.json what passes by now
  --jobs N            how many files at once (default 4)

Exit code 1: a case differs that expected-differences.json does not list, or one passes that it lists.
`;

export async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      differences: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
      jobs: { type: "string", default: "4" },
      kubeconfig: { type: "string" },
      prune: { type: "boolean", default: false },
      report: { type: "string" },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const sets = positionals.length > 0 ? positionals : ["kube", "cozystack"].map((set) => `${recordingsFolder}/${set}`);
  const recordings = sets.flatMap((folder) => readRecordings(folder, nameOf(folder)));
  const expected = readExpectedDifferences();
  const files =
    values.kubeconfig === undefined
      ? await mapBounded(recordings, Number(values.jobs), (recording) =>
          replayInProcess(recording, { isListed: listedIn(expected, recording.name) }),
        )
      : await replayAllOnServer(recordings, values.kubeconfig);
  const verdicts = files.map((file) => ({ file, ...judge(file, expected) }));
  for (const file of files) {
    process.stdout.write(lineOf(file));
    if (values.differences) process.stdout.write(differencesOf(file));
  }
  process.stdout.write(totalOf(files));
  for (const { file, unexpected, nowPassing } of verdicts) {
    for (const { id } of unexpected) process.stdout.write(`differs, and is not listed: ${file.name}:${id}\n`);
    for (const id of nowPassing) process.stdout.write(`passes, and is listed:      ${file.name}:${id}\n`);
  }
  if (values.report !== undefined) {
    const report = buildReport(files, (name, id) => reasonFor(expected, name, id));
    writeFileSync(values.report, `${JSON.stringify(report, undefined, 2)}\n`);
  }
  if (values.prune) writeExpectedDifferences(withoutPassing(expected, files));
  return verdicts.some(({ unexpected, nowPassing }) => unexpected.length + nowPassing.length > 0) ? 1 : 0;
}

/** One after the other: all of them see the same server. */
async function replayAllOnServer(recordings: readonly Recording[], kubeconfig: string): Promise<FileResult[]> {
  const server = liveServer(kubeconfig);
  try {
    return await mapBounded(recordings, 1, (recording) => replayOnServer(recording, server));
  } finally {
    server.close();
  }
}

/** What names of cases begin with: below the project's own recordings the path from there, else the folder's name. */
function nameOf(folder: string): string {
  const path = relative(recordingsFolder, resolve(folder)).replace(/\.jsonl$/, "");
  return path.startsWith("..") ? basename(folder, ".jsonl") : path;
}

function lineOf(file: FileResult): string {
  const { passed, total } = countsOf(file);
  const count = file.skipped === undefined ? `${passed}/${total}` : `${file.cases} skipped: ${file.skipped}`;
  return `${file.name.padEnd(36)} ${count}\n`;
}

function totalOf(files: readonly FileResult[]): string {
  const counts = files.map(countsOf);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  const skipped = sum(files.map(({ skipped: why, cases }) => (why === undefined ? 0 : cases)));
  const all = `${sum(counts.map(({ passed }) => passed))}/${sum(counts.map(({ total }) => total))}`;
  return `${"in all".padEnd(36)} ${all}${skipped === 0 ? "" : `, ${skipped} skipped`}\n`;
}

function differencesOf({ results }: FileResult): string {
  return results
    .filter(({ outcome }) => outcome === "failed")
    .map(({ id, about, request, differences }) =>
      [`  ${id} (${about}) ${request}`, ...differences.map(formatDifference), ""].join("\n"),
    )
    .join("");
}
