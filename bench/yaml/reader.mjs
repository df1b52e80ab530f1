/**
 * The text of a YAML stream to its objects, by ours and js-yaml. Each run is a process of its own: it makes the text
 * first, as kubectl prints and people write it, and is timed from there to the last object; the first time, as a command
 * has it. `whole process` is the same with the start of Node and the modules. The readers take turns.
 *
 * `node bench/yaml/reader.mjs [--size 5000] [--turns 5]` prints the table; build first.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { row } from "../lib/statistics.mjs";
import { deployment } from "./deployments.mjs";

const readers = {
  async ours() {
    const { readYamlDocuments } = await import("@slipway/objects/yaml");
    return (text) => readYamlDocuments(text, { source: "bench" });
  },
  async "js-yaml"() {
    const { loadAll } = await import("js-yaml");
    return (text) => loadAll(text);
  },
};

/** In this process: milliseconds, and the number of objects. */
async function time(name, size) {
  const { formatYamlStream } = await import("@slipway/objects");
  const text = formatYamlStream(Array.from({ length: size }, (_, index) => deployment(index)));
  const read = await readers[name]();
  const start = performance.now();
  const { length } = read(text);
  return { ms: performance.now() - start, objects: length };
}

const self = fileURLToPath(import.meta.url);

function timeProcess(name, size) {
  const start = performance.now();
  const output = execFileSync(process.execPath, [self, "--time", name, "--size", `${size}`], { encoding: "utf8" });
  const { ms, objects } = JSON.parse(output);
  if (objects !== size) throw new Error(`${name} has read ${objects} of ${size} objects.`);
  return { reading: ms, process: performance.now() - start };
}

export const sizes = [1000, 5000];

/** @param {{ size: number, turns: number, log: (text: string) => void }} options */
export async function run({ size, turns, log }) {
  const runs = Object.fromEntries(Object.keys(readers).map((name) => [name, []]));
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [name, times] of Object.entries(runs)) {
      const each = timeProcess(name, size);
      times.push(each);
      log(`turn ${turn + 1}: ${name} ${each.reading.toFixed(0)} ms, process ${each.process.toFixed(0)} ms`);
    }
  }
  const rowOf = (name, what) => {
    const [ours, peer] = [runs.ours, runs["js-yaml"]].map((times) => times.map((each) => each[what]));
    return row({ name, size, unit: "ms", peerName: "js-yaml", ours, peer });
  };
  return [rowOf("read Deployments from YAML", "reading"), rowOf("the same, whole process", "process")];
}

if (process.argv[1] === self) {
  const { values } = parseArgs({
    options: { time: { type: "string" }, size: { type: "string" }, turns: { type: "string", default: "5" } },
  });
  if (values.time !== undefined) {
    process.stdout.write(JSON.stringify(await time(values.time, Number(values.size))));
  } else {
    const log = (text) => process.stderr.write(`  ${text}\n`);
    for (const size of values.size === undefined ? sizes : [Number(values.size)]) {
      for (const { name, ours, peer, ratio } of await run({ size, turns: Number(values.turns), log })) {
        const figures = [ours, peer].map(({ median }) => `${median.toFixed(0)} ms`).join(" against ");
        const spread = `${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)}`;
        process.stdout.write(`${size}, ${name}: ${figures}, ratio ${ratio.median.toFixed(2)} (${spread})\n`);
      }
    }
  }
}
