import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type ServerHttp2Stream } from "node:http2";
import type { Readable, Writable } from "node:stream";
import type { WireHeaders } from "./http-headers.ts";

/** One request and its answer on a connection, the same for HTTP/1.1 and HTTP/2. */
export interface Wire {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Names and values in turns, as they came. */
  readonly rawHeaders: readonly string[];
  /** Takes the bytes of the answer; emits `close` when the exchange is over, in whatever way. */
  readonly out: Writable;
  /** Rejects when the client goes away before its end. */
  body(): AsyncGenerator<Uint8Array, void, undefined>;
  /** Whether the whole request has come in. */
  isReceived(): boolean;
  /** @param ends There is no body. */
  start(status: number, headers: WireHeaders, ends: boolean): void;
  /** Sends the headers before any byte of a body is there. */
  flush(): void;
  /** HTTP/1.1: the connection is not used again after this answer. HTTP/2 says so per session. */
  makeLast(): void;
  /** Ends the exchange so that the client cannot take a part for the whole. */
  fail(): void;
  /** The answer is sent: what still comes of the request is thrown away, for a while. */
  release(): void;
}

/** How long the rest of a request is read after the answer, so that a reset does not overtake the answer. */
const LINGER_MS = 5_000;

export function http1Wire(request: IncomingMessage, response: ServerResponse): Wire {
  return {
    method: request.method ?? "",
    url: originForm(request.url ?? ""),
    rawHeaders: request.rawHeaders,
    out: response,
    body: () => readBody(request, () => request.complete),
    isReceived: () => request.complete,
    start: (status, headers) => {
      response.writeHead(status, headers);
    },
    flush: () => response.flushHeaders(),
    makeLast: () => {
      response.shouldKeepAlive = false;
    },
    fail: () => {
      request.socket.destroy();
    },
    release: () => {
      if (request.complete || request.socket.destroyed) return;
      request.resume();
      const linger = setTimeout(() => request.socket.destroy(), LINGER_MS);
      request.once("end", () => clearTimeout(linger));
      request.socket.once("close", () => clearTimeout(linger));
    },
  };
}

export function http2Wire(
  request: { readonly method: string; readonly url: string; readonly rawHeaders: readonly string[] },
  stream: ServerHttp2Stream,
): Wire {
  const isReceived = (): boolean => stream.endAfterHeaders || stream.readableEnded || stream.state.remoteClose === 1;
  return {
    method: request.method,
    url: originForm(request.url),
    rawHeaders: request.rawHeaders,
    out: stream,
    body: () => readBody(stream, () => !stream.aborted),
    isReceived,
    start: (status, headers, ends) => stream.respond({ ...headers, ":status": status }, { endStream: ends }),
    flush: () => {}, // headers leave with `respond`
    makeLast: () => {},
    // `close()` would end the body first, and a client could see a whole one.
    fail: () => {
      stream.destroy(new Error("the answer was broken off"));
    },
    // The client may stop sending: its answer is complete. @see RFC 9113, section 8.1
    release: () => {
      if (!isReceived()) stream.close(constants.NGHTTP2_NO_ERROR);
      stream.resume(); // Node closes a stream only when all that came of its body has been read
    },
  };
}

/** Leaving the loop early keeps the connection: the answer still has to go out on it. */
async function* readBody(source: Readable, isWhole: () => boolean): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of source.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array;
  if (!isWhole()) throw new Error("the client went away before the end of the request body");
}

/** Clients may send the whole URL, as they do to a proxy. @see RFC 9112, section 3.2.2 */
function originForm(url: string): string {
  if (url.startsWith("/")) return url;
  const absolute = /^https?:\/\/[^/?#]*(.*)$/i.exec(url);
  if (absolute === null) return url;
  const rest = absolute[1] as string;
  return rest.startsWith("/") ? rest : `/${rest}`;
}
