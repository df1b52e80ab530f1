/**
 * `npm run bench -- server [--size 7000] [--turns 3]`: runs the named benchmarks, writes bench/results/NAME.json and the
 * table in bench/README.md.
 */
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";

const { positionals, values } = readArguments();
const here = new URL("./", import.meta.url);
const known = (await readdir(here))
  .filter((file) => file.endsWith(".mjs") && file !== "run.mjs")
  .map((file) => file.slice(0, -4));
if (positionals.length === 0 || positionals.some((name) => !known.includes(name))) {
  process.stderr.write(`usage: npm run bench -- NAME… [--size N] [--turns N]\nbenchmarks: ${known.join(", ")}\n`);
  process.exit(2);
}

for (const name of positionals) {
  const { run, sizes } = await import(new URL(`${name}.mjs`, here).href);
  const rows = [];
  for (const size of values.size === undefined ? sizes : [Number(values.size)]) {
    const log = (text) => process.stderr.write(`  ${name} ${size}: ${text}\n`);
    rows.push(...(await run({ size, turns: Number(values.turns), log })));
  }
  await mkdir(new URL("results/", here), { recursive: true });
  const machine = {
    cpu: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
    memoryGb: Math.round(totalmem() / 1e9),
    node: process.version,
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim(),
  };
  await writeFile(new URL(`results/${name}.json`, here), `${JSON.stringify({ machine, rows }, undefined, 2)}\n`);
}
await writeTables();

function readArguments() {
  const options = { size: { type: "string" }, turns: { type: "string", default: "3" } };
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch {
    return { positionals: [], values: {} };
  }
}

/** Two digits that count, and no exponent. */
function small(value) {
  return value === 0 ? "0" : value.toFixed(Math.min(1 - Math.floor(Math.log10(value)), 9));
}

/** Rewrites what stands between the marks in README.md from everything in results/. */
async function writeTables() {
  const readme = new URL("README.md", here);
  const sections = [];
  for (const file of (await readdir(new URL("results/", here))).filter((name) => name.endsWith(".json")).sort()) {
    const { machine, rows } = JSON.parse(await readFile(new URL(`results/${file}`, here), "utf8"));
    const number = (value) =>
      value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value >= 0.1 ? value.toFixed(2) : small(value);
    const spread = ({ median, low, high }) => `${number(median)} (${number(low)}–${number(high)})`;
    sections.push(
      `### ${file.slice(0, -5)}\n\n${machine.cpu}, ${machine.memoryGb} GB, Node ${machine.node}, commit ${machine.commit}\n\n` +
        "| work | size | unit | ours | peer | ratio | peer is |\n| --- | ---: | --- | ---: | ---: | ---: | --- |\n" +
        rows
          .map(
            (r) =>
              `| ${r.name} | ${r.size} | ${r.unit} | ${spread(r.ours)} | ${spread(r.peer)} | ${spread(r.ratio)} | ${r.peerName} |`,
          )
          .join("\n"),
    );
  }
  const text = await readFile(readme, "utf8");
  const [before, , after] = text.split(/<!-- results (?:begin|end) -->\n?/);
  await writeFile(
    readme,
    `${before}<!-- results begin -->\n${sections.join("\n\n")}\n<!-- results end -->\n${after ?? ""}`,
  );
}
