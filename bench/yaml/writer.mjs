/**
 * Objects to the bytes of a YAML stream, by ours, yaml (as cdk8s calls it), js-yaml and JSON.stringify (one object a
 * line, for scale). Each run is a process of its own that makes the objects first, and is timed from there to the last
 * byte; the first time, as a command has it. The writers take turns.
 *
 * `node bench/yaml/writer.mjs [--size 16000] [--turns 5]` prints the table; build first.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { row } from "../lib/statistics.mjs";
import { deployment } from "./deployments.mjs";

const writers = {
  async ours() {
    const { formatYamlChunks } = await import("@slipway/objects");
    return formatYamlChunks;
  },
  async yaml() {
    const { stringify } = await import("yaml");
    const options = { version: "1.1", keepUndefined: true, lineWidth: 0 };
    return (objects) => joined(objects, (object) => stringify(object, options), "---\n");
  },
  async "js-yaml"() {
    const { dump } = await import("js-yaml");
    return (objects) => joined(objects, (object) => dump(object, { lineWidth: -1, noRefs: true }), "---\n");
  },
  async "JSON.stringify"() {
    return (objects) => joined(objects, JSON.stringify, "\n");
  },
};

/** In pieces of the size that ours come in. */
function* joined(objects, format, separator) {
  let piece = [];
  let length = 0;
  for (const object of objects) {
    const text = format(object);
    piece.push(text);
    length += text.length;
    if (length < 65_536) continue;
    yield piece.join(separator) + separator;
    piece = [];
    length = 0;
  }
  yield piece.join(separator);
}

/** In this process: milliseconds, and the bytes written. */
async function time(name, size) {
  const write = await writers[name]();
  const objects = Array.from({ length: size }, (_, index) => deployment(index));
  const start = performance.now();
  let bytes = 0;
  for (const piece of write(objects)) bytes += Buffer.from(piece).length;
  return { ms: performance.now() - start, bytes };
}

const self = fileURLToPath(import.meta.url);
const timeInProcess = (name, size) =>
  JSON.parse(execFileSync(process.execPath, [self, "--time", name, "--size", `${size}`], { encoding: "utf8" }));

export const sizes = [1000, 4000, 16_000];

/** @param {{ size: number, turns: number, log: (text: string) => void }} options */
export async function run({ size, turns, log }) {
  const runs = Object.fromEntries(Object.keys(writers).map((name) => [name, []]));
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [name, times] of Object.entries(runs)) {
      const { ms, bytes } = timeInProcess(name, size);
      times.push(ms);
      log(`turn ${turn + 1}: ${name} ${ms.toFixed(0)} ms, ${bytes} bytes`);
    }
  }
  const { ours, ...peers } = runs;
  return Object.entries(peers).map(([peerName, peer]) =>
    row({ name: "write Deployments as YAML", size, unit: "ms", peerName, ours, peer }),
  );
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
      for (const { peerName, ours, peer, ratio } of await run({ size, turns: Number(values.turns), log })) {
        const figures = [ours, peer].map(({ median }) => `${median.toFixed(0)} ms`).join(" against ");
        const spread = `${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)}`;
        process.stdout.write(
          `${size} by ours and ${peerName}: ${figures}, ratio ${ratio.median.toFixed(2)} (${spread})\n`,
        );
      }
    }
  }
}
