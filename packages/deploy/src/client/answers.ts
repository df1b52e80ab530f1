import {
  ApiStatusError,
  failure,
  formatGroupResource,
  type GroupResource,
  goQuote,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  parseJson,
  type Status,
  type StatusReason,
} from "@slipway/objects";
import { noUsableAnswer } from "./errors.ts";
import type { HttpMethod, TransportResponse } from "./transport.ts";

/** What a request was about, for the words of its refusal. */
export interface Subject {
  readonly method: HttpMethod;
  /** Absent for requests that are about no kind, such as discovery. */
  readonly resource?: GroupResource | undefined;
  /** `""` for collections. */
  readonly name: string;
}

/**
 * The whole body as text. What is not UTF-8 comes as U+FFFD.
 *
 * @throws {SlipwayError} `READ_FAILED` when it is larger than `maxBytes`.
 */
export async function readText({ body }: TransportResponse, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw noUsableAnswer(`the answer is larger than ${maxBytes} bytes. Ask for fewer objects.`);
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join("") + decoder.decode();
}

/** @throws {SlipwayError} `READ_FAILED` when `text` is not a JSON object that can be kept whole. */
export function parseAnswer(text: string, request: string): JsonObject {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (cause) {
    const reason = cause instanceof JsonSyntaxError ? cause.message : String(cause);
    throw noUsableAnswer(`${request}: the answer is not JSON that can be kept whole: ${reason}`, { cause });
  }
  if (isJsonObject(value)) return value;
  throw noUsableAnswer(`${request}: the answer is no object. Check that the server is a Kubernetes API server.`);
}

/** The error that an answer with an HTTP status of failure means. */
export function refusal(
  text: string,
  { status: code, headers }: Pick<TransportResponse, "status" | "headers">,
  subject: Subject,
): ApiStatusError {
  const status = readStatus(text, code);
  if (status !== undefined) return new ApiStatusError(status);
  const isText = (headers["content-type"] ?? "").startsWith("text/");
  const said = isText ? text.slice(0, MAX_SHOWN).trim() : "";
  return new ApiStatusError(genericStatus(code, said === "" ? "unknown" : said, retryAfter(headers), subject));
}

/** The error in an ERROR event. */
export function eventRefusal(object: JsonObject): ApiStatusError {
  const status = toStatus(object, 500);
  return new ApiStatusError(status ?? failure("InternalError", "the watch ended with an error that says nothing"));
}

/** Whether the server has said, by a Status of its own, that the object named is not there. */
export function isObjectMissing(error: unknown): boolean {
  return isRefusal(error, 404) && !isUnexplained(error) && (error.status.details?.name ?? "") !== "";
}

/** Whether the server has said that there is nothing at such an address: the kind, or its whole group, is not served. */
export function isKindMissing(error: unknown): boolean {
  return isRefusal(error, 404) && !isObjectMissing(error);
}

export function isRefusal(error: unknown, code: number): error is ApiStatusError {
  return ApiStatusError.isApiStatusError(error) && error.status.code === code;
}

/** What client-go calls an answer that has no Status. */
const UNEXPECTED = "UnexpectedServerResponse";

function isUnexplained({ status }: ApiStatusError): boolean {
  return (status.details?.causes ?? []).some(({ reason }) => reason === UNEXPECTED);
}

function readStatus(text: string, code: number): Status | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? toStatus(value, code) : undefined;
  } catch {
    return undefined;
  }
}

/** `code` when the Status has none. Kind and apiVersion may be missing: kube-apiserver's own deadline says neither. */
function toStatus(value: JsonObject, code: number): Status | undefined {
  const { kind = "Status", apiVersion = "v1", metadata = {}, status, message, reason, details, code: own } = value;
  if (kind !== "Status" || apiVersion !== "v1" || status !== "Failure") return undefined;
  if (!isOptionalText(message) || !isOptionalText(reason) || !isJsonObject(metadata)) return undefined;
  if (details !== undefined && !isDetails(details)) return undefined;
  return {
    ...value,
    kind,
    apiVersion,
    metadata,
    status,
    message,
    reason,
    details,
    code: typeof own === "number" && own > 0 ? own : code,
  };
}

function isDetails(value: JsonValue): value is NonNullable<Status["details"]> {
  if (!isJsonObject(value)) return false;
  const { causes = [], retryAfterSeconds = 0, name, group, kind, uid } = value;
  return (
    [name, group, kind, uid].every(isOptionalText) &&
    typeof retryAfterSeconds === "number" &&
    isJsonArray(causes) &&
    causes.every((cause) => isJsonObject(cause) && [cause.reason, cause.message, cause.field].every(isOptionalText))
  );
}

function isOptionalText(value: JsonValue | undefined): value is string | undefined {
  return value === undefined || typeof value === "string";
}

/** In characters, as client-go shows of a text that is no Status. */
const MAX_SHOWN = 2_048;

interface GenericAnswer {
  readonly reason: StatusReason;
  /** What the server said, when that is all there is to say. */
  readonly message: string | undefined;
}

/** @see client-go, apimachinery's NewGenericServerResponse */
const genericAnswers: Readonly<Record<number, GenericAnswer>> = {
  400: { reason: "BadRequest", message: "the server rejected our request for an unknown reason" },
  401: { reason: "Unauthorized", message: "the server has asked for the client to provide credentials" },
  403: { reason: "Forbidden", message: undefined },
  404: { reason: "NotFound", message: "the server could not find the requested resource" },
  405: { reason: "MethodNotAllowed", message: "the server does not allow this method on the requested resource" },
  406: { reason: "NotAcceptable", message: undefined },
  409: { reason: "Conflict", message: "the server reported a conflict" },
  415: { reason: "UnsupportedMediaType", message: undefined },
  422: { reason: "Invalid", message: "the server rejected our request due to an error in our request" },
  429: {
    reason: "TooManyRequests",
    message: "the server has received too many requests and has asked us to try again later",
  },
  503: { reason: "ServiceUnavailable", message: "the server is currently unable to handle the request" },
  504: {
    reason: "Timeout",
    message: "the server was unable to return a response in the time allotted, but may still be processing the request",
  },
};

function genericStatus(code: number, said: string, retryAfterSeconds: number | undefined, subject: Subject): Status {
  const { method, resource, name } = subject;
  const known = genericAnswers[code];
  const about =
    resource === undefined
      ? ""
      : ` (${[method.toLowerCase(), formatGroupResource(resource), name].filter((word) => word !== "").join(" ")})`;
  const reason = code === 409 && method === "POST" ? "AlreadyExists" : known?.reason;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `${known === undefined ? unknownAnswer(code, said) : (known.message ?? said)}${about}`,
    reason: reason ?? (code >= 500 ? "InternalError" : undefined),
    details: {
      ...(name === "" ? {} : { name }),
      ...(resource === undefined ? {} : { group: resource.group, kind: resource.resource }),
      causes: [{ reason: UNEXPECTED, message: said }],
      retryAfterSeconds,
    },
    code,
  };
}

function unknownAnswer(code: number, said: string): string {
  return code >= 500
    ? `an error on the server (${goQuote(said)}) has prevented the request from succeeding`
    : `the server responded with the status code ${code} but did not return more information`;
}

function retryAfter(headers: TransportResponse["headers"]): number | undefined {
  const text = headers["retry-after"] ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
