import { parseFieldSelector, parseLabelSelector } from "@slipway/objects";
import { expect, test } from "vitest";
import type { Definition } from "./definition.ts";
import { applicationSelector } from "./selectors.ts";

const definition = { kind: "Redis", plural: "redises", release: { prefix: "redis-" } } as Definition;

function select(labels: string, fields = "", namespace = "") {
  return applicationSelector(definition, {
    namespace,
    labels: parseLabelSelector(labels),
    fields: parseFieldSelector(fields),
  });
}

const kind = "apps.cozystack.io/application.kind=Redis,apps.cozystack.io/application.group=apps.cozystack.io";

test.for([
  ["", kind],
  ["tier=db", `${kind},apps.cozystack.io-tier=db`],
  ["tier!=db", `${kind},apps.cozystack.io-tier!=db`],
  ["tier in (b,a)", `${kind},apps.cozystack.io-tier in (a,b)`],
  ["tier notin (a)", `${kind},apps.cozystack.io-tier notin (a)`],
  ["tier", `${kind},apps.cozystack.io-tier`],
  ["!tier", `${kind},!apps.cozystack.io-tier`],
  ["n>1,m<5", `${kind},apps.cozystack.io-m<5,apps.cozystack.io-n>1`],
  ["example.com/x=1", `${kind},apps.cozystack.io-example.com/x=1`],
  ["apps.cozystack.io/application.kind=Redis", `${kind},apps.cozystack.io-apps.cozystack.io/application.kind=Redis`],
] as const)("labels %j select releases by %s", ([labels, releases]) => {
  const { labelSelector } = select(labels).releases;
  expect(labelSelector).toBe(releases);
  expect(() => parseLabelSelector(labelSelector ?? "")).not.toThrow();
});

test("a key too long to be stored is left to the application's own labels", () => {
  const long = "a".repeat(46);
  const selector = select(`${long}!=x`);
  expect(selector.releases.labelSelector).toBe(kind);
  const application = { kind: "Redis", apiVersion: "apps.cozystack.io/v1alpha1", metadata: { name: "a" } };
  expect(selector.matches(application)).toBe(true);
  expect(select(`${long}=x`).matches(application)).toBe(false);
});

test.for([
  { fields: "metadata.name=db", matching: ["a/db", "b/db"], fieldSelector: "metadata.name=redis-db" },
  { fields: "metadata.name!=db", matching: ["a/x"], fieldSelector: undefined },
  { fields: "metadata.namespace=a", matching: ["a/db", "a/x"], fieldSelector: undefined },
  { fields: "metadata.namespace!=a", matching: ["b/db"], fieldSelector: undefined },
  { fields: "metadata.name=db,metadata.namespace=b", matching: ["b/db"], fieldSelector: "metadata.name=redis-db" },
  { fields: "metadata.name=no\\,such", matching: [], fieldSelector: undefined },
])("fields $fields", ({ fields, matching, fieldSelector }) => {
  const selector = select("", fields);
  expect(selector.releases.fieldSelector).toBe(fieldSelector);
  const all = ["a/db", "a/x", "b/db"];
  expect(all.filter((key) => selector.matchesKey(...(key.split("/") as [string, string])))).toEqual(matching);
});

test("a namespace asked for by field narrows the request", () => {
  expect(select("", "metadata.namespace=a").releases.namespace).toBe("a");
  expect(select("", "metadata.namespace=a", "b").releases.namespace).toBe("b");
  expect(select("", "metadata.namespace=a", "b").matchesKey("b", "x")).toBe(false);
});

test("other fields are refused", () => {
  expect(() => select("", "spec.replicas=1")).toThrow(
    '"spec.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"',
  );
});
