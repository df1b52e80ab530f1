/**
 * HTTP as the server sees it, whatever carries it: `node/listener.ts` maps sockets to it, tests call it directly.
 */

/** The client certificate of a connection whose chain was verified against the server's client CA. */
export interface VerifiedCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Lower case hex SHA-256 of the DER bytes. */
  readonly sha256: string;
}

export interface ApiRequest {
  readonly method: string;
  /** Path and query as sent, percent-encoded: `/api/v1/namespaces?limit=5`. */
  readonly url: string;
  /** Lower-case names. Several lines of one header are joined with `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Read at most once. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Absent when the client presented no certificate or one that does not verify. */
  readonly certificate?: VerifiedCertificate | undefined;
  /** Aborts when the client is gone or the server stops. */
  readonly signal: AbortSignal;
  /** What the request has come over. Absent in process: an answer counts as sent when it is made, or read to its end. */
  readonly connection?: RequestConnection | undefined;
}

export interface RequestConnection {
  /** Of the peer, with its port: `127.0.0.1:54321`. */
  readonly remoteAddress: string;
  /** Resolves when the answer has gone out, or the client is gone. */
  readonly sent: Promise<SentAnswer>;
  /** Aborts the signal of the request: its work is not waited for. The answer can still be sent. */
  abort(): void;
}

export interface SentAnswer {
  /** Of the body. */
  readonly bytes: number;
}

export interface ApiResponse {
  readonly status: number;
  /** Lower-case names. A list is sent as several header lines. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /**
   * Text and bytes are sent with their length. An iterable is a stream: the headers go out at once and each chunk
   * as it comes; it is returned (`return()`) when the client is gone.
   */
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array> | undefined;
}

/** Never rejects: every failure is a response. */
export type RequestHandler = (request: ApiRequest) => Promise<ApiResponse>;
