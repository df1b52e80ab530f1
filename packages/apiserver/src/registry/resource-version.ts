import {
  ApiStatusError,
  badRequest,
  expired,
  failure,
  isJsonObject,
  JsonSyntaxError,
  type JsonValue,
  parseJson,
} from "@slipway/objects";

/** An unsigned decimal number as Go's ParseUint takes it; `undefined` when it is none. */
export function parseRevision(text: string): number | undefined {
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

const maxUint64 = 2n ** 64n - 1n;

/** @throws {ApiStatusError} `BadRequest` when `text` is not a version. */
export function requireRevision(text: string): number {
  const revision = parseRevision(text);
  if (revision !== undefined) return revision;
  const value = JSON.stringify(text);
  const why = /^\d+$/.test(text) && BigInt(text) > maxUint64 ? "value out of range" : "invalid syntax";
  throw badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${value}: strconv.ParseUint: parsing ${value}: ${why}`,
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

export interface ContinueToken {
  /** The revision that all pages show; -1: whatever is present when the page is asked for. */
  readonly revision: number;
  /** The last key of the page before, below the prefix of the list: `/name`, or `/namespace/name`. */
  readonly after: string;
}

const versionOfTokens = "meta.k8s.io/v1";

/**
 * Opaque to clients: where the next page starts. The form is that of Kubernetes (apiserver's storage.EncodeContinue), so
 * that tools which look into tokens understand ours.
 */
export function formatContinue({ revision, after }: ContinueToken): string {
  const json = JSON.stringify({ v: versionOfTokens, rv: revision, start: `${after}\u0000` });
  const ascii = json.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return btoa(ascii).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @throws {ApiStatusError} `BadRequest` when the token is none. */
export function parseContinue(text: string): ContinueToken {
  const token = decodeToken(text);
  const { v: version = "", rv: revision = 0, start = "" } = isJsonObject(token) ? token : {};
  if (version !== versionOfTokens) throw badToken(`server does not recognize this encoded version ${version}`);
  if (typeof revision !== "number" || !Number.isSafeInteger(revision) || revision === 0) {
    throw badToken(`incorrect encoded start resourceVersion (version ${versionOfTokens})`);
  }
  if (typeof start !== "string" || start === "") {
    throw badToken(`encoded start key empty (version ${versionOfTokens})`);
  }
  const key = (start.startsWith("/") ? start : `/${start}`).replace(/\0$/, "");
  if (key.split("/").some((part, index) => part === ".." || part === "." || (part === "" && index > 0))) {
    throw badToken(start);
  }
  return { revision, after: key };
}

function decodeToken(text: string): JsonValue {
  const clean = text.replace(/[\r\n]/g, "");
  const wrong = text.search(/[^A-Za-z0-9_\r\n-]/);
  const position = wrong === -1 && clean.length % 4 === 1 ? text.length - 1 : wrong;
  if (position !== -1) throw badToken(`illegal base64 data at input byte ${position}`);
  const binary = atob(clean.replaceAll("-", "+").replaceAll("_", "/"));
  try {
    return parseJson(binary);
  } catch (cause) {
    throw badToken(cause instanceof JsonSyntaxError ? cause.reason : String(cause));
  }
}

function badToken(why: string): ApiStatusError {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}

/** 410 for a page whose state is no longer kept, with a token that goes on with the present one. */
export function expiredContinue(after: string): ApiStatusError {
  const { status } = expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
      "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
      "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
      "deleted between the time the first chunk was returned and now may show up in the list.",
  );
  return new ApiStatusError({
    ...status,
    metadata: { continue: formatContinue({ revision: -1, after: after.replace(/^\//, "") }) },
  });
}
