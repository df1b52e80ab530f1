import { ApiStatusError, failure } from "@slipway/objects";
import type { ApiRequest } from "../request.ts";

/** Kubernetes' limit for request bodies, in bytes. */
const maxBodyBytes = 3 * 1024 * 1024;

export function tooLarge(why: string): ApiStatusError {
  return new ApiStatusError(failure("RequestEntityTooLarge", `Request entity too large: ${why}`));
}

/**
 * The whole body, read once. Stops reading at the first byte over the limit.
 *
 * @throws {ApiStatusError} `RequestEntityTooLarge`
 */
export async function readBody(request: ApiRequest): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body) {
    length += chunk.length;
    if (length > maxBodyBytes) throw tooLarge(`limit is ${maxBodyBytes}`);
    chunks.push(chunk);
  }
  if (chunks.length === 1 && chunks[0] !== undefined) return chunks[0];
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const parameters = new RegExp(`^[^;]*(?:;\\s*${token}=(?:${token}|"(?:[^"\\\\]|\\\\.)*")\\s*)*(?:;\\s*)?$`);

/**
 * The media type of a `content-type` header without its parameters; `application/json` when the header is absent. A
 * header whose parameters are none comes back whole: it is of no type that anybody knows (RFC 9110, 8.3.1).
 */
export function mediaType(request: ApiRequest): string {
  const header = request.headers["content-type"] ?? "";
  if (!parameters.test(header)) return header;
  const type = (header.split(";", 1)[0] ?? "").trim().toLowerCase();
  return type === "" ? "application/json" : type;
}

export function unsupportedMediaType(accepted: readonly string[]): ApiStatusError {
  return new ApiStatusError(
    failure(
      "UnsupportedMediaType",
      `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
    ),
  );
}

/**
 * A body in the way API servers quote it in errors: its first 30 bytes, as text when it is JSON-like, else in hex.
 */
export function quoteBody(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const start = body.subarray(0, 30);
  const shown =
    body[0] === 0x7b
      ? new TextDecoder().decode(start)
      : Array.from(start, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return body.length > 30 ? `${shown} ...` : shown;
}
