import { noLongerNeeded } from "../abort-scope.ts";
import { acceptsGzip, type Compressor, compressed } from "../filters/compression.ts";
import type { ApiRequest, ApiResponse, RequestHandler, SentAnswer, VerifiedCertificate } from "../request.ts";
import { formatHeaders, readHeaders, type WireHeaders } from "./http-headers.ts";
import type { Wire } from "./wire.ts";

export interface ExchangeOptions {
  readonly handler: RequestHandler;
  readonly onError: (error: unknown) => void;
  readonly compress: Compressor;
  /** A request whose body is not there by then is given up. */
  readonly requestTimeoutMs: number;
  /** A client that has not taken a whole answer by then is given up. */
  readonly answerTimeoutMs: number;
  /** A client that takes nothing for so long is given up. */
  readonly stallTimeoutMs: number;
}

/** The other end of a connection. */
export interface Peer {
  /** Absent when it has shown none that holds now. */
  readonly certificate: VerifiedCertificate | undefined;
  /** `127.0.0.1:54321`; `""` when the connection has ended already. */
  readonly address: string;
}

type Chunk = string | Uint8Array;

/**
 * Large bodies are written in parts of so many bytes or characters: what is not sent yet counts against the memory of an
 * HTTP/2 session, and of a text that a client does not read only one part is held twice.
 */
const PART_LENGTH = 64 * 1024;

/** One request, from its headers to the last byte of its answer. */
export class Exchange {
  /** Resolves when nothing of it is left on the connection. */
  readonly closed: Promise<SentAnswer>;

  readonly #wire: Wire;
  readonly #peer: Peer;
  readonly #options: ExchangeOptions;
  readonly #abort = new AbortController();
  #acceptEncoding: string | undefined;
  #isStreaming = false;
  #isStopping = false;
  /** All of the answer is handed to the connection. */
  #isEnded = false;
  /** Nothing more can be sent. */
  #isCut = false;
  #sentBytes = 0;
  #wake: () => void = () => {};

  constructor(wire: Wire, peer: Peer, options: ExchangeOptions) {
    this.#wire = wire;
    this.#peer = peer;
    this.#options = options;
    this.closed = new Promise((resolve) => wire.out.once("close", () => resolve({ bytes: this.#sentBytes })));
    wire.out.once("close", () => this.#cut());
    wire.out.once("aborted", () => this.#cut());
    wire.out.on("error", () => this.#cut());
  }

  /** Never rejects: what goes wrong goes to `onError`, and ends this exchange only. */
  async run(): Promise<void> {
    const deadline = this.#limitReceiving();
    try {
      const response = await this.#packed(await this.#answer());
      if (this.#isCut) discard(response.body);
      else await this.#send(response);
    } catch (error) {
      if (!this.#isCut) this.#options.onError(error);
      this.cut();
    } finally {
      clearTimeout(deadline);
    }
    this.#wire.release();
  }

  /** The server stops: a stream is asked to end, a plain answer may still be finished. */
  stop(): void {
    this.#isStopping = true;
    this.#wire.makeLast();
    if (this.#isStreaming) this.#abort.abort(noLongerNeeded);
  }

  /** Ends it now. */
  cut(): void {
    this.#cut();
    this.#wire.fail();
  }

  #cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    if (!this.#isEnded) this.#abort.abort(noLongerNeeded);
    this.#wake();
  }

  async #answer(): Promise<ApiResponse> {
    const { handler, onError } = this.#options;
    const headers = readHeaders(this.#wire.rawHeaders);
    this.#acceptEncoding = headers["accept-encoding"];
    const request: ApiRequest = {
      method: this.#wire.method,
      url: this.#wire.url,
      headers,
      body: this.#wire.body(),
      certificate: this.#peer.certificate,
      signal: this.#abort.signal,
      connection: {
        remoteAddress: this.#peer.address,
        sent: this.closed,
        abort: () => this.#abort.abort(noLongerNeeded),
      },
    };
    try {
      return await handler(request);
    } catch (error) {
      if (!this.#isCut) onError(error);
      return internalError;
    }
  }

  /** The answer in gzip, when it is long and the client takes that. */
  async #packed(response: ApiResponse): Promise<ApiResponse> {
    if (this.#isCut || this.#wire.method === "HEAD" || !acceptsGzip(this.#acceptEncoding)) return response;
    return compressed(response, this.#options.compress);
  }

  async #send(response: ApiResponse): Promise<void> {
    const { body, status } = response;
    let headers: WireHeaders;
    try {
      assertStatus(status);
      headers = formatHeaders(response.headers);
    } catch (error) {
      this.#options.onError(error);
      discard(body);
      await this.#send(internalError);
      return;
    }
    const isHead = this.#wire.method === "HEAD";
    const isBodiless = isHead || status === 204 || status === 304;
    if (isStream(body)) {
      if (!isBodiless) return this.#sendStream(status, headers, body);
      discard(body);
      return this.#sendWhole(status, headers, undefined);
    }
    if (isHead || !isBodiless) headers["content-length"] = String(lengthOf(body));
    return this.#sendWhole(status, headers, isBodiless ? undefined : body);
  }

  async #sendWhole(status: number, headers: WireHeaders, body: string | Uint8Array = ""): Promise<void> {
    this.#wire.start(status, headers, body.length === 0);
    if (body.length <= PART_LENGTH) {
      // Text goes out as bytes: Node joins a first text chunk with the headers and encodes both as UTF-8.
      await this.#write(typeof body === "string" ? Buffer.from(body, "utf8") : body);
      return this.#end();
    }
    const tooSlow = setTimeout(() => this.cut(), this.#options.answerTimeoutMs);
    for (const part of partsOf(body)) {
      await this.#write(part);
      if (this.#isCut) break;
    }
    await this.#end();
    clearTimeout(tooSlow);
  }

  async #sendStream(status: number, headers: WireHeaders, body: AsyncIterable<Chunk>): Promise<void> {
    const chunks = body[Symbol.asyncIterator]();
    this.#isStreaming = true;
    if (this.#isStopping) this.#abort.abort(noLongerNeeded);
    let isDone = false;
    try {
      this.#wire.start(status, headers, false);
      this.#wire.flush();
      while (!this.#isCut) {
        const next = await this.#untilCut(this.#next(chunks));
        if (next === undefined) return;
        if (next.done === true) {
          isDone = true;
          break;
        }
        await this.#write(typeof next.value === "string" ? Buffer.from(next.value, "utf8") : next.value);
      }
    } finally {
      this.#isStreaming = false;
      if (!isDone) giveBack(chunks);
    }
    await this.#end();
  }

  /** A stream that was asked to stop may say so with an error: it has ended. */
  async #next(chunks: AsyncIterator<Chunk>): Promise<IteratorResult<Chunk>> {
    try {
      return await chunks.next();
    } catch (error) {
      if (this.#isStopping) return { done: true, value: undefined };
      throw error;
    }
  }

  async #write(chunk: Uint8Array): Promise<void> {
    const { out } = this.#wire;
    if (this.#isCut || chunk.byteLength === 0) return;
    this.#sentBytes += chunk.byteLength;
    if (out.write(chunk)) return;
    await this.#unlessStalled("drain");
  }

  async #end(): Promise<void> {
    const { out } = this.#wire;
    if (this.#isCut) return;
    this.#isEnded = true;
    out.end();
    if (!out.writableFinished) await this.#unlessStalled("finish");
  }

  /** Waits until the client has taken what was sent; one that takes nothing is cut off. */
  async #unlessStalled(event: "drain" | "finish"): Promise<void> {
    const { out } = this.#wire;
    let onEvent: () => void = () => {};
    const happened = new Promise<true>((resolve) => {
      onEvent = () => resolve(true);
      out.once(event, onEvent);
    });
    const stall = setTimeout(() => this.cut(), this.#options.stallTimeoutMs);
    await this.#untilCut(happened);
    clearTimeout(stall);
    out.off(event, onEvent);
  }

  /** `work`, or `undefined` once the exchange is cut. A race against one lasting promise would keep every loser. */
  #untilCut<T>(work: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve(undefined);
      if (this.#isCut) resolve(undefined);
      work.then(resolve, reject);
    });
  }

  /** HTTP/1.1 connections are watched by Node as well; an HTTP/2 stream has nobody else to count its time. */
  #limitReceiving(): NodeJS.Timeout | undefined {
    if (this.#wire.isReceived()) return undefined;
    return setTimeout(() => {
      if (!this.#wire.isReceived()) this.cut();
    }, this.#options.requestTimeoutMs);
  }
}

const internalError: ApiResponse = {
  status: 500,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: "Internal Server Error\n",
};

function assertStatus(status: number): void {
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new TypeError(`${status} is no status of an answer`);
}

function lengthOf(body: string | Uint8Array = ""): number {
  return typeof body === "string" ? Buffer.byteLength(body, "utf8") : body.byteLength;
}

function* partsOf(body: string | Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < body.length; ) {
    let to = from + PART_LENGTH;
    if (typeof body === "string") {
      if (isHighSurrogate(body.charCodeAt(to - 1))) to++; // its other half belongs to the same character
      yield Buffer.from(body.slice(from, to), "utf8");
    } else yield body.subarray(from, to);
    from = to;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isStream(body: ApiResponse["body"]): body is AsyncIterable<Chunk> {
  return typeof body === "object" && Symbol.asyncIterator in body;
}

function discard(body: ApiResponse["body"]): void {
  if (isStream(body)) giveBack(body[Symbol.asyncIterator]());
}

/** Not awaited: a generator that waits for its source answers only when that wakes up, which the signal sees to. */
function giveBack(chunks: AsyncIterator<Chunk>): void {
  Promise.resolve(chunks.return?.()).catch(() => {});
}
