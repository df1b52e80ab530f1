import { formatJson, type GroupResource, type JsonObject, type JsonValue } from "@slipway/objects";
import { parseAnswer, readText, refusal, type Subject } from "./answers.ts";
import type { HttpMethod, Transport, TransportRequest, TransportResponse } from "./transport.ts";
import { parseWarnings } from "./warnings.ts";

export interface ApiOptions {
  readonly transport: Transport;
  readonly userAgent: string;
  readonly onWarning: (text: string) => void;
  readonly maxAnswerBytes: number;
}

export interface ApiRequest {
  readonly method: HttpMethod;
  readonly path: string;
  readonly query?: URLSearchParams | undefined;
  readonly body?: JsonValue | undefined;
  /** @default "application/json" */
  readonly accept?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What the words of a refusal are about. */
  readonly resource?: GroupResource | undefined;
  /** @default "" */
  readonly name?: string | undefined;
}

/** Requests in the language of an API server: JSON both ways, refusals as `ApiStatusError`, warnings handed on. */
export class Api {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  /** The object that the server answers with. */
  async read(request: ApiRequest): Promise<JsonObject> {
    const response = await this.#send(request, false);
    return parseAnswer(await readText(response, this.#options.maxAnswerBytes), `${request.method} ${request.path}`);
  }

  /** The bytes of an answer that does not end by itself. Leaving the loop closes it. */
  async open(request: ApiRequest): Promise<AsyncIterable<Uint8Array>> {
    return (await this.#send(request, true)).body;
  }

  async #send(request: ApiRequest, isOpenEnded: boolean): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    const response = await this.#options.transport.send(this.#encode(request, isOpenEnded));
    for (const warning of parseWarnings(response.headers.warning)) this.#options.onWarning(warning);
    if (response.status >= 200 && response.status < 300) return response;
    const text = await readText(response, this.#options.maxAnswerBytes);
    const { method, resource, name = "" } = request;
    throw refusal(text, response, { method, resource, name } satisfies Subject);
  }

  #encode({ method, path, query, body, accept, signal }: ApiRequest, isOpenEnded: boolean): TransportRequest {
    const parameters = query?.toString() ?? "";
    return {
      method,
      path: parameters === "" ? path : `${path}?${parameters}`,
      headers: {
        accept: accept ?? "application/json",
        "user-agent": this.#options.userAgent,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: formatJson(body) }),
      isOpenEnded,
      signal,
    };
  }
}
