import type { ApiResponse, RequestHandler } from "@slipway/apiserver";
import type { IncomingResponse, OutgoingRequest, Sender } from "./sender.ts";

/** Marks a request without credentials; only the authenticator of clusters in process knows it. */
export const anonymousHeader = "x-replay-anonymous";

/** A server in this process, with nothing between the caller and the handler. */
export function inProcessSender(handle: RequestHandler): Sender {
  return {
    async send(request) {
      const response = await handle({
        method: request.method,
        url: request.path,
        headers: requestHeaders(request),
        body: bodyOf(request),
        signal: request.signal ?? new AbortController().signal,
      });
      return {
        status: response.status,
        headers: responseHeaders(response),
        body: bytesOf(request.method === "HEAD" ? { ...response, body: undefined } : response),
      };
    },
  };
}

function requestHeaders({ headers, anonymous }: OutgoingRequest): Record<string, string> {
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return anonymous === true ? { ...lowered, [anonymousHeader]: "1" } : lowered;
}

async function* bodyOf({ body = "" }: OutgoingRequest): AsyncGenerator<Uint8Array> {
  if (body !== "") yield Buffer.from(body);
}

function responseHeaders({ headers }: ApiResponse): IncomingResponse["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? [value] : value]),
  );
}

async function* bytesOf({ body }: ApiResponse): AsyncGenerator<Uint8Array> {
  if (body === undefined) return;
  if (typeof body === "string" || body instanceof Uint8Array) yield Buffer.from(body);
  else for await (const chunk of body) yield Buffer.from(chunk);
}
