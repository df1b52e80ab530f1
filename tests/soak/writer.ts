import { setTimeout as sleep } from "node:timers/promises";
import type { HttpsClient, HttpsResponse } from "../support/control-plane-process.ts";
import type { Random } from "./random.ts";
import { type Seen, seen } from "./selection.ts";
import { tiers } from "./watchers-command.ts";

export interface WriterOptions {
  readonly namespace: string;
  readonly name: string;
  readonly random: Random;
  /** The way to the server; another one after it was started again. */
  readonly client: () => HttpsClient;
  readonly report: (problem: string) => void;
  /** The longest pause between two writes. */
  readonly pauseMs: number;
}

const retryMs = 50;

/** Writes one object, which nobody else does, again and again; knows what is stored, also when an answer got lost. */
export class Writer {
  readonly #options: WriterOptions;
  readonly #collection: string;
  #stored: Seen | undefined;
  #step = 0;
  #isStopped = false;
  /** Writes that were acknowledged, and such whose answer was lost. */
  readonly counts = { writes: 0, lost: 0 };

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#collection = `/apis/example.com/v1/namespaces/${options.namespace}/widgets`;
  }

  get stored(): Seen | undefined {
    return this.#stored;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async run(): Promise<void> {
    const { random, pauseMs } = this.#options;
    while (!this.#isStopped) {
      await this.#write();
      await sleep(random.below(pauseMs));
    }
  }

  /** One change of the object. Every one has a number, that of a deletion is the one before the next creation's. */
  async #write(): Promise<void> {
    const step = this.#step + 1;
    const isDeletion = this.#stored !== undefined && this.#options.random.once(6);
    let response: HttpsResponse;
    try {
      response = await (isDeletion ? this.#delete() : this.#put(step));
    } catch {
      this.counts.lost++;
      await this.#findOut(step, isDeletion);
      return;
    }
    if (response.status >= 300) {
      this.#options.report(`write ${step} of ${this.#options.name} was answered with ${response.text}`);
      await this.#findOut(step, isDeletion);
      return;
    }
    this.counts.writes++;
    this.#step = step;
    this.#stored = isDeletion ? undefined : seen(response.body);
  }

  #delete(): Promise<HttpsResponse> {
    return this.#options.client().send("DELETE", `${this.#collection}/${this.#options.name}`);
  }

  #put(step: number): Promise<HttpsResponse> {
    const { namespace, name, random, client } = this.#options;
    const metadata = { namespace, name, labels: { tier: random.pick(tiers) } };
    const object = { apiVersion: "example.com/v1", kind: "Widget", metadata, spec: { size: step } };
    if (this.#stored === undefined) return client().send("POST", this.#collection, object);
    const resourceVersion = String(this.#stored.version);
    const body = { ...object, metadata: { ...metadata, resourceVersion } };
    return client().send("PUT", `${this.#collection}/${name}`, body);
  }

  /** The answer is lost: whether the write was done is seen by its outcome, once the server is there again. */
  async #findOut(step: number, isDeletion: boolean): Promise<void> {
    const { client, name, report } = this.#options;
    for (;;) {
      const answer = await client()
        .send("GET", `${this.#collection}/${name}`)
        .catch(() => undefined);
      if (answer?.status === 200 || answer?.status === 404) {
        const found = answer.status === 200 ? seen(answer.body) : undefined;
        const isDone = isDeletion ? found === undefined : found?.step === step;
        if (!isDone && found?.version !== this.#stored?.version) {
          report(`${name} is ${JSON.stringify(found)} after ${JSON.stringify(this.#stored)} and write ${step}`);
        }
        if (isDone) this.#step = step;
        this.#stored = found;
        return;
      }
      await sleep(retryMs);
    }
  }
}
