import { ApiStatusError } from "./errors.ts";
import type { FieldError } from "./field-error.ts";
import { formatFieldError, formatFieldErrorBody } from "./field-error.ts";
import { formatGroupKind, formatGroupResource, type GroupResource } from "./gvk.ts";
import type { JsonObject } from "./json.ts";

/** Every reason that this server family answers with, and its HTTP status. */
export const statusCodes = {
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Invalid: 422,
  ServerTimeout: 500,
  Timeout: 504,
  TooManyRequests: 429,
  BadRequest: 400,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  InternalError: 500,
  Expired: 410,
  ServiceUnavailable: 503,
} as const;
export type StatusReason = keyof typeof statusCodes;

export interface StatusCause extends JsonObject {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly field?: string | undefined;
}

export interface StatusDetails extends JsonObject {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  /** The resource, except in Invalid and delete preconditions, where it is the kind. */
  readonly kind?: string | undefined;
  readonly uid?: string | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** The body of every refusal, and of a deletion that is complete (meta/v1 Status). */
export interface Status extends JsonObject {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: JsonObject;
  readonly status: "Success" | "Failure";
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: StatusDetails | undefined;
  readonly code: number;
}

/** A failure Status. `details` and an empty `reason` are left out, as Kubernetes does. */
export function failure(reason: StatusReason, message: string, details?: StatusDetails): Status {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code: statusCodes[reason],
  };
}

function named(resource: GroupResource, name: string): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(resource.group === "" ? {} : { group: resource.group }),
    kind: resource.resource,
  };
}

export function badRequest(message: string): ApiStatusError {
  return new ApiStatusError(failure("BadRequest", message));
}

export function notFound(resource: GroupResource, name: string): ApiStatusError {
  return new ApiStatusError(
    failure("NotFound", `${formatGroupResource(resource)} "${name}" not found`, named(resource, name)),
  );
}

/** The answer for a path below a served group version that names no resource. */
export function unknownResource(): ApiStatusError {
  return new ApiStatusError(failure("NotFound", "the server could not find the requested resource", {}));
}

export function alreadyExists(resource: GroupResource, name: string): ApiStatusError {
  return new ApiStatusError(
    failure("AlreadyExists", `${formatGroupResource(resource)} "${name}" already exists`, named(resource, name)),
  );
}

export function conflict(resource: GroupResource, name: string, why: string): ApiStatusError {
  return new ApiStatusError(
    failure(
      "Conflict",
      `Operation cannot be fulfilled on ${formatGroupResource(resource)} "${name}": ${why}`,
      named(resource, name),
    ),
  );
}

/** What Kubernetes says when a resourceVersion is stale. */
export const MODIFIED_SINCE_READ: string =
  "the object has been modified; please apply your changes to the latest version and try again";

export function forbidden(
  resource: GroupResource,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
): ApiStatusError {
  const subject = name === "" ? formatGroupResource(resource) : `${formatGroupResource(resource)} "${name}"`;
  const details = { ...named(resource, name), ...(causes === undefined ? {} : { causes }) };
  return new ApiStatusError(failure("Forbidden", `${subject} is forbidden: ${why}`, details));
}

export function methodNotAllowed(resource: GroupResource, verb: string): ApiStatusError {
  return new ApiStatusError(
    failure(
      "MethodNotAllowed",
      `${verb} is not supported on resources of kind "${formatGroupResource(resource)}"`,
      named(resource, ""),
    ),
  );
}

/** 410: the version asked for is no longer kept. Clients list again. */
export function expired(message: string): ApiStatusError {
  return new ApiStatusError(failure("Expired", message));
}

/** 422 with every error as a cause. `errors` must not be empty; exact duplicates are reported once in the message. */
export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): ApiStatusError {
  const lines = [...new Set(errors.map(formatFieldError))];
  const text = lines.length === 1 ? lines[0] : `[${lines.join(", ")}]`;
  return new ApiStatusError(
    failure("Invalid", `${formatGroupKind(kind)} "${name}" is invalid: ${text}`, {
      ...(name === "" ? {} : { name }),
      ...(kind.group === "" ? {} : { group: kind.group }),
      ...(kind.kind === "" ? {} : { kind: kind.kind }),
      causes: errors.map((error) => ({
        reason: error.type,
        message: formatFieldErrorBody(error),
        field: error.field,
      })),
    }),
  );
}
