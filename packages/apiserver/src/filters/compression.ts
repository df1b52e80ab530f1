import type { ApiResponse } from "../request.ts";

/** Makes gzip of a whole body. */
export type Compressor = (body: string | Uint8Array) => Promise<Uint8Array>;

/** Up to here compressing costs more than it spares (kube-apiserver's threshold). */
const thresholdBytes = 128 * 1024;

/** Whether `Accept-Encoding` lists `gzip` as it stands. Like kube-apiserver, weights and `*` are not understood. */
export function acceptsGzip(header: string | undefined): boolean {
  return header?.includes("gzip") === true && header.split(",").some((token) => token.trim() === "gzip");
}

/** The answer with its body as gzip, when that is long and whole; any other answer as it is. Streams never are. */
export async function compressed(response: ApiResponse, compress: Compressor): Promise<ApiResponse> {
  const { body, headers } = response;
  const isWhole = typeof body === "string" || body instanceof Uint8Array;
  if (!isWhole || headers["content-encoding"] !== undefined || !isLong(body)) return response;
  const { vary = [] } = headers;
  const lines = typeof vary === "string" ? [vary] : vary;
  const isNamed = lines.some((line) => line.toLowerCase().includes("accept-encoding"));
  return {
    ...response,
    headers: {
      ...headers,
      "content-encoding": "gzip",
      vary: isNamed ? lines : [...lines, "Accept-Encoding"],
    },
    body: await compress(body),
  };
}

/** Bytes are counted only where the number of characters leaves it open. */
function isLong(body: string | Uint8Array): boolean {
  if (typeof body !== "string") return body.byteLength > thresholdBytes;
  if (body.length > thresholdBytes) return true;
  return body.length * 3 > thresholdBytes && new TextEncoder().encode(body).byteLength > thresholdBytes;
}
