import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { explainStages } from "./explain-stages.ts";
import type { Edge } from "./graph.ts";
import { type GroupVersionKind, parseApiVersion } from "./gvk.ts";
import { findContradictions, type StageOptions, stages } from "./stages.ts";
import { weightOf } from "./weights.ts";

/** `apps/v1 Deployment web`. */
type Item = string;

function gvkOf(item: Item): GroupVersionKind {
  const [apiVersion = "", kind = ""] = item.split(" ");
  return { ...parseApiVersion(apiVersion), kind };
}
const nameOf = (item: Item): string => item.split(" ").slice(1).join("/");

function draw(items: readonly Item[], options: StageOptions<Item> = {}): string {
  return stages(items, gvkOf, options)
    .map(
      ({ items: list, clusterDefinitions }) =>
        `${clusterDefinitions ? "definitions: " : ""}${list.map(nameOf).join(" ")}`,
    )
    .join("\n");
}

const crd = "apiextensions.k8s.io/v1 CustomResourceDefinition widgets";
const namespace = "v1 Namespace shop";
const clusterRole = "rbac.authorization.k8s.io/v1 ClusterRole reader";
const secret = "v1 Secret s";
const configMap = "v1 ConfigMap c";
const deployment = "apps/v1 Deployment web";
const widget = "example.com/v1 Widget w";

test("definitions and namespaces go before what needs them, then each weight in turn", () => {
  expect(draw([widget, deployment, secret, namespace, configMap, clusterRole, crd])).toBe(
    [
      "definitions: CustomResourceDefinition/widgets Namespace/shop",
      "ClusterRole/reader",
      "Secret/s ConfigMap/c",
      "Deployment/web",
      "Widget/w",
    ].join("\n"),
  );
});

test("without definitions there is no stage for them, and without items there are none at all", () => {
  expect(draw([deployment])).toBe("Deployment/web");
  expect(stages([], gvkOf)).toEqual([]);
});

test("definitions of any version count, those of another group do not", () => {
  expect(draw(["apiextensions.k8s.io/v1beta1 CustomResourceDefinition a", "example.com/v1 Namespace b"])).toBe(
    "definitions: CustomResourceDefinition/a\nNamespace/b",
  );
});

test("the input stays as it is", () => {
  const input = Object.freeze([widget, crd]);
  stages(input, gvkOf);
  expect(input).toEqual([widget, crd]);
});

test("all items are there once, no stage is empty, and weights ascend from stage to stage", () => {
  const item = fc.constantFrom(crd, namespace, clusterRole, secret, configMap, deployment, widget);
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const cut = stages(items, gvkOf);
      const flat = cut.flatMap((stage) => stage.items);
      expect(flat).toEqual(items.toSorted((a, b) => weightOf(gvkOf(a)) - weightOf(gvkOf(b))));
      for (const stage of cut) {
        expect(stage.items.length).toBeGreaterThan(0);
        const weights = new Set(stage.items.map((each) => weightOf(gvkOf(each))));
        expect(stage.clusterDefinitions || weights.size === 1).toBe(true);
      }
    }),
  );
});

describe("edges", () => {
  const role = "rbac.authorization.k8s.io/v1 Role reader";
  const binding = "rbac.authorization.k8s.io/v1 RoleBinding reader";
  const claim = "v1 PersistentVolumeClaim data";
  const roleRef: Edge<Item> = { before: role, after: binding, reason: "roleRef" };
  const mount: Edge<Item> = { before: claim, after: deployment };

  test("refine the order of what weighs the same", () => {
    expect(draw([binding, role, secret])).toBe("RoleBinding/reader Role/reader\nSecret/s");
    expect(draw([binding, role, secret], { edges: [roleRef] })).toBe("Role/reader RoleBinding/reader\nSecret/s");
  });

  test("change nothing between weights, and those that are not kept are told", () => {
    const edges = [roleRef, mount, { before: crd, after: widget }];
    const items = [claim, deployment, binding, role];
    expect(draw(items, { edges })).toBe("Role/reader RoleBinding/reader\nDeployment/web\nPersistentVolumeClaim/data");
    expect(
      findContradictions(
        stages(items, gvkOf, { edges }).flatMap((stage) => stage.items),
        edges,
      ),
    ).toEqual([mount]);
  });

  test("in a circle are refused with their path", () => {
    const edges = [roleRef, { before: binding, after: role }];
    expect(() => draw([role, binding], { edges, nameOf })).toThrow("Role/reader → RoleBinding/reader → Role/reader");
  });

  test("are part of the order as it is printed, with the weights and their reasons", () => {
    const options = { edges: [roleRef, mount], weights: [{ group: "example.com", kind: "Widget", weight: 90 }] };
    const cut = stages([claim, deployment, binding, role, namespace, widget], gvkOf, options);
    expect(explainStages(cut, gvkOf, nameOf, options)).toBe(
      [
        "1 definitions",
        "    Namespace/shop: 0, a Namespace of Kubernetes",
        "2",
        "    Role/reader: 10, a Role",
        "    RoleBinding/reader: 10, a RoleBinding, after Role/reader (roleRef)",
        "3",
        "    Widget/w: 90, a weight given for Widget",
        "4",
        "    Deployment/web: 100, a Deployment, but before PersistentVolumeClaim/data",
        "5",
        "    PersistentVolumeClaim/data: 1000, any other kind",
      ].join("\n"),
    );
  });
});
