import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

export interface ServerProcessOptions {
  /** Folder for objects, certificates and the kubeconfig. */
  readonly data: string;
  /** @default any free one */
  readonly port?: number | undefined;
  /** How many revisions are kept. @default that of the storage */
  readonly history?: number | undefined;
}

/** The server of `server-command.ts` in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  readonly port: number;
  readonly kubeconfig: string;
  /** Everything that it has complained about. */
  complaints(): string;
  /** Asks it to forget its history; it does so soon. */
  compact(): void;
  /** Ends it as an operator does, or from one moment to the next; resolves when it has ended. */
  stop(how: "politely" | "at once"): Promise<void>;
}

const script = resolve(import.meta.dirname, "../../scripts/test-process.mjs");

/** Resolves when it is ready. Rejects with what it has said when it ends before. */
export async function startServerProcess({ data, port, history }: ServerProcessOptions): Promise<ServerProcess> {
  const args = [
    "clients/server",
    ...["--data", data],
    ...(port === undefined ? [] : ["--port", String(port)]),
    ...(history === undefined ? [] : ["--history", String(history)]),
  ];
  const child = spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const ended = once(child, "close");
  child.stdin.on("error", () => {}); // it may be gone
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    complaints += text;
  });
  const { url, kubeconfig } = await firstLine(child, () => complaints);
  return {
    url,
    port: Number(new URL(url).port),
    kubeconfig,
    complaints: () => complaints,
    compact: () => void child.stdin.write("compact\n"),
    async stop(how) {
      if (how === "at once") child.kill("SIGKILL");
      child.stdin.end();
      await ended;
    },
  };
}

async function firstLine(
  { stdout }: ChildProcess,
  complaints: () => string,
): Promise<{ readonly url: string; readonly kubeconfig: string }> {
  if (stdout === null) throw new TypeError("its output is not there");
  for await (const line of createInterface({ input: stdout })) return JSON.parse(line);
  throw new Error(`the server has ended before it was ready:\n${complaints()}`);
}
