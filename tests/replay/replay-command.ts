import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readRecordings } from "./read-recording.ts";
import { countsOf, type FileResult, replayInProcess } from "./replay-file.ts";
import { buildReport } from "./report.ts";

const recordingsFolder = fileURLToPath(new URL("../recordings", import.meta.url));

export async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { report: { type: "string" }, verbose: { type: "boolean", default: false } },
  });
  const folders = positionals.length > 0 ? positionals : ["kube", "cozystack"].map((set) => `${recordingsFolder}/${set}`);
  const files: FileResult[] = [];
  for (const recording of folders.flatMap((folder) => readRecordings(folder))) {
    const result = await replayInProcess(recording);
    const { passed, total } = countsOf(result);
    process.stdout.write(`${result.name.padEnd(40)} ${passed}/${total}  ${result.seconds.toFixed(1)} s\n`);
    files.push(result);
  }
  if (values.report !== undefined) writeFileSync(values.report, `${JSON.stringify(buildReport(files), undefined, 2)}\n`);
  return 0;
}
