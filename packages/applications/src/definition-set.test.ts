import type { KubernetesObject } from "@slipway/objects";
import { expect, test } from "vitest";
import { buildDefinitionSet } from "./definition-set.ts";
import { defaultReleaseFlags } from "./release-flags.ts";

function definition(name: string, kind: string, plural: string, prefix = `${name.toLowerCase()}-`): KubernetesObject {
  return {
    apiVersion: "cozystack.io/v1alpha1",
    kind: "ApplicationDefinition",
    metadata: { name },
    spec: {
      application: { kind, plural, singular: "thing", openAPISchema: "" },
      release: { prefix, chartRef: { kind: "HelmChart", name: "x" } },
    },
  };
}

const build = (...objects: KubernetesObject[]) => buildDefinitionSet(objects, defaultReleaseFlags);

test("kinds come by the name of their definition, in code unit order", () => {
  const { kinds, degraded } = build(
    definition("b", "B", "bs"),
    definition("B", "Capital", "capitals"),
    definition("a", "A", "as"),
  );
  expect(kinds.map(({ name }) => name)).toEqual(["B", "a", "b"]);
  expect(degraded).toEqual([]);
});

test("a bad definition is degraded with its problems, the others are served", () => {
  const { kinds, degraded } = build(definition("a", "", "as"), definition("b", "B", "bs"));
  expect(kinds.map(({ kind }) => kind)).toEqual(["B"]);
  expect(degraded).toEqual([{ name: "a", problems: ["spec.application.kind: Required value"] }]);
});

test("of two with one plural the first by name wins, in whatever order they come", () => {
  const first = definition("a", "One", "things");
  const second = definition("b", "Two", "things");
  for (const set of [build(first, second), build(second, first)]) {
    expect(set.kinds.map(({ kind }) => kind)).toEqual(["One"]);
    expect(set.degraded).toEqual([
      {
        name: "b",
        problems: ['spec.application.plural: Duplicate value: "things": the ApplicationDefinition "a" has it'],
      },
    ]);
  }
});

test("the same goes for kinds, also for the kind of a list", () => {
  const { degraded } = build(
    definition("a", "Redis", "redises"),
    definition("b", "Redis", "others"),
    definition("c", "RedisList", "lists"),
  );
  expect(degraded.map(({ name }) => name)).toEqual(["b", "c"]);
  expect(degraded[1]?.problems).toEqual([
    'spec.application.kind: Duplicate value: "RedisList": the ApplicationDefinition "a" has it',
  ]);
});

test("a degraded definition claims nothing", () => {
  const { kinds } = build(definition("a", "One", "Things"), definition("b", "One", "ones"));
  expect(kinds.map(({ name }) => name)).toEqual(["b"]);
});

test("prefixes that overlap are served: the first release decides, not the definition", () => {
  const { degraded } = build(
    definition("a", "Kubernetes", "kuberneteses", "kubernetes-"),
    definition("b", "KubernetesNodes", "kubernetesnodeses", "kubernetes-nodes-"),
  );
  expect(degraded).toEqual([]);
});
