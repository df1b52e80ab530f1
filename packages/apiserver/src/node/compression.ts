import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { WireHeaders } from "./http-headers.ts";

/** Below this size compression costs more than it saves (kube-apiserver's threshold). */
const MIN_BYTES = 128 * 1024;

const gzipped = promisify(gzip);

export interface EncodedBody {
  readonly headers: WireHeaders;
  readonly bytes: Uint8Array;
}

/**
 * A large body in gzip, for a client whose `Accept-Encoding` has that token; otherwise as it is. Never for streams: each
 * part of them must arrive at once.
 *
 * @see Kubernetes, apiserver's deferredResponseWriter
 */
export async function encodeBody(body: EncodedBody, acceptEncoding: string | undefined): Promise<EncodedBody> {
  const { headers, bytes } = body;
  if (bytes.byteLength <= MIN_BYTES || headers["content-encoding"] !== undefined) return body;
  if (!takesGzip(acceptEncoding)) return body;
  // The fastest level: the same machine answers others meanwhile.
  const encoded = await gzipped(bytes, { level: constants.Z_BEST_SPEED });
  return { headers: { ...headers, "content-encoding": "gzip", vary: varyOf(headers) }, bytes: encoded };
}

function takesGzip(acceptEncoding = ""): boolean {
  return acceptEncoding.split(",").some((token) => token.trim() === "gzip");
}

/** What the answer varies by already, and the encoding, once. */
function varyOf({ vary = [] }: WireHeaders): string[] {
  const lines = [...(typeof vary === "string" ? [vary] : vary)];
  const isNamed = lines.some((line) => line.toLowerCase().includes("accept-encoding"));
  return isNamed ? lines : [...lines, "Accept-Encoding"];
}
