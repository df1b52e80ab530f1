import { gunzipSync } from "node:zlib";

/** A request as it leaves. */
export interface OutgoingRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Without credentials. @default false */
  readonly anonymous?: boolean | undefined;
  /** Aborting closes the connection. */
  readonly signal?: AbortSignal | undefined;
}

export interface IncomingResponse {
  readonly status: number;
  /** Lower-case names; one entry for each header line. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** A server that sequences can be sent to. */
export interface Sender {
  /** Rejects with {@link NoAnswer} when the connection ended without an answer. */
  send(request: OutgoingRequest): Promise<IncomingResponse>;
}

export class NoAnswer extends Error {
  override readonly name: string = "NoAnswer";
}

/** The whole body, unpacked when it came as gzip. */
export async function readBytes({ headers, body }: IncomingResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return headers["content-encoding"]?.[0] === "gzip" && bytes.length > 0 ? gunzipSync(bytes) : bytes;
}
