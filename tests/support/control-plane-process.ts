import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { parse } from "yaml";

/** A control plane in a process of its own, and how to talk to it. */
export interface ControlPlaneProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly kubeconfig: string;
  readonly client: HttpsClient;
  /** Everything it has printed. */
  output(): string;
  /** Sends the signal to the process itself and resolves to its exit code or signal. */
  stop(signal: NodeJS.Signals): Promise<number | string>;
}

export interface HttpsResponse {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked at by the tests, whatever they are
  readonly body: any;
}

/** Plain HTTPS with the client certificate of a kubeconfig. */
export class HttpsClient {
  readonly #base: URL;
  readonly #agent: Agent;

  constructor(base: string, ca: string, cert: string, key: string) {
    this.#base = new URL(base);
    this.#agent = new Agent({ keepAlive: true, ca, cert, key });
  }

  static async fromKubeconfig(path: string): Promise<HttpsClient> {
    const config = parse(await readFile(path, "utf8"));
    const decode = (text: string): string => Buffer.from(text, "base64").toString("utf8");
    const { server, "certificate-authority-data": ca } = config.clusters[0].cluster;
    const { "client-certificate-data": cert, "client-key-data": key } = config.users[0].user;
    return new HttpsClient(server, decode(ca), decode(cert), decode(key));
  }

  /** Rejects when the connection breaks before the whole answer was read. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<HttpsResponse> {
    const response = await this.#open(method, path, body, headers);
    let text = "";
    response.setEncoding("utf8");
    for await (const chunk of response) text += chunk;
    if (!response.complete) throw new Error("the answer was cut");
    return { status: response.statusCode ?? 0, text, body: parseOrUndefined(text) };
  }

  /** The lines of a stream, as they come; leaving the loop ends the request. */
  async *lines(path: string): AsyncGenerator<unknown> {
    const response = await this.#open("GET", path, undefined, {});
    try {
      let rest = "";
      response.setEncoding("utf8");
      for await (const chunk of response) {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) yield JSON.parse(line);
      }
    } finally {
      response.destroy();
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = httpsRequest(
        new URL(path, this.#base),
        {
          method,
          agent: this.#agent,
          headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
        },
        resolve,
      );
      request.on("error", reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Starts `command` and waits until it says where it listens; rejects with its output when it ends before. */
export async function startProcess(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<ControlPlaneProcess> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ended = new Promise<number | string>((resolve) => {
    child.on("exit", (code, signal) => resolve(signal ?? code ?? 0));
  });
  const ready = new Promise<{ url: string; kubeconfig: string }>((resolve, reject) => {
    const look = (chunk: string): void => {
      output += chunk;
      const url = /Slipway control plane on (\S+)/.exec(output)?.[1];
      const kubeconfig = /export KUBECONFIG=(\S+)\n/.exec(output)?.[1];
      if (url !== undefined && kubeconfig !== undefined) resolve({ url, kubeconfig });
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", look);
    child.on("error", reject);
    void ended.then((code) => reject(new Error(`ended with ${code} before it was ready:\n${output}`)));
  });
  const { url, kubeconfig } = await ready;
  const path = kubeconfig.replace("$PWD", options.cwd);
  const client = await HttpsClient.fromKubeconfig(path);
  return {
    child,
    url,
    kubeconfig: path,
    client,
    output: () => output,
    stop(signal) {
      client.close();
      child.kill(signal);
      return ended;
    },
  };
}
