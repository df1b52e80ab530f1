import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { Exchange, type ExchangeOptions } from "./exchange.ts";
import { certificateAt, type PeerCertificate, readPeerCertificate } from "./peer-certificate.ts";
import { http1Wire, http2Wire, type Wire } from "./wire.ts";

export interface ConnectionsOptions extends ExchangeOptions {
  readonly now: () => Date;
  /** An HTTP/2 session without requests is ended after this long. */
  readonly idleTimeoutMs: number;
}

/** What is flushed once the last request is answered may take this long. */
const GOODBYE_MS = 1_000;

/** The connections of a server and the exchanges on them, until they are drained. */
export class Connections {
  readonly #server: Http2SecureServer;
  readonly #options: ConnectionsOptions;
  /** Everything accepted, before and after the TLS handshake. */
  readonly #sockets = new Set<Socket>();
  readonly #http1 = new Set<TLSSocket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #exchanges = new Set<Exchange>();
  readonly #peers = new WeakMap<object, PeerCertificate>();
  readonly #addresses = new WeakMap<object, string>();
  readonly #streamCounts = new WeakMap<object, number>();
  /** When the answer to the last request of an HTTP/1.1 connection is complete. */
  readonly #turns = new WeakMap<Socket, Promise<unknown>>();
  #isStopping = false;

  constructor(server: Http2SecureServer, options: ConnectionsOptions) {
    this.#server = server;
    this.#options = options;
    server.on("connection", (socket: Socket) => keepUntilClose(this.#sockets, socket));
    server.on("secureConnection", (socket: TLSSocket) => this.#openSocket(socket));
    server.on("session", (session) => this.#openSession(session));
    server.on(
      "request",
      (request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => {
        request.on("error", () => {}); // who reads the body is told
        if ("stream" in request) this.#serveHttp2(request);
        else this.#serveHttp1(request, response as ServerResponse);
      },
    );
  }

  /**
   * Takes no new connection, sends HTTP/2 clients away, asks streams to end, and waits for what is being answered; after
   * `timeoutMs` everything is ended.
   */
  async drain(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const session of this.#sessions) session.close(); // sends GOAWAY
    for (const exchange of this.#exchanges) exchange.stop();
    await within(timeoutMs, this.#allAnswered());
    for (const exchange of this.#exchanges) exchange.cut();
    for (const socket of this.#http1) socket.end();
    await within(GOODBYE_MS, closed);
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Requests that were on their way when the draining began are waited for as well. */
  async #allAnswered(): Promise<void> {
    while (this.#exchanges.size > 0) await Promise.all([...this.#exchanges].map((exchange) => exchange.closed));
  }

  #openSocket(socket: TLSSocket): void {
    socket.on("error", () => {}); // an error ends the socket, and `close` tells
    if (socket.alpnProtocol === "h2") return;
    keepUntilClose(this.#http1, socket);
    this.#identify(socket, socket);
  }

  #openSession(session: ServerHttp2Session): void {
    keepUntilClose(this.#sessions, session);
    this.#identify(session, session.socket as TLSSocket);
    session.setTimeout(this.#options.idleTimeoutMs, () => {
      if (this.#streamsOf(session) === 0) session.close();
    });
    if (this.#isStopping) session.close();
  }

  #identify(connection: object, socket: TLSSocket): void {
    const peer = readPeerCertificate(socket);
    if (peer !== undefined) this.#peers.set(connection, peer);
    this.#addresses.set(connection, formatAddress(socket));
  }

  #serveHttp2(request: Http2ServerRequest): void {
    const { session } = request.stream;
    if (session === undefined) return; // ended meanwhile
    this.#streamCounts.set(session, this.#streamsOf(session) + 1);
    const exchange = this.#serve(http2Wire(request, request.stream), session);
    void exchange.closed.then(() => this.#streamCounts.set(session, this.#streamsOf(session) - 1));
  }

  /** A connection's requests are served one after the other, also when they were sent at once. */
  #serveHttp1(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const turn = this.#turns.get(socket) ?? Promise.resolve();
    const done = turn.then(() => {
      // The answer before it was the last one of this connection.
      if (socket.destroyed || response.socket === null) return undefined;
      return this.#serve(http1Wire(request, response), socket).closed;
    });
    this.#turns.set(socket, done);
  }

  #serve(wire: Wire, connection: object): Exchange {
    const certificate = certificateAt(this.#peers.get(connection), this.#options.now());
    const address = this.#addresses.get(connection) ?? "";
    const exchange = new Exchange(wire, { certificate, address }, this.#options);
    this.#exchanges.add(exchange);
    void exchange.closed.then(() => this.#exchanges.delete(exchange));
    if (this.#isStopping) exchange.stop();
    void exchange.run();
    return exchange;
  }

  #streamsOf(session: object): number {
    return this.#streamCounts.get(session) ?? 0;
  }
}

function formatAddress({ remoteAddress = "", remotePort }: Socket): string {
  if (remotePort === undefined) return "";
  return `${remoteAddress.includes(":") ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
}

function keepUntilClose<T extends { once(event: "close", listener: () => void): unknown }>(set: Set<T>, item: T): void {
  set.add(item);
  item.once("close", () => set.delete(item));
}

async function within(timeoutMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
