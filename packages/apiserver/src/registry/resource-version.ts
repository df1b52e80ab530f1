import { ApiStatusError, badRequest, failure } from "@slipway/objects";

/** An unsigned decimal number as Go's ParseUint takes it; `undefined` when it is none. */
export function parseRevision(text: string): number | undefined {
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

/** @throws {ApiStatusError} `BadRequest` when `text` is not a version. */
export function requireRevision(text: string): number {
  const revision = parseRevision(text);
  if (revision !== undefined) return revision;
  const value = JSON.stringify(text);
  throw badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${value}: strconv.ParseUint: parsing ${value}: invalid syntax`,
  );
}

/** 504: the version asked for has not happened yet. Reflectors look for the cause. */
export function tooLargeVersion(asked: number, current: number): ApiStatusError {
  return new ApiStatusError(
    failure("Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`, {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    }),
  );
}

interface ContinueToken {
  readonly revision: number;
  /** The last key of the page before, below the prefix of the kind. */
  readonly after: string;
}

const versionOfTokens = "slipway/v1";

/** Opaque to clients: where the next page starts, and the revision that all pages show. */
export function formatContinue(token: ContinueToken): string {
  const bytes = new TextEncoder().encode(
    JSON.stringify({ v: versionOfTokens, rv: token.revision, after: token.after }),
  );
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** @throws {ApiStatusError} `BadRequest` when the token is not one of ours. */
export function parseContinue(text: string): ContinueToken {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    const token: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (isToken(token)) return { revision: token.rv, after: token.after };
  } catch {
    // Falls through: whatever does not decode is a bad token.
  }
  throw badRequest("invalid continue token: continue key is not valid: the token was not issued by this server");
}

function isToken(token: unknown): token is { readonly rv: number; readonly after: string } {
  return (
    typeof token === "object" &&
    token !== null &&
    "v" in token &&
    token.v === versionOfTokens &&
    "rv" in token &&
    Number.isSafeInteger(token.rv) &&
    "after" in token &&
    typeof token.after === "string"
  );
}
