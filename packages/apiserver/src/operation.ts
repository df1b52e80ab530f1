import { ApiStatusError } from "@slipway/objects";
import { auditIdOf, shortAuditId } from "./filters/audit-id.ts";
import { clientGone, deadlineExceeded, deadlineMs } from "./filters/deadline.ts";
import { InFlight, type InFlightCounts, type RequestKind } from "./filters/in-flight.ts";
import type { ServerHost } from "./host.ts";
import { type RequestSeries, reportedVerb, requestLabels, type ServerMetrics } from "./metrics.ts";
import type { UserInfo } from "./registry/rest.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";
import { type RequestInfo, type ResourceRequestInfo, requestInfo } from "./request-info.ts";
import { loggedUri, type RequestLog } from "./request-log.ts";

/** How a server is run: what it grants, and who is told what it does. */
export interface OperationOptions {
  /**
   * The longest that a request may take, in milliseconds. Its `timeout` parameter lowers it; watches have a time of their
   * own. What takes longer is answered 504.
   * @default 60_000
   */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * How many requests that only read are answered at once. More are answered 429, but for members of `system:masters`.
   * Watches, health checks, metrics and the version do not count. 0: no limit.
   * @default 400
   */
  readonly maxRequestsInFlight?: number | undefined;
  /**
   * The same for all others.
   * @default 200
   */
  readonly maxMutatingRequestsInFlight?: number | undefined;
  /**
   * `createMetrics` of `@slipway/apiserver/node`.
   * @default nothing is counted, and there is no `/metrics`
   */
  readonly metrics?: ServerMetrics | undefined;
  /** @default nobody is told */
  readonly requestLog?: RequestLog | undefined;
  /**
   * Milliseconds since any fixed moment; it never goes back.
   * @default () => performance.now()
   */
  readonly monotonicMs?: (() => number) | undefined;
}

/** What is being answered at the moment. */
export interface OpenRequests extends InFlightCounts {
  /** Watches. */
  readonly longRunning: number;
}

const defaults = {
  requestTimeoutMs: 60_000,
  maxRequestsInFlight: 400,
  maxMutatingRequestsInFlight: 200,
  monotonicMs: () => performance.now(),
} as const satisfies OperationOptions;

/** What stands around all requests of a server: limits, and those who are told. */
export class Operation {
  readonly requestTimeoutMs: number;
  readonly inFlight: InFlight;
  readonly metrics: ServerMetrics | undefined;
  readonly requestLog: RequestLog | undefined;
  readonly nowMs: () => number;
  readonly host: Pick<ServerHost, "logError" | "uuid">;
  longRunning = 0;
  readonly #series = new Map<string, RequestSeries>();

  constructor(options: OperationOptions, host: Pick<ServerHost, "logError" | "uuid">) {
    this.requestTimeoutMs = options.requestTimeoutMs ?? defaults.requestTimeoutMs;
    this.inFlight = new InFlight({
      readOnly: options.maxRequestsInFlight ?? defaults.maxRequestsInFlight,
      mutating: options.maxMutatingRequestsInFlight ?? defaults.maxMutatingRequestsInFlight,
    });
    this.metrics = options.metrics;
    this.requestLog = options.requestLog;
    this.nowMs = options.monotonicMs ?? defaults.monotonicMs;
    this.host = host;
  }

  openRequests(): OpenRequests {
    return { ...this.inFlight.present(), longRunning: this.longRunning };
  }

  /**
   * Answers `request` with what `work` makes of it, which must not reject, and counts and logs the answer when it has gone
   * out.
   */
  async serve(request: ApiRequest, work: (scope: RequestScope) => Promise<ApiResponse>): Promise<ApiResponse> {
    const scope = new RequestScope(this, request);
    return scope.answer(await work(scope));
  }

  /** @internal */
  seriesOf(request: ApiRequest, info: RequestInfo, isServed: boolean): RequestSeries | undefined {
    if (this.metrics === undefined) return undefined;
    const labels = requestLabels(request.method, info, request.headers["content-type"], isServed);
    const { verb, dryRun, group, version, resource, subresource, scope } = labels;
    const key = `${verb} ${dryRun} ${group} ${version} ${resource} ${subresource} ${scope}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = this.metrics.series(labels);
      this.#series.set(key, series);
    }
    return series;
  }
}

const readOnlyVerbs: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/** One request: its id, its deadline, its place among those in flight. */
export class RequestScope {
  readonly auditId: string;
  readonly #operation: Operation;
  readonly #request: ApiRequest;
  readonly #startedMs: number;
  #info: RequestInfo | undefined;
  #place: RequestKind | undefined;
  #isServed = false;
  #isWatch = false;
  #isLongRunning = false;
  #series: RequestSeries | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #abort: AbortController | undefined;
  /** Why its work is not waited for any longer. */
  #givenUp: "deadline" | "gone" | undefined;
  #isAnswered = false;
  #giveUp: (response: ApiResponse) => void = () => {};
  readonly #onGone = (): void => this.#stop("gone");

  constructor(operation: Operation, request: ApiRequest) {
    this.#operation = operation;
    this.#request = request;
    this.#startedMs = operation.nowMs();
    this.auditId = auditIdOf(request.headers["audit-id"], operation.host.uuid);
  }

  /** The id as errors and logs name it. */
  get requestId(): string {
    return shortAuditId(this.auditId);
  }

  /** Aborts when the client is gone or the deadline has passed. A connection has one for both: to make one is dear. */
  get signal(): AbortSignal {
    if (this.#isWatch || this.#request.connection !== undefined) return this.#request.signal;
    this.#abort ??= new AbortController();
    if (this.#givenUp !== undefined) this.#abort.abort();
    return this.#abort.signal;
  }

  /**
   * Reads what is asked for. From here on the deadline runs.
   *
   * @param isServed Whether there is such a kind: only then are its names fit for metrics.
   * @throws {ApiStatusError} `BadRequest` for a path or a `timeout` that cannot be read.
   */
  begin(isServed: (info: ResourceRequestInfo) => boolean): RequestInfo {
    const { method, url } = this.#request;
    const info = requestInfo(method, url);
    this.#info = info;
    this.#isServed = info.isResource && isServed(info);
    this.#isWatch = info.isResource && info.verb === "watch";
    if (!this.#isWatch) {
      const ms = deadlineMs(info.query, this.#operation.requestTimeoutMs);
      this.#timer = setTimeout(() => this.#stop("deadline"), ms);
    }
    return info;
  }

  /**
   * What `work` resolves to; or the 504 when the deadline comes first, and nothing of use when the client goes first. What
   * fails after the deadline goes to the log: nobody else hears of it.
   */
  withinDeadline(work: Promise<ApiResponse>): Promise<ApiResponse> {
    if (this.#isWatch) return work;
    return new Promise((resolve, reject) => {
      this.#giveUp = resolve;
      work.then(resolve, (error: unknown) => {
        if (this.#givenUp === "deadline" && !isExpected(error)) this.#logError("after its deadline", error);
        reject(error);
      });
      const { connection, signal } = this.#request;
      if (connection !== undefined) void connection.sent.then(this.#onGone);
      else signal.addEventListener("abort", this.#onGone);
      if (signal.aborted) this.#onGone();
    });
  }

  /** Takes a place among the requests in flight; `false` when there is none left. Watches are only counted. */
  enter(user: UserInfo, info: RequestInfo): boolean {
    const { inFlight, nowMs } = this.#operation;
    if (this.#isWatch) {
      this.#isLongRunning = this.#isServed;
      if (!this.#isLongRunning) return true;
      this.#operation.longRunning += 1;
      this.#seriesNow()?.longRunning(1);
      return true;
    }
    const kind: RequestKind = readOnlyVerbs.has(info.verb) ? "readOnly" : "mutating";
    const isPrivileged = user.groups.includes("system:masters");
    if (this.#givenUp !== undefined || this.#isAnswered) return true; // authenticated too late: nobody waits
    if (!inFlight.enter(kind, { isPrivileged, nowMs: nowMs() })) {
      this.#seriesNow()?.terminated(429);
      return false;
    }
    this.#place = kind;
    return true;
  }

  /** The answer is made. Called once. */
  answer(response: ApiResponse): ApiResponse {
    clearTimeout(this.#timer);
    this.#isAnswered = true;
    const { connection, signal } = this.#request;
    const { body } = response;
    if (connection !== undefined) {
      void connection.sent.then(({ bytes }) => this.#finish(response.status, bytes));
      return response;
    }
    signal.removeEventListener("abort", this.#onGone);
    // Without a connection an answer is out when it is made, a stream when it has been read.
    if (typeof body === "object" && !(body instanceof Uint8Array)) {
      return { ...response, body: observed(body, () => this.#finish(response.status, 0)) };
    }
    this.#finish(response.status, body?.length ?? 0);
    return response;
  }

  #stop(why: "deadline" | "gone"): void {
    if (this.#isAnswered || this.#givenUp !== undefined) return;
    this.#givenUp = why;
    if (why === "deadline") this.#seriesNow()?.terminated(504);
    this.#giveUp(why === "deadline" ? deadlineExceeded() : clientGone());
    this.#request.connection?.abort();
    this.#abort?.abort();
  }

  #seriesNow(): RequestSeries | undefined {
    if (this.#info === undefined) return undefined;
    this.#series ??= this.#operation.seriesOf(this.#request, this.#info, this.#isServed);
    return this.#series;
  }

  #logError(when: string, error: unknown): void {
    this.#operation.host.logError(`request ${this.requestId} ${when}`, error);
  }

  #finish(status: number, bytes: number): void {
    const { inFlight, nowMs } = this.#operation;
    const now = nowMs();
    if (this.#place !== undefined) inFlight.leave(this.#place, now);
    if (this.#isLongRunning) this.#operation.longRunning -= 1;
    try {
      this.#tell(status, bytes, now - this.#startedMs);
    } catch (error) {
      this.#logError("could not be counted or logged", error);
    }
  }

  #tell(status: number, bytes: number, latencyMs: number): void {
    const series = this.#seriesNow();
    if (this.#isLongRunning) series?.longRunning(-1);
    series?.answered(status, latencyMs / 1_000, bytes);
    if (this.#givenUp === "gone") series?.aborted();
    const { method, url, headers, connection } = this.#request;
    this.#operation.requestLog?.({
      verb: reportedVerb(method, this.#info, headers["content-type"]),
      uri: loggedUri(url, this.#info),
      latencyMs,
      userAgent: headers["user-agent"] ?? "",
      auditId: this.requestId,
      sourceAddress: connection?.remoteAddress ?? "",
      status,
    });
  }
}

/** A refusal, or what a work says that has looked at its signal. */
function isExpected(error: unknown): boolean {
  return ApiStatusError.isApiStatusError(error) || (error instanceof Error && error.name === "AbortError");
}

/** `stream`, and `onEnd` once it has ended, in whatever way. A stream that nobody ever reads does not end. */
function observed<T>(stream: AsyncIterable<T>, onEnd: () => void): AsyncIterable<T> {
  let isOver = false;
  const over = (): void => {
    if (!isOver) onEnd();
    isOver = true;
  };
  return {
    [Symbol.asyncIterator]: () => {
      const chunks = stream[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const next = await chunks.next();
            if (next.done === true) over();
            return next;
          } catch (error) {
            over();
            throw error;
          }
        },
        async return() {
          over();
          await chunks.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
