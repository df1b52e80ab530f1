import { badRequest } from "@slipway/objects";
import { parseGoDuration } from "../go-duration.ts";
import type { ApiResponse } from "../request.ts";

/**
 * How long a request may take: `timeout` of the query, but not longer than `maxMs`. A timeout of zero or less is none of
 * the client's.
 *
 * @throws {ApiStatusError} `BadRequest` when the value is no Go duration.
 */
export function deadlineMs(query: URLSearchParams, maxMs: number): number {
  const asked = query.get("timeout") ?? "";
  if (asked === "") return maxMs;
  let askedMs: number;
  try {
    askedMs = parseGoDuration(asked);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw badRequest(`invalid timeout specified in the request URL - ${cause.message}`);
  }
  return askedMs > 0 ? Math.min(askedMs, maxMs) : maxMs;
}

/** To the letter what kube-apiserver sends: a Status without kind and apiVersion, as plain text. */
export function deadlineExceeded(): ApiResponse {
  return {
    status: 504,
    headers: { "content-type": "text/plain; charset=utf-8" },
    body: `${JSON.stringify({
      metadata: {},
      status: "Failure",
      message: "Timeout: request did not complete within the allotted timeout",
      reason: "Timeout",
      details: {},
      code: 504,
    })}\n`,
  };
}

/** Nobody gets to see it; logs and metrics say 499, as proxies do, for a client that did not wait for its answer. */
export function clientGone(): ApiResponse {
  return { status: 499, headers: {} };
}
