import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { SlipwayError } from "@slipway/objects";
import { type Dispatcher, Pool } from "undici";
import type { ConnectionSettings, TlsSettings } from "../client/kubeconfig.ts";
import type { Transport, TransportRequest, TransportResponse } from "../client/transport.ts";

export interface TransportOptions {
  /**
   * How long the server may take to accept a connection, in milliseconds.
   * @default 10_000
   */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * How long the server may take to begin an answer, and how long a pause in it may be, in milliseconds. Pauses of watches
   * are not limited: a connection that is dead is found by the probes of TCP. The default is above the 60 s after which
   * API servers give up themselves and say so.
   * @default 75_000
   */
  readonly answerTimeoutMs?: number | undefined;
}

const transportDefaults = { connectTimeoutMs: 10_000, answerTimeoutMs: 75_000 } as const satisfies TransportOptions;

/** API servers end idle connections after 90 s, balancers in front of them after 60: we do so before. */
const KEEP_ALIVE_MS = 30_000;
const KEEP_ALIVE_PROBE_MS = 30_000;

/**
 * Requests over TLS, HTTP/1.1, with as many connections as there are requests at once. They are kept for later requests.
 * Disposing ends all of them, whatever they are doing.
 *
 * @throws {SlipwayError} `USAGE` when certificates or keys in `settings` cannot be used.
 */
export function createTransport(
  settings: ConnectionSettings,
  options: TransportOptions = {},
): Transport & AsyncDisposable {
  const url = new URL(settings.server);
  const answerTimeoutMs = options.answerTimeoutMs ?? transportDefaults.answerTimeoutMs;
  const pool = new Pool(url.origin, {
    connect: {
      ...(url.protocol === "https:" ? tlsOptions(settings.tls, settings.server) : {}),
      timeout: options.connectTimeoutMs ?? transportDefaults.connectTimeoutMs,
      keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    },
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: answerTimeoutMs,
    bodyTimeout: answerTimeoutMs,
  });
  const prefix = url.pathname.replace(/\/+$/, "");
  return {
    async send(request) {
      const { method, path, body, isOpenEnded, signal } = request;
      const headers = { ...request.headers, ...(await authorization(settings)) };
      signal?.throwIfAborted();
      try {
        const answer = await pool.request({
          method,
          path: `${prefix}${path}`,
          headers,
          body: body ?? null,
          signal: signal ?? null,
          bodyTimeout: isOpenEnded === true ? 0 : answerTimeoutMs,
        });
        return {
          status: answer.statusCode,
          headers: joinHeaders(answer.headers),
          body: bytes(answer, request, settings),
        };
      } catch (cause) {
        throw failureOf(cause, request, settings);
      }
    },
    async [Symbol.asyncDispose]() {
      await pool.destroy();
    },
  };
}

async function* bytes(
  { body }: Dispatcher.ResponseData,
  request: TransportRequest,
  settings: ConnectionSettings,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk;
  } catch (cause) {
    throw failureOf(cause, request, settings);
  }
}

function joinHeaders(headers: Dispatcher.ResponseData["headers"]): TransportResponse["headers"] {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}

/** A token file is read for each request: what is in it is renewed while we run. */
async function authorization({ token, tokenFile }: ConnectionSettings): Promise<Readonly<Record<string, string>>> {
  const text = tokenFile === undefined ? token : (await readTokenFile(tokenFile)).trim();
  return text === undefined || text === "" ? {} : { authorization: `Bearer ${text}` };
}

async function readTokenFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new SlipwayError(`${path}: the token cannot be read${codeIn(cause)}. Check the path and its permissions.`, {
      code: "READ_FAILED",
      cause,
    });
  }
}

interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
}

function tlsOptions(
  { ca, clientCertificate, clientKey, serverName, insecureSkipVerify }: TlsSettings,
  server: string,
): TlsOptions {
  if (ca !== undefined) {
    usable(server, "the certificate authority is no PEM certificate. Correct certificate-authority.", () => {
      new X509Certificate(ca);
    });
  }
  const identity =
    clientCertificate === undefined || clientKey === undefined ? {} : { cert: clientCertificate, key: clientKey };
  usable(server, "the client certificate and its key do not fit, or are no PEM. Correct the user.", () => {
    createSecureContext(identity);
  });
  return {
    ...identity,
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    rejectUnauthorized: !insecureSkipVerify,
  };
}

function usable(server: string, problem: string, check: () => void): void {
  try {
    check();
  } catch (cause) {
    throw new SlipwayError(`${server}: ${problem}`, { code: "USAGE", cause });
  }
}

/** Aborts pass as they are; anything else is told with the request, the fact, and what to do. */
function failureOf(
  cause: unknown,
  { method, path, signal }: TransportRequest,
  { server }: ConnectionSettings,
): unknown {
  if (signal?.aborted === true) return signal.reason;
  return new SlipwayError(`${method} ${server}${path}: ${describe(cause)}`, { code: "READ_FAILED", cause });
}

const remedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there. Check that the server runs, and its address.",
  ENOTFOUND: "there is no such host. Check the server's address.",
  EAI_AGAIN: "the host's name cannot be resolved now. Check the network.",
  ECONNRESET: "the connection was cut. Try again.",
  EPIPE: "the connection was cut. Try again.",
  UND_ERR_SOCKET: "the connection was cut. Try again.",
  UND_ERR_CONNECT_TIMEOUT: "the server does not accept the connection in time. Check the address and the network.",
  UND_ERR_HEADERS_TIMEOUT: "the server does not answer in time. Look at its load, and try again.",
  UND_ERR_BODY_TIMEOUT: "the server stopped in the middle of its answer. Try again.",
  UND_ERR_DESTROYED: "the client was closed meanwhile.",
  UND_ERR_CLOSED: "the client was closed before.",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "the server's certificate is for another name. Correct the address, or set tls-server-name.",
  CERT_HAS_EXPIRED: "the server's certificate has expired. Have it renewed.",
};

/** OpenSSL's ways to say that nobody we trust has signed. */
const untrusted: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_SIGNATURE_FAILURE",
]);

function describe(cause: unknown): string {
  const code = codeOf(cause);
  const remedy =
    code !== undefined && untrusted.has(code)
      ? "the server's certificate is signed by nobody that is trusted. Correct certificate-authority."
      : remedies[code ?? ""];
  const reason = code ?? (cause instanceof Error ? cause.message : String(cause));
  return remedy === undefined ? `no answer (${reason}).` : `${remedy} (${reason})`;
}

/** Of the error or, where several addresses were tried, of the first attempt. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined;
}

function codeIn(error: unknown): string {
  const code = codeOf(error);
  return code === undefined ? "" : ` (${code})`;
}
