/** From the command to the prompt, for an app of one object: `slipway synth` with a TypeScript program. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { row } from "../lib/statistics.mjs";

const require = createRequire(import.meta.url);

const RUNS_IN_A_TURN = 5;

const fileBeside = (name) => fileURLToPath(new URL(name, import.meta.url));

/** @param {{ size: number, turns: number, log: (text: string) => void, work: string }} options */
export function compareStart({ size, turns, log, work }) {
  const folder = join(work, "start");
  const slipway = join(dirname(require.resolve("@slipway/cli/package.json")), "dist", "bin.js");
  const commands = {
    ours: [slipway, "synth", fileBeside("small-app.ts"), "--output", folder],
    "node, nothing to do": ["--eval", "0"],
    "node with cdk8s, the same app in JavaScript": [fileBeside("small-app-cdk8s.cjs"), folder],
  };
  const taken = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let turn = 1; turn <= turns * RUNS_IN_A_TURN; turn += 1) {
    for (const [name, command] of Object.entries(commands)) {
      const start = performance.now();
      execFileSync(process.execPath, command, { stdio: "pipe" });
      taken[name].push(performance.now() - start);
    }
  }
  if (!existsSync(join(folder, "shop.k8s.yaml"))) throw new Error("slipway synth has not written shop.k8s.yaml.");
  const { ours, ...peers } = taken;
  return Object.entries(peers).map(([peerName, peer]) => {
    const each = row({ name: "slipway synth, start to end", size, unit: "ms", peerName, ours, peer });
    log(`slipway synth ${each.ours.median.toFixed(0)} ms, ${peerName} ${each.peer.median.toFixed(0)} ms`);
    return each;
  });
}
