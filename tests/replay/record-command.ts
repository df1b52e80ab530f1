import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { httpsSender, readKubeconfig } from "./https-sender.ts";
import { recordSequence } from "./record-sequence.ts";

const usage = `Usage: npm run record -- --kubeconfig FILE --sequence FILE [--out FILE]

Sends the steps of a sequence to a live server and writes what came back, in the format of tests/recordings/kube. Of the
lines only what is sent is read; a recording can be recorded again. Without --out the lines go to standard output.
`;

export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", default: false },
      kubeconfig: { type: "string" },
      out: { type: "string" },
      sequence: { type: "string" },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  if (values.kubeconfig === undefined || values.sequence === undefined) {
    process.stderr.write(usage);
    return 2;
  }
  const lines = readFileSync(values.sequence, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  const sender = httpsSender(readKubeconfig(values.kubeconfig));
  try {
    const text = `${(await recordSequence(lines, sender)).join("\n")}\n`;
    if (values.out === undefined) process.stdout.write(text);
    else writeFileSync(values.out, text);
    process.stderr.write(`${lines.length} steps recorded\n`);
    return 0;
  } finally {
    sender.close();
  }
}
