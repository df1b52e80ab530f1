export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface TransportRequest {
  readonly method: HttpMethod;
  /** From the server's root, with the query: `/api/v1/pods?limit=1`. */
  readonly path: string;
  /** Names in lower case. Who asks is the transport's business. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /**
   * The answer goes on for as long as the server likes, as that of a watch does: no pause in it is too long.
   * @default false
   */
  readonly isOpenEnded?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lower case; several headers of one name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** To be read once, to the end or as far as wanted: leaving the loop ends the request. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** What carries requests to one server, as one user: the client's only way to the outside. */
export interface Transport {
  /**
   * One request, one streamed answer. It resolves for every status, and neither repeats nor redirects.
   *
   * Rejects with the signal's reason after an abort, and with a `SlipwayError` with code `READ_FAILED` when no answer
   * comes. The body throws the same when the rest of it does not come.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
}
