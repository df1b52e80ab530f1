import type { ApiRequest, ApiResponse } from "../request.ts";

/** A document in memory, as it goes out. */
export interface Document {
  readonly text: string;
  /** Instead of the text, which then is another form of the same. */
  readonly body?: Uint8Array | undefined;
  /** Upper case hex SHA-512 of the text. */
  readonly hash: string;
  readonly builtAt: Date;
}

export interface DocumentHeaders {
  readonly "content-type": string;
  readonly [name: string]: string | readonly string[];
}

/**
 * 200 with the document, or 304 when `If-None-Match`, or without it `If-Modified-Since`, says that the client has it
 * (RFC 9110, 13.2.2).
 */
export function serveDocument(document: Document, request: ApiRequest, headers: DocumentHeaders): ApiResponse {
  const etag = `"${document.hash}"`;
  if (isKnown(document, etag, request.headers)) {
    const { "content-type": _, ...kept } = headers;
    return { status: 304, headers: { ...kept, etag } };
  }
  const lastModified = document.builtAt.toUTCString();
  return {
    status: 200,
    headers: { ...headers, etag, "last-modified": lastModified },
    body: document.body ?? document.text,
  };
}

function isKnown({ builtAt }: Document, etag: string, headers: ApiRequest["headers"]): boolean {
  const tags = headers["if-none-match"];
  if (tags !== undefined) {
    return tags.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
  }
  const since = Date.parse(headers["if-modified-since"] ?? "");
  return Number.isFinite(since) && Math.floor(builtAt.getTime() / 1000) * 1000 <= since;
}
