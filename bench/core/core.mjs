/**
 * Synthesis by ours, @slipway/core and the drop-in @slipway/cdk8s, and by cdk8s. Each run is a process of its own, as
 * `node app.js` is; the libraries take turns, and what they write must be the same, byte for byte. Build first.
 *
 * CPU is that of the main thread alone. Heap is that in use after `synth()` and a collection, less what was in use
 * before the app was made.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { row } from "../lib/statistics.mjs";
import { compareStart } from "./start.mjs";

const core = "@slipway/core";
const dropIn = "@slipway/cdk8s";

/**
 * Sizes are in objects. `once` are those at which cdk8s takes so long that it gets one turn. `peer` is another program
 * by the same library, where cdk8s cannot go. `charts` asks for the floor, which has that many.
 */
const comparisons = [
  {
    name: "Deployments in 40 charts",
    program: "deployments",
    sizes: [1000, 4000, 16_000],
    ours: [core, dropIn],
    charts: 40,
  },
  {
    name: "Deployments in 40 charts, with their lines",
    program: "traced deployments",
    sizes: [16_000],
    ours: [core],
    peer: { program: "deployments", name: "the same without lines" },
  },
  {
    name: "charts of 5 objects",
    program: "independent charts",
    sizes: [1000, 4000, 16_000],
    once: [16_000],
    ours: [core],
  },
  { name: "4 charts in a row, objects in a row", program: "chained charts", sizes: [40, 80], once: [80], ours: [core] },
  {
    name: "4 charts in a row, objects in a row",
    program: "chained charts",
    sizes: [16_000, 100_000],
    ours: [core],
    peer: { program: "charts", name: "the same with no dependency" },
  },
  { name: "objects in a row", program: "chain", sizes: [1000, 4000], ours: [core] },
  {
    name: "objects in a row",
    program: "chain",
    sizes: [16_000, 100_000],
    ours: [core],
    peer: { program: "chart", name: "the same with no dependency" },
  },
  { name: "Deployments and Services of cdk8s-plus-33", program: "plus", sizes: [200, 800, 3200], ours: [dropIn] },
];

/** That of the app whose start is measured. */
const SMALLEST = 1;

export const sizes = [...new Set([SMALLEST, ...comparisons.flatMap((each) => each.sizes)])].sort((a, b) => a - b);

/** @param {{ size: number, turns: number, log: (text: string) => void }} options */
export async function run({ size, turns, log }) {
  const work = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  try {
    if (size === SMALLEST) return compareStart({ size, turns, log, work });
    return comparisons
      .filter((each) => each.sizes.includes(size))
      .flatMap((each) => compare(each, { size, turns: each.once?.includes(size) ? 1 : turns, log, work }));
  } finally {
    rmSync(work, { recursive: true });
  }
}

function compare({ name, program, ours, peer, charts }, { size, turns, log, work }) {
  const peerName = peer?.name ?? "cdk8s";
  const measuresHeap = charts !== undefined;
  const taken = {};
  const runs = {
    ...Object.fromEntries(
      ours.map((library) => [library, () => synthesize({ library, program, size, work, measuresHeap })]),
    ),
    [peerName]: () =>
      synthesize({ library: peer ? core : "cdk8s", program: peer?.program ?? program, size, work, measuresHeap }),
    ...(charts === undefined
      ? {}
      : { floor: () => reachFloor({ size, charts, like: taken[peerName].at(-1).outdir, work }) }),
  };
  for (const each of Object.keys(runs)) taken[each] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    for (const [runName, once] of Object.entries(runs)) {
      taken[runName].push(once());
      const { processMs, synthMs } = taken[runName].at(-1);
      log(
        `${name}, turn ${turn}: ${runName} ${processMs.toFixed(0)} ms${synthMs ? `, of it ${synthMs.toFixed(0)}` : ""}`,
      );
    }
    if (peer === undefined)
      refuseDifferences(
        program,
        [...ours, "cdk8s"].map((library) => [library, taken[library].at(-1)]),
      );
  }
  const figure = (each, what) => taken[each].map((times) => times[what]);
  const rowOf = (library, title, what, unit, against = peerName) =>
    row({
      name: `${name}, ${title}${library === dropIn ? ", drop-in" : ""}`,
      size,
      unit,
      peerName: against,
      ours: figure(library, what),
      peer: figure(against, what),
    });
  return ours.flatMap((library) => [
    rowOf(library, "whole process", "processMs", "ms"),
    rowOf(library, "whole process, CPU", "mainMs", "ms"),
    rowOf(library, "synth()", "synthMs", "ms"),
    rowOf(library, "synth(), CPU", "synthMainMs", "ms"),
    ...(charts === undefined
      ? []
      : [
          rowOf(library, "whole process", "processMs", "ms", "floor"),
          rowOf(library, "whole process, CPU", "mainMs", "ms", "floor"),
          rowOf(library, "heap for each object", "heapBytes", "bytes"),
          rowOf(library, "most memory", "peakMb", "MB"),
        ]),
  ]);
}

function refuseDifferences(program, [[first, { digest }], ...others]) {
  for (const [library, times] of others) {
    if (times.digest !== digest) throw new Error(`${program}: ${first} and ${library} have written different files.`);
  }
}

function synthesize({ library, program, size, work, measuresHeap }) {
  const outdir = newFolder(work);
  const child = fileURLToPath(new URL("child.mjs", import.meta.url));
  const parameters = [child, "--library", library, "--program", program, "--size", `${size}`, "--outdir", outdir];
  const start = performance.now();
  const inside = JSON.parse(execFileSync(process.execPath, parameters, { encoding: "utf8" }));
  const processMs = performance.now() - start;
  const { digest, bytes } = readOutput(outdir);
  if (bytes === 0) throw new Error(`${program}: ${library} has written nothing.`);
  const figures = { ...inside, processMs, digest, outdir };
  if (!measuresHeap) return figures;
  const { heap } = JSON.parse(execFileSync(process.execPath, ["--expose-gc", ...parameters], { encoding: "utf8" }));
  return { ...figures, heapBytes: heap / size };
}

function readOutput(folder) {
  const hash = createHash("sha256");
  let bytes = 0;
  for (const name of readdirSync(folder).sort()) {
    const content = readFileSync(join(folder, name));
    hash.update(`${name}\0${content.length}\0`).update(content);
    bytes += content.length;
  }
  return { digest: hash.digest("hex"), bytes };
}

/** One for each run, and all are kept to the end: ext4 is slow to make files where others have just been removed. */
function newFolder(work) {
  return mkdtempSync(join(work, "run-"));
}

/** Writes as much as is in `like`. */
function reachFloor({ size, charts, like, work }) {
  const floor = fileURLToPath(new URL("floor.mjs", import.meta.url));
  const parameters = ["--size", `${size}`, "--charts", `${charts}`, "--like", like, "--outdir", newFolder(work)];
  const start = performance.now();
  const { mainMs } = JSON.parse(execFileSync(process.execPath, [floor, ...parameters], { encoding: "utf8" }));
  return { processMs: performance.now() - start, mainMs };
}
