import { describe, expect, test } from "vitest";
import { ApiStatusError, SlipwayError } from "./errors.ts";
import {
  alreadyExists,
  conflict,
  expired,
  failure,
  forbidden,
  invalid,
  methodNotAllowed,
  notFound,
  unknownResource,
} from "./status.ts";

const widgets = { group: "example.dev", resource: "widgets" };
const pods = { group: "", resource: "pods" };

// As kube-apiserver 1.36.3 words them.
test.for([
  {
    error: notFound(widgets, "a"),
    code: 404,
    reason: "NotFound",
    message: 'widgets.example.dev "a" not found',
    details: { name: "a", group: "example.dev", kind: "widgets" },
  },
  {
    error: notFound(pods, "a"),
    code: 404,
    reason: "NotFound",
    message: 'pods "a" not found',
    details: { name: "a", kind: "pods" },
  },
  {
    error: unknownResource(),
    code: 404,
    reason: "NotFound",
    message: "the server could not find the requested resource",
    details: {},
  },
  {
    error: alreadyExists(widgets, "a"),
    code: 409,
    reason: "AlreadyExists",
    message: 'widgets.example.dev "a" already exists',
    details: { name: "a", group: "example.dev", kind: "widgets" },
  },
  {
    error: conflict(pods, "a", "why"),
    code: 409,
    reason: "Conflict",
    message: 'Operation cannot be fulfilled on pods "a": why',
    details: { name: "a", kind: "pods" },
  },
  {
    error: forbidden(widgets, "", "why"),
    code: 403,
    reason: "Forbidden",
    message: "widgets.example.dev is forbidden: why",
    details: { group: "example.dev", kind: "widgets" },
  },
  {
    error: methodNotAllowed(pods, "watch"),
    code: 405,
    reason: "MethodNotAllowed",
    message: 'watch is not supported on resources of kind "pods"',
    details: { kind: "pods" },
  },
  { error: expired("too old"), code: 410, reason: "Expired", message: "too old", details: undefined },
])("$code $message", ({ error, details, ...status }) => {
  expect(error.status).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    ...status,
    ...(details && { details }),
  });
  expect("details" in error.status).toBe(details !== undefined);
  expect([error.message, error.code]).toEqual([status.message, "API_STATUS"]);
});

describe("invalid", () => {
  const kind = { group: "example.dev", kind: "Widget" };
  const required = { type: "FieldValueRequired", field: "spec.a" } as const;

  test("one error stands by itself", () => {
    expect(invalid(kind, "w", [required]).status).toMatchObject({
      code: 422,
      message: 'Widget.example.dev "w" is invalid: spec.a: Required value',
      details: {
        name: "w",
        group: "example.dev",
        kind: "Widget",
        causes: [{ reason: "FieldValueRequired", message: "Required value", field: "spec.a" }],
      },
    });
  });

  test("several stand in brackets, a repeated one once, and each is a cause", () => {
    const { message, details } = invalid(kind, "", [required, { ...required, field: "spec.b" }, required]).status;
    expect(message).toBe('Widget.example.dev "" is invalid: [spec.a: Required value, spec.b: Required value]');
    expect(details?.causes).toHaveLength(3);
    expect(details).not.toHaveProperty("name");
  });
});

test("errors are known by a symbol, not by their class", () => {
  const error = new ApiStatusError(failure("Gone", "gone"), { cause: "why" });
  expect([SlipwayError.isSlipwayError(error), ApiStatusError.isApiStatusError(error)]).toEqual([true, true]);
  const other = new SlipwayError("m", { code: "USAGE" });
  expect([SlipwayError.isSlipwayError(other), ApiStatusError.isApiStatusError(other)]).toEqual([true, false]);
  expect([SlipwayError.isSlipwayError(null), SlipwayError.isSlipwayError(new Error("m"))]).toEqual([false, false]);
  expect(error.cause).toBe("why");
  expect(Object.keys(error)).not.toContain("slipway.SlipwayError");
});
