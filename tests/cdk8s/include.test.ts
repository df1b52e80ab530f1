import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Include } from "cdk8s";
import { describe } from "vitest";
import type { Library } from "./libraries.ts";
import { inTemporaryFolder } from "./output-files.ts";
import { differentOnPurpose, type Program, sameOnBoth, thrown } from "./same-program.ts";
import { chartIn, paths } from "./trees.ts";

/** What `ask` says about a file of these documents, included as `inc` in a chart called `test`. */
function included(documents: readonly string[], ask: (include: Include, lib: Library) => unknown): Program {
  return (lib) =>
    inTemporaryFolder((folder) => {
      const url = join(folder, "manifest.yaml");
      writeFileSync(url, documents.join("\n---\n"));
      return ask(new lib.Include(chartIn(lib, { namespace: "s", labels: { l: "1" } }), "inc", { url }), lib);
    });
}

const ids = (documents: readonly string[]): Program => included(documents, (include) => paths(include.apiObjects));
const json = (documents: readonly string[]): Program =>
  included(documents, (include, lib) => lib.Chart.of(include).toJson());

describe("ids of what is included:", () => {
  sameOnBoth([
    {
      rule: "name and kind",
      program: ids(["{apiVersion: v1, kind: Foo, metadata: {name: a}}"]),
      gives: ["test/inc/a-foo"],
    },
    {
      rule: "and namespace",
      program: ids(["{apiVersion: v1, kind: Foo, metadata: {name: a, namespace: ns}}"]),
      gives: ["test/inc/a-foo-ns"],
    },
    {
      rule: "the nameless are counted",
      program: ids([
        "{apiVersion: v1, kind: Foo}",
        "{apiVersion: v1, kind: Foo, metadata: {name: a}}",
        "{apiVersion: v1, kind: Bar, metadata: {generateName: b-}}",
      ]),
      gives: ["test/inc/object0-foo", "test/inc/a-foo", "test/inc/object1-bar"],
    },
    {
      rule: "an empty name is left out",
      program: ids(['{apiVersion: v1, kind: Foo, metadata: {name: ""}}']),
      gives: ["test/inc/foo"],
    },
    { rule: "no documents", program: ids([]), gives: [] },
    {
      rule: "empty documents do not count",
      program: ids(["", "{apiVersion: v1, kind: Foo}", "{}", "[]", "null"]),
      gives: ["test/inc/object0-foo"],
    },
    {
      rule: "the same object twice",
      program: ids([
        "{apiVersion: v1, kind: Foo, metadata: {name: a}}",
        "{apiVersion: v2, kind: Foo, metadata: {name: a}}",
      ]),
      gives: thrown("There is already a Construct with name 'a-foo' in Include [inc]"),
    },
  ]);
});

describe("what is rendered:", () => {
  sameOnBoth([
    {
      rule: "namespace and labels of the chart are applied",
      program: json([
        "{kind: Foo, apiVersion: v1, metadata: {name: a, labels: {m: x}}, z: 1, a: {c: 1, b: [null, {}]}}",
      ]),
      gives: [
        {
          apiVersion: "v1",
          kind: "Foo",
          metadata: { labels: { l: "1", m: "x" }, name: "a", namespace: "s" },
          a: { b: [undefined, {}], c: 1 },
          z: 1,
        },
      ],
    },
    {
      rule: "the nameless get a name",
      program: json(["{apiVersion: v1, kind: Foo, metadata: {creationTimestamp: null, annotations: {}}}"]),
      gives: [
        {
          apiVersion: "v1",
          kind: "Foo",
          metadata: { labels: { l: "1" }, name: "test-inc-object0-foo-c83e5b64", namespace: "s" },
        },
      ],
    },
    {
      rule: "in the order of the file, in each object's own words",
      program: included(
        ["{apiVersion: a/v1, kind: Foo, metadata: {name: z}}", "{apiVersion: v1, kind: Bar, metadata: {name: a}}"],
        (include) => include.apiObjects.map(({ name, kind, apiGroup }) => [name, kind, apiGroup]),
      ),
      gives: [
        ["z", "Foo", "a"],
        ["a", "Bar", "core"],
      ],
    },
    {
      rule: "objects can be depended on, patched and labelled",
      program: included(
        ["{apiVersion: v1, kind: Foo, metadata: {name: a}}", "{apiVersion: v1, kind: Foo, metadata: {name: b}}"],
        (include, lib) => {
          const [first, second] = include.apiObjects;
          first?.addJsonPatch(lib.JsonPatch.add("/spec", 1));
          first?.metadata.addLabel("m", "x");
          if (second !== undefined) first?.addDependency(second);
          return lib.Chart.of(include).toJson();
        },
      ),
      gives: [
        { apiVersion: "v1", kind: "Foo", metadata: { labels: { l: "1" }, name: "b", namespace: "s" } },
        { apiVersion: "v1", kind: "Foo", metadata: { labels: { l: "1", m: "x" }, name: "a", namespace: "s" }, spec: 1 },
      ],
    },
  ]);

  differentOnPurpose([
    {
      rule: "no apiVersion",
      because: "the line it is missing from helps, the place in our code does not",
      program: ids(["{apiVersion: v1, kind: Foo}", "{kind: Foo}"]),
      cdk8s: thrown("Cannot read properties of undefined (reading 'split')"),
      slipway: thrown("OUT/manifest.yaml:3:1: apiVersion is missing. Every object has one."),
    },
    {
      rule: "no kind",
      because: "no cluster takes an object without one",
      program: ids(["{apiVersion: v1}"]),
      cdk8s: ["test/inc/object0"],
      slipway: thrown("OUT/manifest.yaml:1:1: kind is missing. Every object has one."),
    },
    {
      rule: "times of day are text",
      because: "kubectl reads them as text, and the cluster is who they are for",
      program: included(
        ["{apiVersion: v1, kind: Foo, metadata: {name: a}, spec: {at: 12:30}}"],
        (include) => include.apiObjects[0]?.toJson().spec,
      ),
      cdk8s: { at: 750 },
      slipway: { at: "12:30" },
    },
    {
      rule: "text that is no YAML is refused",
      because: "cdk8s goes on with what it could make of it",
      program: (lib) => {
        try {
          return included(
            ["{apiVersion: v1, kind: Foo, metadata: {name: a}, list: [1, 2}"],
            ({ apiObjects }) => apiObjects.length,
          )(lib);
        } catch {
          return "refused";
        }
      },
      cdk8s: 1,
      slipway: "refused",
    },
    {
      rule: "a List is the objects in it",
      because: "kubectl opens it; an object called List does not exist in a cluster",
      program: ids(["{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Foo, metadata: {name: a}}]}"]),
      cdk8s: ["test/inc/object0-list"],
      slipway: ["test/inc/a-foo"],
    },
  ]);
});
