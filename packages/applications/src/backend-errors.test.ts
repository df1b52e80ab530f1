import {
  ApiStatusError,
  alreadyExists,
  conflict,
  expired,
  forbidden,
  invalid,
  MODIFIED_SINCE_READ,
  notFound,
} from "@slipway/objects";
import { expect, test } from "vitest";
import { inApplicationWords } from "./backend-errors.ts";
import type { Definition } from "./definition.ts";

const definition = { kind: "Redis", plural: "redises", release: { prefix: "redis-" } } as Definition;
const releases = { group: "helm.toolkit.fluxcd.io", resource: "helmreleases" };
const release = { group: "helm.toolkit.fluxcd.io", kind: "HelmRelease" };

test.for([
  {
    rule: "a missing one",
    error: notFound(releases, "redis-db"),
    message: 'redises.apps.cozystack.io "db" not found',
    details: { name: "db", group: "apps.cozystack.io", kind: "redises" },
  },
  {
    rule: "an existing one",
    error: alreadyExists(releases, "redis-db"),
    message: 'redises.apps.cozystack.io "db" already exists',
    details: { name: "db", group: "apps.cozystack.io", kind: "redises" },
  },
  {
    rule: "a conflict",
    error: conflict(releases, "redis-db", MODIFIED_SINCE_READ),
    message: `Operation cannot be fulfilled on redises.apps.cozystack.io "db": ${MODIFIED_SINCE_READ}`,
    details: { name: "db", group: "apps.cozystack.io", kind: "redises" },
  },
  {
    rule: "a refusal with a cause",
    error: forbidden(releases, "redis-db", "no more room", [
      { reason: "X", message: "m", field: "metadata.namespace" },
    ]),
    message: 'redises.apps.cozystack.io "db" is forbidden: no more room',
    details: {
      name: "db",
      group: "apps.cozystack.io",
      kind: "redises",
      causes: [{ reason: "X", message: "m", field: "metadata.namespace" }],
    },
  },
  {
    rule: "an invalid field of the values",
    error: invalid(release, "redis-db", [
      { type: "FieldValueInvalid", field: "spec.values.size", value: 1, detail: "must be less" },
    ]),
    message: 'Redis.apps.cozystack.io "db" is invalid: spec.size: Invalid value: 1: must be less',
    details: {
      name: "db",
      group: "apps.cozystack.io",
      kind: "Redis",
      causes: [{ reason: "FieldValueInvalid", message: "Invalid value: 1: must be less", field: "spec.size" }],
    },
  },
  {
    rule: "the platform's own lack of rights",
    error: forbidden(
      releases,
      "redis-db",
      'User "system:serviceaccount:a:b" cannot create resource "helmreleases" in API group "helm.toolkit.fluxcd.io"',
    ),
    message:
      'redises.apps.cozystack.io "db" is forbidden: User "system:serviceaccount:a:b" cannot create resource "redises" ' +
      'in API group "apps.cozystack.io"',
    details: { name: "db", group: "apps.cozystack.io", kind: "redises" },
  },
])("$rule is said of the application", ({ error, message, details }) => {
  const said = inApplicationWords(error, definition, "db");
  expect(ApiStatusError.isApiStatusError(said)).toBe(true);
  const { status } = said as ApiStatusError;
  expect(status).toMatchObject({ code: error.status.code, reason: error.status.reason, message });
  expect(status.details).toEqual(details);
  expect(JSON.stringify(status)).not.toMatch(/helm/i);
});

test.for([
  ["about a namespace", notFound({ group: "", resource: "namespaces" }, "x")],
  ["about a version", expired("too old resource version: 5 (100)")],
  ["no refusal at all", new TypeError("boom")],
] as const)("an error %s is left as it is", ([, error]) => {
  expect(inApplicationWords(error, definition, "db")).toBe(error);
});
