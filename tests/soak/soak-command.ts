import { parseArgs } from "node:util";
import { soak } from "./soak.ts";

const usage = `Usage: npm run soak -- [OPTIONS]

Hundreds of watchers in one process, a server in another that is ended, killed and loses its history, and writers. Every
watcher has to see each change once and in order, and to come to the stored state in the end.

  --minutes N    how long there are writes (default 1)
  --watchers N   how many watchers (default 300)
  --seed N       decides what happens (default: the time)
`;

export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", default: false },
      minutes: { type: "string", default: "1" },
      watchers: { type: "string", default: "300" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const tell = (line: string): void => void process.stdout.write(`${line}\n`);
  tell(`seed ${values.seed}`);
  const { problems, ...counts } = await soak({
    seed: Number(values.seed),
    durationMs: Number(values.minutes) * 60_000,
    atLeast: { writes: 0, ends: 0 },
    watchers: Number(values.watchers),
    pauseMs: 1_000,
    disturbMs: 8_000,
    tell,
  });
  for (const [name, count] of Object.entries(counts)) tell(`${name}: ${count}`);
  tell(`problems: ${problems.length}`);
  return problems.length === 0 && counts.converged === counts.watchers ? 0 : 1;
}
