import type { JsonObject, KubernetesObject } from "@slipway/objects";
import { expect, test } from "vitest";
import { applicationColumns } from "./table.ts";

const now = new Date("2026-01-01T01:00:00Z");

function cells(status: JsonObject, creationTimestamp = "2026-01-01T00:00:00Z") {
  const application: KubernetesObject = {
    kind: "Redis",
    apiVersion: "apps.cozystack.io/v1alpha1",
    metadata: { name: "db", creationTimestamp },
    status,
  };
  return applicationColumns.cells(application, now);
}

test("there are four columns, all texts", () => {
  expect(applicationColumns.columns.map(({ name }) => name)).toEqual(["NAME", "READY", "AGE", "VERSION"]);
  expect(new Set(applicationColumns.columns.map(({ type, priority }) => `${type} ${priority}`))).toEqual(
    new Set(["string 0"]),
  );
});

test("nothing known", () => {
  expect(cells({})).toEqual(["db", "Unknown", "60m", "<unknown>"]);
  expect(cells({}, "").at(2)).toBe("<unknown>");
  expect(cells({}, "2026-01-01T02:00:00Z").at(2)).toBe("<invalid>");
});

test.for([
  ["True", "True"],
  ["False", "False"],
  ["Unknown", "Unknown"],
  ["Maybe", "Unknown"],
] as const)("Ready %s is shown as %s", ([status, shown]) => {
  const conditions = [
    { type: "Released", status: "True" },
    { type: "Ready", status },
  ];
  expect(cells({ conditions }).at(1)).toBe(shown);
});

test.for([
  ["0.1.4+abcdef", "abcdef"],
  ["0.1.4+a+b", "b"],
  ["0.1.4", "0.1.4"],
  ["0.1.4+", "0.1.4+"],
  ["", "<unknown>"],
] as const)("version %j is shown as %s", ([version, shown]) => {
  expect(cells({ version }).at(3)).toBe(shown);
});
