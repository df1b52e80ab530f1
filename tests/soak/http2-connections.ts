import { readFile } from "node:fs/promises";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { parse } from "yaml";

/** As client-go does: a connection that does not answer a ping is given up, only sooner. */
const ping = { everyMs: 2_000, timeoutMs: 10_000 } as const;

/** HTTP/2 connections to one server, made anew when they are gone. */
export class Http2Connections {
  readonly #sessions: (ClientHttp2Session | undefined)[];
  readonly #server: string;
  readonly #identity: { readonly ca: string; readonly cert: string; readonly key: string };

  private constructor(server: string, identity: { ca: string; cert: string; key: string }, count: number) {
    this.#server = server;
    this.#identity = identity;
    this.#sessions = Array.from({ length: count });
  }

  static async fromKubeconfig(path: string, count: number): Promise<Http2Connections> {
    const config = parse(await readFile(path, "utf8"));
    const decode = (text: string): string => Buffer.from(text, "base64").toString("utf8");
    const { server, "certificate-authority-data": ca } = config.clusters[0].cluster;
    const { "client-certificate-data": cert, "client-key-data": key } = config.users[0].user;
    return new Http2Connections(server, { ca: decode(ca), cert: decode(cert), key: decode(key) }, count);
  }

  /** A GET on the connection of that number: status and body. Rejects when nothing is answered. */
  open(connection: number, path: string): Promise<{ readonly status: number; readonly body: ClientHttp2Stream }> {
    return new Promise((resolve, reject) => {
      const body = this.#session(connection % this.#sessions.length).request({ ":path": path });
      body.on("error", reject);
      body.once("close", () => reject(new Error("the connection was closed")));
      body.once("response", (headers) => resolve({ status: Number(headers[":status"]), body }));
    });
  }

  /** Breaks a connection with everything on it. */
  cut(connection: number): void {
    this.#sessions[connection % this.#sessions.length]?.destroy();
  }

  close(): void {
    for (const session of this.#sessions) session?.destroy();
  }

  #session(index: number): ClientHttp2Session {
    const present = this.#sessions[index];
    if (present !== undefined && !present.closed && !present.destroyed) return present;
    const session = connect(this.#server, this.#identity);
    session.on("error", () => {}); // its streams tell
    session.setMaxListeners(0);
    keepAlive(session);
    this.#sessions[index] = session;
    return session;
  }
}

/** Node does not always notice that a server was killed: the socket is closed and its session lives on. */
function keepAlive(session: ClientHttp2Session): void {
  let lastAnswer = performance.now();
  const timer = setInterval(() => {
    if (session.destroyed) return clearInterval(timer);
    if (performance.now() - lastAnswer > ping.everyMs + ping.timeoutMs) return session.destroy();
    try {
      session.ping((error) => {
        if (error === null) lastAnswer = performance.now();
      });
    } catch {
      // Not connected yet, or no longer.
    }
  }, ping.everyMs);
  session.once("close", () => clearInterval(timer));
}

/** The lines of a body; ends where it breaks off, with what is whole. */
export async function* linesOf(body: ClientHttp2Stream): AsyncGenerator<string> {
  let rest = "";
  body.setEncoding("utf8");
  try {
    for await (const chunk of body) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch {
    // It was cut: what was whole has been given.
  } finally {
    body.destroy();
  }
}
