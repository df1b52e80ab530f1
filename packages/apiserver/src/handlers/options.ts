import {
  type ApiStatusError,
  badRequest,
  type FieldError,
  type FieldRequirement,
  invalid,
  type LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
  SlipwayError,
} from "@slipway/objects";
import { parseContinue, requireRevision } from "../registry/resource-version.ts";
import type { ListRequest, WatchRequest, WriteRequest } from "../registry/rest.ts";
import type { ResourceRequestInfo } from "../request-info.ts";
import { booleanParameter } from "../request-info.ts";

export type FieldValidation = "Strict" | "Warn" | "Ignore";

export interface WriteOptions extends WriteRequest {
  readonly fieldValidation: FieldValidation;
}

type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "DeleteOptions" | "ListOptions";

function invalidOptions(kind: OptionsKind, errors: readonly FieldError[]): ApiStatusError {
  return invalid({ group: "meta.k8s.io", kind }, "", errors);
}

const fieldValidations: ReadonlySet<string> = new Set(["", "Ignore", "Strict", "Warn"]);

/**
 * The options of a write, from the query. Errors are reported together, in the words of Kubernetes' option validation.
 *
 * @throws {ApiStatusError} `Invalid` with every option that is wrong.
 */
export function writeOptions(
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  query: URLSearchParams,
  userAgent: string | undefined,
): WriteOptions {
  const errors: FieldError[] = [];
  const manager = query.get("fieldManager") ?? "";
  if (kind === "PatchOptions" && query.has("force")) {
    errors.push({
      type: "FieldValueForbidden",
      field: "force",
      detail: "may not be specified for non-apply patch",
    });
  }
  errors.push(...managerErrors(manager), ...dryRunErrors(query.getAll("dryRun")));
  const validation = query.get("fieldValidation") ?? "";
  if (!fieldValidations.has(validation)) {
    errors.push({
      type: "FieldValueNotSupported",
      field: "fieldValidation",
      value: validation,
      detail: 'supported values: "", "Ignore", "Strict", "Warn"',
    });
  }
  if (errors.length > 0) throw invalidOptions(kind, errors);
  return {
    dryRun: query.getAll("dryRun").includes("All"),
    fieldManager: manager === "" ? managerOfAgent(userAgent) : manager,
    fieldValidation: validation === "Strict" || validation === "Ignore" ? validation : "Warn",
  };
}

function managerErrors(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (new TextEncoder().encode(manager).length > 128) {
    errors.push({ type: "FieldValueTooLong", field: "fieldManager", detail: "may not be more than 128 bytes" });
  }
  for (const [index, char] of [...manager].entries()) {
    if (/[\p{C}\p{Zl}\p{Zp}]/u.test(char)) {
      errors.push({
        type: "FieldValueInvalid",
        field: "fieldManager",
        value: manager,
        detail: `invalid character ${codePoint(char)} (at position ${index})`,
      });
    }
  }
  return errors;
}

/** As Go's `%#U` prints a character that cannot be shown: `U+0001`. */
function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** `dryRun` takes the value `All` only; anything else is refused rather than taken for a real write. */
export function dryRunErrors(values: readonly string[]): FieldError[] {
  return values.every((value) => value === "All")
    ? []
    : [
        {
          type: "FieldValueNotSupported",
          field: "dryRun",
          value: [...values],
          detail: 'supported values: "All"',
        },
      ];
}

/** The part of the User-Agent before its first slash, printable characters only, at most 128 bytes; else `unknown`. */
export function managerOfAgent(userAgent: string | undefined): string {
  const name = ((userAgent ?? "").split("/", 1)[0] ?? "").replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "");
  return name === "" ? "unknown" : name.slice(0, 128);
}

function parseSelectorWith<T>(parse: (text: string) => T, text: string, prefix: string): T {
  try {
    return parse(text);
  } catch (error) {
    if (SlipwayError.isSlipwayError(error) && error.code === "INVALID_SELECTOR")
      throw badRequest(prefix + error.message);
    throw error;
  }
}

function selectors(query: URLSearchParams): {
  readonly labels: LabelSelector;
  readonly fields: readonly FieldRequirement[];
} {
  return {
    labels: parseSelectorWith(parseLabelSelector, query.get("labelSelector") ?? "", ""),
    fields: parseSelectorWith(parseFieldSelector, query.get("fieldSelector") ?? "", ""),
  };
}

const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n } as const;

/**
 * Go's strconv.ParseInt in base 10 and its error text, which clients see. What no number of ours can hold becomes the
 * nearest one that can: to count beyond it makes no difference.
 *
 * @throws {ApiStatusError} `BadRequest` when it is no 64-bit integer.
 */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?\d+$/.test(text)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  const value = BigInt(text.replace("+", ""));
  if (value < int64.min || value > int64.max) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  }
  return Math.max(Math.min(Number(value), Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
}

/**
 * A name in the URL of a watch narrows it to that object; it must agree with the field selector.
 *
 * @throws {ApiStatusError} `BadRequest`
 */
function fieldsWithName(info: ResourceRequestInfo, fields: readonly FieldRequirement[]): readonly FieldRequirement[] {
  if (info.name === "") return fields;
  const other = fields.some(
    ({ field, operator, value }) => field === "metadata.name" && (operator === "=") !== (value === info.name),
  );
  if (other) throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return [...fields, { field: "metadata.name", operator: "=", value: info.name }];
}

const matchForbidden = (detail: string): FieldError => ({
  type: "FieldValueForbidden",
  field: "resourceVersionMatch",
  detail,
});

function matchNotSupported(value: string, supported: string): FieldError {
  return {
    type: "FieldValueNotSupported",
    field: "resourceVersionMatch",
    value,
    detail: `supported values: ${supported}`,
  };
}

/**
 * @throws {ApiStatusError} `BadRequest` for parameters that do not parse, `Invalid` for combinations that are refused
 * (Kubernetes' list options: KEP-2340, KEP-3157).
 */
export function listRequest(info: ResourceRequestInfo): ListRequest {
  const { query } = info;
  integerParameter(query, "timeoutSeconds"); // a hint, but it has to be a number
  const limit = integerParameter(query, "limit");
  const { labels, fields } = selectors(query);
  const resourceVersion = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const token = query.get("continue") ?? "";
  const errors: FieldError[] = [];
  if (match !== "") {
    if (resourceVersion === "") {
      errors.push(matchForbidden("resourceVersionMatch is forbidden unless resourceVersion is provided"));
    }
    if (token !== "") errors.push(matchForbidden("resourceVersionMatch is forbidden when continue is provided"));
    if (match !== "Exact" && match !== "NotOlderThan") {
      errors.push(matchNotSupported(match, '"Exact", "NotOlderThan", ""'));
    }
    if (match === "Exact" && resourceVersion === "0") {
      errors.push(matchForbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (query.has("sendInitialEvents")) {
    errors.push({
      type: "FieldValueForbidden",
      field: "sendInitialEvents",
      detail: "sendInitialEvents is forbidden for list",
    });
  }
  if (errors.length > 0) throw invalidOptions("ListOptions", errors);
  if (token !== "" && resourceVersion !== "" && resourceVersion !== "0") {
    parseContinue(token);
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  return {
    namespace: info.namespace,
    labels,
    fields: fieldsWithName(info, fields),
    ...(resourceVersion === "" ? {} : { resourceVersion }),
    ...(match === "Exact" || match === "NotOlderThan" ? { resourceVersionMatch: match } : {}),
    ...(limit === undefined || limit <= 0 ? {} : { limit }),
    ...(token === "" ? {} : { continue: token }),
  };
}

/** Beyond 2^31 milliseconds a timer would fire at once. */
const maxWatchSeconds = 2_000_000;

export interface WatchOptions {
  readonly request: WatchRequest;
  readonly bookmarks: boolean;
  /** Whether the end of the initial events is marked; Kubernetes implies it for watches from nothing or `0`. */
  readonly markInitialEventsEnd: boolean;
  /** Life of the watch; `undefined`: the server's default. */
  readonly timeoutSeconds: number | undefined;
}

export function watchOptions(info: ResourceRequestInfo): WatchOptions {
  const { query } = info;
  const timeoutSeconds = integerParameter(query, "timeoutSeconds");
  integerParameter(query, "limit"); // counts for nothing, but it has to be a number
  const { labels, fields } = selectors(query);
  const resourceVersion = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const sendInitialEvents = query.has("sendInitialEvents") ? booleanParameter(query, "sendInitialEvents") : undefined;
  const fromNothing = resourceVersion === "" || resourceVersion === "0";
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    errors.push(matchForbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (match !== "") {
    if (sendInitialEvents === undefined) {
      errors.push(matchForbidden("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
    }
    if (match !== "NotOlderThan") errors.push(matchNotSupported(match, '"NotOlderThan"'));
  }
  // A watch from nothing has the match rule of one that asks for the initial events.
  const isMatched = match !== "" || (sendInitialEvents === undefined && fromNothing);
  if (isMatched && (query.get("continue") ?? "") !== "") {
    errors.push(matchForbidden("resourceVersionMatch is forbidden when continue is provided"));
  }
  if (errors.length > 0) throw invalidOptions("ListOptions", errors);
  if (resourceVersion !== "") requireRevision(resourceVersion);
  return {
    request: {
      namespace: info.namespace,
      labels,
      fields: fieldsWithName(info, fields),
      ...(resourceVersion === "" ? {} : { resourceVersion }),
      ...(sendInitialEvents === undefined ? {} : { sendInitialEvents }),
    },
    bookmarks: booleanParameter(query, "allowWatchBookmarks"),
    markInitialEventsEnd: sendInitialEvents ?? fromNothing,
    timeoutSeconds:
      timeoutSeconds === undefined || timeoutSeconds <= 0 ? undefined : Math.min(timeoutSeconds, maxWatchSeconds),
  };
}
