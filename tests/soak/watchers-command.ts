import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Http2Connections } from "./http2-connections.ts";
import { createRandom, type Random } from "./random.ts";
import { matches, type Seen, type Selection } from "./selection.ts";
import { type Counts, Watcher } from "./watcher.ts";

/** What the process prints, one a line. */
export type WatchersLine =
  | { readonly problem: string }
  | { readonly done: Counts & { readonly converged: number; readonly watchers: number } };

const watchersPerConnection = 20;
const convergeMs = 60_000;

/**
 * Many watchers in a process of their own: `--kubeconfig FILE --watchers N --seed N`. A line on its standard input, the
 * JSON of everything that is stored, says that the writes are over: every watcher then has to come to that state. The
 * end of its standard input ends it.
 */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { kubeconfig: { type: "string" }, watchers: { type: "string" }, seed: { type: "string" } },
  });
  const count = Number(values.watchers);
  const random = createRandom(Number(values.seed));
  const say = (line: WatchersLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
  const connections = await Http2Connections.fromKubeconfig(
    values.kubeconfig ?? "",
    Math.ceil(count / watchersPerConnection),
  );
  const counts: Counts = {
    events: 0,
    bookmarks: 0,
    lists: 0,
    streamedLists: 0,
    watches: 0,
    disconnects: 0,
    expired: 0,
  };
  const watchers = Array.from({ length: count }, (_, number) => {
    const selection = selectionOf(number, random);
    return {
      selection,
      watcher: new Watcher({
        number,
        selection,
        isStreaming: number % 2 === 1,
        connections,
        random: createRandom(random.below(2 ** 32)),
        counts,
        report: (problem) => say({ problem: `watcher ${number} of ${JSON.stringify(selection)}: ${problem}` }),
      }),
    };
  });
  const running = watchers.map(({ watcher }) => watcher.run());
  for await (const line of createInterface({ input: process.stdin })) {
    const stored: readonly Seen[] = JSON.parse(line);
    for (const { watcher } of watchers) watcher.isCalm = true;
    const outcomes = await Promise.all(
      watchers.map(async ({ watcher, selection }) => {
        const missing = await converge(
          watcher,
          stored.filter((item) => matches(selection, item)),
        );
        if (missing !== undefined) {
          say({ problem: `a watcher of ${JSON.stringify(selection)} did not converge: ${missing}` });
        }
        return missing;
      }),
    );
    const converged = outcomes.filter((missing) => missing === undefined).length;
    say({ done: { ...counts, converged, watchers: count } });
  }
  for (const { watcher } of watchers) watcher.stop();
  connections.close();
  await Promise.all(running);
  return 0;
}

export const namespaces = ["red", "green", "blue"] as const;
export const tiers = ["gold", "lead"] as const;
export const namesPerNamespace = 12;

function selectionOf(number: number, random: Random): Selection {
  const namespace = random.pick(namespaces);
  switch (number % 5) {
    case 0:
      return {};
    case 1:
      return { namespace };
    case 2:
      return { tier: random.pick(tiers) };
    case 3:
      return { namespace, tier: random.pick(tiers) };
    default:
      return { namespace, name: `w${random.below(namesPerNamespace)}` };
  }
}

/** `undefined` when it has the wanted state in time; otherwise what it has. */
async function converge(watcher: Watcher, wanted: readonly Seen[]): Promise<string | undefined> {
  const text = (items: Iterable<Seen>): string =>
    [...items]
      .map(({ namespace, name, step, version }) => `${namespace}/${name} ${step} ${version}`)
      .toSorted((a, b) => (a < b ? -1 : 1))
      .join(", ");
  const expected = text(wanted);
  const deadline = performance.now() + convergeMs;
  for (;;) {
    const present = text(watcher.check.state().values());
    if (present === expected) return undefined;
    if (performance.now() > deadline) return `${present || "nothing"} instead of ${expected || "nothing"}`;
    await sleep(20);
  }
}
