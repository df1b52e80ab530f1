import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { type ServerProcess, startServerProcess } from "../clients/server-process.ts";
import { HttpsClient } from "../support/control-plane-process.ts";
import { createRandom, type Random } from "./random.ts";
import type { Counts } from "./watcher.ts";
import { namesPerNamespace, namespaces, type WatchersLine } from "./watchers-command.ts";
import { Writer } from "./writer.ts";

export interface SoakOptions {
  /** Decides what happens, not when. */
  readonly seed: number;
  /** How long there are writes at least, in milliseconds. */
  readonly durationMs: number;
  /** How many writes there are at least, and how often the server is ended, however long that takes. */
  readonly atLeast: { readonly writes: number; readonly ends: number };
  readonly watchers: number;
  /** The longest pause of each of the 36 writers between two of its writes, in milliseconds. */
  readonly pauseMs: number;
  /** The longest pause between two disturbances of the server, in milliseconds. */
  readonly disturbMs: number;
  readonly tell: (line: string) => void;
}

export interface SoakResult extends Counts {
  readonly writes: number;
  /** Writes whose answer was lost. */
  readonly lost: number;
  readonly restarts: number;
  readonly kills: number;
  readonly compactions: number;
  readonly watchers: number;
  /** Watchers that came to the stored state. */
  readonly converged: number;
  /** What must not have been. */
  readonly problems: readonly string[];
}

/** Older versions are refused soon, so that watchers who stay away have to list again. */
const keptRevisions = 300;

/**
 * A server, many watchers and 36 writers, each in its way disturbed: the server is ended, killed and loses its history,
 * watchers leave and come back. In the end every watcher has to be where the storage is, without a gap on the way.
 */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const random = createRandom(options.seed);
  const problems: string[] = [];
  const report = (problem: string): void => {
    problems.push(problem);
    if (problems.length < 20) options.tell(problem);
  };
  const data = await mkdtemp(join(tmpdir(), "slipway-soak-"));
  const servers = new RestartedServer(data, report);
  try {
    await servers.start();
    await createNamespaces(servers.client);
    const watchers = startWatchers(servers.kubeconfig, options, report);
    const writers = namespaces.flatMap((namespace) =>
      Array.from(
        { length: namesPerNamespace },
        (_, index) =>
          new Writer({
            namespace,
            name: `w${index}`,
            random: createRandom(random.below(2 ** 32)),
            client: () => servers.client,
            report,
            pauseMs: options.pauseMs,
          }),
      ),
    );
    const writing = writers.map((writer) => writer.run());
    const writes = (): number => writers.reduce((sum, { counts }) => sum + counts.writes, 0);
    await disturb(servers, random, options, writes);
    for (const writer of writers) writer.stop();
    await Promise.all(writing);
    const stored = writers.flatMap(({ stored }) => stored ?? []);
    const { watchers: count, converged, ...counts } = await watchers.finish(stored);
    await servers.stop("politely");
    return {
      ...counts,
      writes: writes(),
      lost: writers.reduce((sum, { counts }) => sum + counts.lost, 0),
      ...servers.counts,
      watchers: count,
      converged,
      problems,
    };
  } finally {
    await servers.stop("at once");
    await rm(data, { recursive: true, force: true });
  }
}

async function disturb(
  servers: RestartedServer,
  random: Random,
  options: SoakOptions,
  writes: () => number,
): Promise<void> {
  const end = performance.now() + options.durationMs;
  let told = performance.now();
  for (;;) {
    await sleep(random.below(options.disturbMs));
    const { restarts, kills } = servers.counts;
    const isEnough = writes() >= options.atLeast.writes && restarts + kills >= options.atLeast.ends;
    if (performance.now() >= end && isEnough) return;
    if (performance.now() - told > 30_000) {
      told = performance.now();
      options.tell(`${Math.max(Math.round((end - told) / 1000), 0)} s left: ${JSON.stringify(servers.counts)}`);
    }
    switch (random.below(4)) {
      case 0:
        await servers.restart("politely");
        break;
      case 1:
        await servers.restart("at once");
        break;
      default:
        servers.compact();
    }
  }
}

/** One server after the other on one port and one folder. */
class RestartedServer {
  readonly #data: string;
  readonly #report: (problem: string) => void;
  #server: ServerProcess | undefined;
  #client: HttpsClient | undefined;
  #port: number | undefined;
  readonly counts = { restarts: 0, kills: 0, compactions: 0 };

  constructor(data: string, report: (problem: string) => void) {
    this.#data = data;
    this.#report = report;
  }

  get client(): HttpsClient {
    if (this.#client === undefined) throw new TypeError("there was no server yet");
    return this.#client;
  }

  get kubeconfig(): string {
    return this.#server?.kubeconfig ?? "";
  }

  async start(): Promise<void> {
    this.#server = await startServerProcess({ data: this.#data, port: this.#port, history: keptRevisions });
    this.#port = this.#server.port;
    this.#client ??= await HttpsClient.fromKubeconfig(this.#server.kubeconfig);
  }

  async stop(how: "politely" | "at once"): Promise<void> {
    await this.#server?.stop(how);
    const complaints = this.#server?.complaints() ?? "";
    this.#server = undefined;
    if (complaints !== "") this.#report(`the server says: ${complaints}`);
  }

  async restart(how: "politely" | "at once"): Promise<void> {
    this.counts[how === "politely" ? "restarts" : "kills"]++;
    await this.stop(how);
    await this.start();
  }

  compact(): void {
    this.counts.compactions++;
    this.#server?.compact();
  }
}

async function createNamespaces(client: HttpsClient): Promise<void> {
  for (const name of namespaces) {
    await client.send("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
}

interface WatchersProcess {
  /** Tells what is stored in the end; resolves when the watchers are there, or have given up. */
  finish(stored: readonly object[]): Promise<Extract<WatchersLine, { done: unknown }>["done"]>;
}

const script = resolve(import.meta.dirname, "../../scripts/test-process.mjs");

function startWatchers(
  kubeconfig: string,
  { watchers, seed }: SoakOptions,
  report: (problem: string) => void,
): WatchersProcess {
  const args = ["--kubeconfig", kubeconfig, "--watchers", String(watchers), "--seed", String(seed)];
  const child: ChildProcess = spawn(process.execPath, [script, "soak/watchers", ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new TypeError("its input and output are not there");
  stdin.on("error", () => {});
  const ended = once(child, "close");
  const done = new Promise<Extract<WatchersLine, { done: unknown }>["done"]>((resolve, reject) => {
    createInterface({ input: stdout }).on("line", (text) => {
      const line: WatchersLine = JSON.parse(text);
      if ("problem" in line) report(line.problem);
      else resolve(line.done);
    });
    void ended.then(([code]) => reject(new Error(`the watchers have ended with ${code}`)));
  });
  done.catch(() => {}); // seen by `finish`
  return {
    async finish(stored) {
      stdin.write(`${JSON.stringify(stored)}\n`);
      try {
        return await done;
      } finally {
        stdin.end();
        await ended;
      }
    },
  };
}
