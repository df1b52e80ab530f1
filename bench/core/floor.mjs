/**
 * The least that a program of `programs.mjs` can do: the construct tree with the address of each construct, which names
 * are made of, and as many bytes written to as many files. No objects, no text made.
 *
 * `node bench/core/floor.mjs --size 1000 --charts 40 --like DIR --outdir DIR`.
 */
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Construct } from "constructs";
import { mainThreadMs } from "../lib/main-thread.mjs";

const { values } = parseArgs({
  options: {
    size: { type: "string" },
    charts: { type: "string" },
    like: { type: "string" },
    outdir: { type: "string" },
  },
});
const [size, count] = [Number(values.size), Number(values.charts)];

const app = new Construct(undefined, "");
let addresses = 0;
for (let index = 0; index < count; index += 1) {
  const chart = new Construct(app, `chart-${index}`);
  for (let each = 0; each < size / count; each += 1) {
    addresses += new Construct(chart, `object-${index}-${each}`).node.addr.length;
  }
}
if (addresses !== size * 42) throw new Error(`${size} constructs have addresses of ${addresses} characters.`);

for (const file of readdirSync(values.like)) {
  writeFileSync(join(values.outdir, file), "x".repeat(statSync(join(values.like, file)).size));
}
process.stdout.write(JSON.stringify({ mainMs: mainThreadMs() }));
