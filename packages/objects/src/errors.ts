import type { Status } from "./status.ts";

/** Stable: callers match on it. Every code has a line in docs/errors.md. */
export type SlipwayErrorCode =
  | "API_STATUS"
  | "CHART_HOOK"
  | "DATA_FOLDER_IN_USE"
  | "DATA_FORMAT_TOO_NEW"
  | "DEPENDENCY_CYCLE"
  | "DUPLICATE_OBJECT"
  | "EXPORT_FAILED"
  | "INVALID_ANNOTATION"
  | "INVALID_DATA_KEY"
  | "INVALID_DEFINITION"
  | "INVALID_JSON"
  | "INVALID_LABEL"
  | "INVALID_NAME"
  | "INVALID_OBJECT"
  | "INVALID_PATCH"
  | "INVALID_QUANTITY"
  | "INVALID_SCHEMA"
  | "INVALID_SELECTOR"
  | "INVALID_VALUE"
  | "INVALID_YAML"
  | "MISSING_NAME"
  | "OUTPUT_COLLISION"
  | "PORT_IN_USE"
  | "READ_FAILED"
  | "STORAGE_FAILED"
  | "USAGE";

const SLIPWAY_ERROR: unique symbol = Symbol.for("slipway.SlipwayError");
const API_STATUS_ERROR: unique symbol = Symbol.for("slipway.ApiStatusError");

/** Root of every error that Slipway throws on purpose. Match on `code`: two copies of the package may be loaded. */
export class SlipwayError extends Error {
  override readonly name: string = "SlipwayError";
  readonly code: SlipwayErrorCode;

  constructor(message: string, options: { readonly code: SlipwayErrorCode; readonly cause?: unknown }) {
    super(message, options);
    this.code = options.code;
    Object.defineProperty(this, SLIPWAY_ERROR, { value: true });
  }

  static isSlipwayError(value: unknown): value is SlipwayError {
    return typeof value === "object" && value !== null && SLIPWAY_ERROR in value;
  }
}

/** A refusal as an API server words it. `status.code` is the HTTP status. */
export class ApiStatusError extends SlipwayError {
  override readonly name: string = "ApiStatusError";
  readonly status: Status;

  constructor(status: Status, options?: { readonly cause?: unknown }) {
    super(status.message ?? status.reason ?? "unknown", { ...options, code: "API_STATUS" });
    this.status = status;
    Object.defineProperty(this, API_STATUS_ERROR, { value: true });
  }

  static isApiStatusError(value: unknown): value is ApiStatusError {
    return typeof value === "object" && value !== null && API_STATUS_ERROR in value;
  }
}
