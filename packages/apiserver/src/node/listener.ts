import { constants } from "node:crypto";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { SlipwayError } from "@slipway/objects";
import type { RequestHandler } from "../request.ts";
import { Connections } from "./connections.ts";
import { createGzip } from "./gzip.ts";

export interface ListenOptions {
  /** @default "127.0.0.1" */
  readonly host?: string | undefined;
  /** 0 takes any free port. */
  readonly port: number;
  /** PEM: the server's certificate, with its chain if it has one. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
  /** PEM: client certificates are checked against it, and against nothing else. */
  readonly clientCa: string;
  /** What went wrong inside: a handler that rejected, a body that threw. The client is told nothing of it. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * How long `close()` waits for requests that are being answered, in milliseconds.
   * @default 5_000
   */
  readonly drainTimeoutMs?: number | undefined;
  /**
   * How long a connection may take to send the headers of a request.
   * @default 30_000
   */
  readonly headersTimeoutMs?: number | undefined;
  /**
   * How long a request may take to come in whole; then its connection ends. More than the server's own
   * `requestTimeoutMs`, which answers first and says why.
   * @default 75_000
   */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * How long a client may take to read an answer that is no stream. Watches are not limited.
   * @default 60_000
   */
  readonly answerTimeoutMs?: number | undefined;
  /**
   * How long a client may take nothing of what waits for it.
   * @default 120_000
   */
  readonly stallTimeoutMs?: number | undefined;
  /**
   * The clock that tells when the certificate of a long connection has ended.
   * @default () => new Date()
   */
  readonly now?: (() => Date) | undefined;
}

const listenDefaults = {
  host: "127.0.0.1",
  onError: () => {},
  drainTimeoutMs: 5_000,
  headersTimeoutMs: 30_000,
  requestTimeoutMs: 75_000,
  answerTimeoutMs: 60_000,
  stallTimeoutMs: 120_000,
  now: () => new Date(),
} as const satisfies Partial<ListenOptions>;

export interface Listener {
  readonly port: number;
  /** `https://127.0.0.1:6443`. */
  readonly url: string;
  /**
   * Takes no new connection, tells HTTP/2 clients to go away and streams to end, gives plain requests `drainTimeoutMs` to
   * be answered, and then ends everything. A second call waits for the first.
   */
  close(): Promise<void>;
}

/** Go's clients keep idle connections for 90 s: a server that ends them earlier races with their next request. */
const KEEP_ALIVE_MS = 125_000;
const KEEP_ALIVE_PROBE_MS = 30_000;
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Users may be in many groups, and tokens are long. */
const MAX_HEADER_BYTES = 256 * 1024;
const MAX_HEADER_PAIRS = 4_096;
/** What kube-apiserver grants: an informer for each kind may share one connection. */
const MAX_CONCURRENT_STREAMS = 1_000;
/** In megabytes. Node refuses new streams of a session whose unsent answers exceed it. */
const MAX_SESSION_MEMORY = 256;

/**
 * Serves `handler` over TLS, HTTP/1.1 and HTTP/2 on one port. A client may present a certificate and need not.
 *
 * @throws {SlipwayError} `PORT_IN_USE` when another process listens there; `USAGE` when the address cannot be used.
 */
export async function listen(handler: RequestHandler, options: ListenOptions): Promise<Listener> {
  const settings = withDefaults(options);
  const { host, onError, requestTimeoutMs, answerTimeoutMs, stallTimeoutMs, now } = settings;
  const server = createServer(settings);
  const connections = new Connections(server, {
    handler,
    onError,
    compress: createGzip(),
    requestTimeoutMs,
    answerTimeoutMs,
    stallTimeoutMs,
    now,
    idleTimeoutMs: KEEP_ALIVE_MS,
  });
  const port = await bind(server, host, settings.port);
  server.on("error", onError); // a connection that could not be accepted
  let closing: Promise<void> | undefined;
  return {
    port,
    url: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    close: () => {
      closing ??= connections.drain(settings.drainTimeoutMs);
      return closing;
    },
  };
}

type Settings = { readonly [Name in keyof ListenOptions]-?: Exclude<ListenOptions[Name], undefined> };

function withDefaults(options: ListenOptions): Settings {
  return {
    ...options,
    host: options.host ?? listenDefaults.host,
    onError: options.onError ?? listenDefaults.onError,
    drainTimeoutMs: options.drainTimeoutMs ?? listenDefaults.drainTimeoutMs,
    headersTimeoutMs: options.headersTimeoutMs ?? listenDefaults.headersTimeoutMs,
    requestTimeoutMs: options.requestTimeoutMs ?? listenDefaults.requestTimeoutMs,
    answerTimeoutMs: options.answerTimeoutMs ?? listenDefaults.answerTimeoutMs,
    stallTimeoutMs: options.stallTimeoutMs ?? listenDefaults.stallTimeoutMs,
    now: options.now ?? listenDefaults.now,
  };
}

/** The HTTP/1.1 half of an `Http2SecureServer` reads these as `https.Server` does; the types know of neither. */
interface Http1Settings {
  keepAliveTimeout: number;
  maxHeaderSize: number;
  maxHeadersCount: number;
  headersTimeout: number;
  requestTimeout: number;
  connectionsCheckingInterval: number;
}

function createServer(settings: Settings): Http2SecureServer {
  const server = createSecureServer({
    allowHTTP1: true,
    cert: settings.certificate,
    key: settings.key,
    ca: settings.clientCa,
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: "TLSv1.2",
    // No resumed sessions: every connection proves its certificate in full.
    secureOptions: constants.SSL_OP_NO_TICKET,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    maxSessionMemory: MAX_SESSION_MEMORY,
    maxHeaderListPairs: MAX_HEADER_PAIRS,
    settings: { maxConcurrentStreams: MAX_CONCURRENT_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES },
  });
  Object.assign(server, {
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    maxHeadersCount: 0, // Node drops what is beyond it without a word; the size is the limit
    headersTimeout: settings.headersTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(5_000, settings.headersTimeoutMs, settings.requestTimeoutMs),
  } satisfies Http1Settings);
  return server;
}

function bind(server: Http2SecureServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException): void => reject(cannotListen(host, port, cause));
    server.once("error", onError);
    server.listen({ host, port }, () => {
      server.off("error", onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function cannotListen(host: string, port: number, cause: NodeJS.ErrnoException): SlipwayError {
  if (cause.code === "EADDRINUSE") {
    return new SlipwayError(
      `port ${port} on ${host} is in use. Stop the process that listens there, or choose another port; 0 takes any free one.`,
      { code: "PORT_IN_USE", cause },
    );
  }
  return new SlipwayError(
    `port ${port} on ${host} cannot be listened on (${cause.code ?? cause.message}). Choose another port or address.`,
    { code: "USAGE", cause },
  );
}
