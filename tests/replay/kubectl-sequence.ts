import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { formatJson, isJsonObject, type JsonObject, type JsonValue } from "@slipway/objects";
import { Bindings } from "./bindings.ts";
import type { Difference } from "./difference.ts";
import { compareOutput } from "./output-comparison.ts";
import type { KubectlStep, Recording } from "./recording.ts";
import { tryJson } from "./response-comparison.ts";
import type { StepResult } from "./run-sequence.ts";
import { readBytes, type Sender } from "./sender.ts";
import { compareValues } from "./value-comparison.ts";

/** A server that kubectl can reach. */
export interface ListeningServer {
  readonly url: string;
  /** Of an administrator, as `formatKubeconfig` writes it. */
  readonly kubeconfig: string;
  readonly sender: Sender;
}

export interface KubectlSequenceOptions {
  readonly kubectl: string;
  readonly cluster: ListeningServer;
  /** The API groups that the recording is about. */
  readonly groups: readonly string[];
}

/** How long the invocations of `during` wait until the one around them is at work. */
const HEAD_START_MS = 1_500;
const INVOCATION_TIMEOUT_MS = 30_000;

interface Outcome {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the recorded invocations of kubectl in order and compares what they print and leave behind. */
export async function runKubectlSequence(recording: Recording, options: KubectlSequenceOptions): Promise<StepResult[]> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-kubectl-"));
  try {
    const sequence = new KubectlSequence(recording, folder, options);
    await sequence.prepare();
    for (const step of recording.steps) if (step.type === "kubectl") await sequence.run(step);
    return sequence.results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Where the invocations of a recording are at work. */
export function namespaceOf({ name }: Pick<Recording, "name">): string {
  return `rec-${name.split("/").at(-1)}`;
}

class KubectlSequence {
  readonly results: StepResult[] = [];
  readonly #options: KubectlSequenceOptions;
  readonly #namespace: string;
  readonly #folder: string;
  #bindings = new Bindings();

  constructor(recording: Recording, folder: string, options: KubectlSequenceOptions) {
    this.#options = options;
    this.#folder = folder;
    this.#namespace = namespaceOf(recording);
  }

  async prepare(): Promise<void> {
    for (const name of ["work", "tmp"]) await mkdir(join(this.#folder, name));
    const kubeconfig = this.#options.cluster.kubeconfig.replace("namespace: default", `namespace: ${this.#namespace}`);
    await writeFile(join(this.#folder, "kubeconfig"), kubeconfig);
    await this.#create("/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: this.#namespace },
    });
  }

  async run(step: KubectlStep): Promise<void> {
    if (step.setup !== undefined) {
      await this.#setUp(step.setup);
      await this.#setUpEvent(step.about);
      return;
    }
    for (const [name, text] of Object.entries(step.files)) {
      const path = join(this.#folder, "work", name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      if (text.startsWith("#!")) await chmod(path, 0o755);
    }
    for (const text of [step.stdin ?? "", ...Object.values(step.files)]) {
      const prefix = /\bgenerateName: *"?([a-z0-9.-]+)/.exec(text)?.[1];
      if (prefix !== undefined) this.#bindings.noteGenerated(prefix);
    }
    const outcome = await this.#invoke(step);
    const differences = await this.#compare(step, outcome);
    this.results.push({
      id: step.id,
      about: step.about,
      outcome: differences.length === 0 ? "passed" : "failed",
      isPreparation: false,
      differences,
      request: `kubectl ${step.args.join(" ")}`.slice(0, 120),
    });
  }

  async #setUp({ objects, statuses }: NonNullable<KubectlStep["setup"]>): Promise<void> {
    for (const object of objects) await this.#create(this.#collection("widgets"), object);
    for (const named of statuses) {
      for (const [name, status] of Object.entries(isJsonObject(named) ? named : {})) {
        await this.#send("PATCH", `${this.#collection("widgets")}/${name}/status`, { status: status ?? null });
      }
    }
  }

  /** An event was recorded in words only. */
  async #setUpEvent(about: string): Promise<void> {
    const [, name, reason, message] = /^an Event about (\S+): reason (\S+), message "(.*)"$/.exec(about) ?? [];
    if (name === undefined || reason === undefined || message === undefined) return;
    const namespace = this.#namespace;
    const at = "2020-01-01T00:00:00Z";
    await this.#create(`/api/v1/namespaces/${namespace}/events`, {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "e", namespace },
      involvedObject: { apiVersion: "record.example.dev/v1", kind: "Widget", name, namespace },
      type: "Normal",
      reason,
      message,
      firstTimestamp: at,
      lastTimestamp: at,
    });
  }

  #collection(plural: string): string {
    return `/apis/record.example.dev/v1/namespaces/${this.#namespace}/${plural}`;
  }

  async #create(path: string, object: JsonObject): Promise<void> {
    await this.#send("POST", path, object);
  }

  async #send(method: string, path: string, body?: JsonValue): Promise<{ status: number; body: JsonValue }> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const response = await this.#options.cluster.sender.send({
      method,
      path,
      headers: body === undefined ? {} : { "User-Agent": "setup/1", "Content-Type": type },
      body: body === undefined ? undefined : formatJson(body),
    });
    const text = Buffer.from(await readBytes(response)).toString("utf8");
    return { status: response.status, body: tryJson(text) ?? text };
  }

  async #invoke(step: KubectlStep): Promise<Outcome> {
    const home = await mkdtemp(join(this.#folder, "home-"));
    const child = spawn(this.#options.kubectl, step.args, {
      cwd: join(this.#folder, "work"),
      env: {
        PATH: process.env.PATH,
        HOME: home,
        TMPDIR: join(this.#folder, "tmp"),
        KUBECONFIG: join(this.#folder, "kubeconfig"),
        TERM: "dumb",
        NO_COLOR: "1",
        TZ: "UTC",
        ...step.env,
      },
      stdio: [step.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    child.stdin?.end(step.stdin);
    const outcome = outcomeOf(child);
    const timer = setTimeout(() => child.kill("SIGKILL"), INVOCATION_TIMEOUT_MS);
    try {
      if (step.during.length > 0 || step.stoppedAfterMs !== undefined) {
        await sleep(HEAD_START_MS);
        for (const inner of step.during) await this.run(inner);
        if (step.stoppedAfterMs !== undefined) {
          await sleep(step.stoppedAfterMs);
          child.kill("SIGINT");
        }
      }
      return this.#neutral(await outcome);
    } finally {
      clearTimeout(timer);
      await rm(home, { recursive: true, force: true });
    }
  }

  /** Addresses and folders of this run as the recordings have them. */
  #neutral(outcome: Outcome): Outcome {
    const { url } = this.#options.cluster;
    const text = (value: string): string =>
      value
        .replaceAll(url, "https://API-SERVER")
        .replaceAll(url.replace("https://", ""), "API-SERVER")
        .replaceAll(join(this.#folder, "tmp"), "TMP")
        .replaceAll(join(this.#folder, "work"), "WORKDIR")
        .replace(/TMP\/(LIVE|MERGED)-\d+/g, "TMP/$1");
    return { ...outcome, stdout: text(outcome.stdout), stderr: text(outcome.stderr) };
  }

  async #compare(step: KubectlStep, outcome: Outcome): Promise<Difference[]> {
    const trial = this.#bindings.copy();
    const differences: Difference[] = [];
    if (step.exitCode !== outcome.exitCode) {
      differences.push({ path: "exit code", expected: String(step.exitCode), got: String(outcome.exitCode) });
    }
    differences.push(...compareOutput("stdout", step.stdout, outcome.stdout, trial));
    differences.push(...compareOutput("stderr", step.stderr, outcome.stderr, trial));
    if (step.serverState !== undefined) {
      const { path, status, body } = step.serverState;
      const ours = await this.#send("GET", path);
      if (ours.status !== status) {
        differences.push({ path: "server state", expected: String(status), got: String(ours.status) });
      } else {
        const options = { bindings: trial, groups: this.#options.groups };
        differences.push(...compareValues(body, ours.body, "server state", options));
      }
    }
    if (step.exitCode === outcome.exitCode) this.#bindings = trial;
    return differences;
  }
}

async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode, signal) => {
      const text = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString("utf8");
      resolve({ exitCode, signal, stdout: text(stdout), stderr: text(stderr) });
    });
  });
}
