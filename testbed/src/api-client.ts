import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { KeyPair } from "./certificates.ts";

export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
}

/** Just enough HTTPS to see whether a server is ready. What tests send goes through kubectl or their own client. */
export class ApiClient implements Disposable {
  readonly #base: string;
  readonly #agent: Agent;

  constructor(base: string, ca: string, client: KeyPair) {
    this.#base = base;
    this.#agent = new Agent({ keepAlive: true, ca, cert: client.certificate, key: client.key });
  }

  /** Rejects when there is no answer. */
  send(method: string, path: string, signal: AbortSignal, body?: unknown): Promise<ApiAnswer> {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    return new Promise((resolve, reject) => {
      const outgoing = request(new URL(path, this.#base), { method, agent: this.#agent, headers, signal }, (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (chunk: string) => {
          text += chunk;
        });
        answer.once("error", reject);
        answer.once("end", () => resolve({ status: answer.statusCode ?? 0, text }));
      });
      outgoing.once("error", reject);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Asks again and again until the answer is 200. */
  async waitFor(path: string, signal: AbortSignal): Promise<void> {
    await poll(async () => (await this.send("GET", path, signal)).status === 200, signal);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

const POLL_INTERVAL_MS = 25;

/** Asks until the answer is yes; failures count as no. Rejects with the signal's reason. */
export async function poll(isDone: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    if (await isDone().catch(() => false)) return;
    await sleep(POLL_INTERVAL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
