import { describe, expect, test } from "vitest";
import { type Compiled, createValue, type Value, type ValuePath } from "./compiled.ts";
import { type Duplicate, DuplicateIdentitiesError, type DuplicateOptions, duplicates } from "./duplicates.ts";
import type { JsonValue } from "./json.ts";

function compiled(json: JsonValue, component = "a", transformer = "x/deployment@1.0.0"): Compiled {
  return { value: createValue(json), instance: "shop", component, transformer };
}

function object(apiVersion: string, kind: string, name: string, namespace?: string): JsonValue {
  return { apiVersion, kind, metadata: { name, namespace } };
}

const deployment = object("apps/v1", "Deployment", "web", "web-system");
const messageOf = (rows: readonly Duplicate[]): string => new DuplicateIdentitiesError(rows).message;

test("two of one identity are reported with who rendered them", () => {
  const rows = duplicates([compiled(deployment), compiled(deployment, "b", "x/legacy@1.0.0")]);
  expect(rows).toEqual([
    {
      identity: { apiVersion: "apps/v1", kind: "Deployment", namespace: "web-system", name: "web" },
      producers: [
        { component: "a", transformer: "x/deployment@1.0.0", apiVersion: "apps/v1" },
        { component: "b", transformer: "x/legacy@1.0.0", apiVersion: "apps/v1" },
      ],
    },
  ]);
  const error = new DuplicateIdentitiesError(rows);
  expect(error).toMatchObject({ code: "DUPLICATE_OBJECT", duplicates: rows });
  expect(error.message).toBe(
    `2 rendered objects share one identity, so the last apply would silently overwrite the first:
  apps/v1 Deployment web-system/web rendered by component "a" (x/deployment@1.0.0) and component "b" (x/legacy@1.0.0)`,
  );
});

test("several rows are in the order of their first objects, and all producers are counted", () => {
  const b = object("v1", "ConfigMap", "b", "n");
  const a = object("v1", "ConfigMap", "a");
  const rows = duplicates([b, a, a, b, a].map((json, index) => compiled(json, `c"${index}`, "t")));
  expect(messageOf(rows)).toBe(
    `5 rendered objects share 2 identities, so the last apply would silently overwrite the first:
  v1 ConfigMap n/b rendered by component "c\\"0" (t) and component "c\\"3" (t)
  v1 ConfigMap a rendered by component "c\\"1" (t), component "c\\"2" (t) and component "c\\"4" (t)`,
  );
});

test("A-25 the version does not tell them apart, and is named when it differs", () => {
  const versions = ["autoscaling/v1", "autoscaling/v2"];
  const rows = duplicates(
    versions.map((version, i) => compiled(object(version, "HorizontalPodAutoscaler", "h"), `${i}`, "t")),
  );
  expect(rows[0]?.identity.apiVersion).toBe("autoscaling/v1");
  expect(messageOf(rows).split("\n")[1]).toBe(
    '  autoscaling/v1 HorizontalPodAutoscaler h rendered by component "0" (t) as autoscaling/v1 and component "1" (t) as autoscaling/v2',
  );
});

test("no apiVersion is the core group", () => {
  const rows = duplicates([
    compiled({ kind: "Pod", metadata: { name: "p" } }),
    compiled(object("v1", "Pod", "p"), "b", "t"),
  ]);
  expect(messageOf(rows).split("\n")[1]).toBe(
    '  Pod p rendered by component "a" (x/deployment@1.0.0) as <no apiVersion> and component "b" (t) as v1',
  );
});

test.for<{ rule: string; objects: readonly JsonValue[] }>([
  { rule: "another group", objects: [object("a/v1", "X", "n"), object("b/v1", "X", "n")] },
  { rule: "another kind", objects: [object("v1", "Secret", "n"), object("v1", "ConfigMap", "n")] },
  { rule: "another namespace", objects: [object("v1", "Secret", "n", "a"), object("v1", "Secret", "n", "b")] },
  { rule: "a namespace and none", objects: [object("v1", "Secret", "n", "a"), object("v1", "Secret", "n")] },
  { rule: "no kind", objects: [{ metadata: { name: "a" } }, { metadata: { name: "a" } }] },
  { rule: "no name", objects: [{ kind: "Pod" }, { kind: "Pod" }] },
  { rule: "no objects at all", objects: [null, [], "x", null, [], "x"] },
  { rule: "nothing", objects: [] },
])("$rule: no rows", ({ objects }) => {
  expect(duplicates([undefined, ...objects.map((json) => compiled(json)), null])).toEqual([]);
});

test("exactly four fields are read", () => {
  const read: string[] = [];
  const watch = (value: Value): Value => ({
    exists: () => value.exists(),
    lookup: (path: ValuePath) => {
      read.push(path.join("."));
      return value.lookup(path);
    },
    toJSON: () => {
      throw new Error("the whole is not exported");
    },
  });
  duplicates([{ ...compiled(deployment), value: watch(createValue(deployment)) }]);
  expect(read).toHaveLength(4);
  expect(new Set(read)).toEqual(new Set(["apiVersion", "kind", "metadata.name", "metadata.namespace"]));
});

describe("with the namespace that apply will default to", () => {
  const options: DuplicateOptions = { defaultNamespace: "shop", isClusterWide: ({ kind }) => kind === "ClusterRole" };
  const rows = (...objects: readonly JsonValue[]): Duplicate[] =>
    duplicates(
      objects.map((json) => compiled(json)),
      options,
    );

  test("an object without one is the same as one in it, and keeps its own identity", () => {
    const [row] = rows(object("v1", "Secret", "s"), object("v1", "Secret", "s", "shop"));
    expect(row?.identity.namespace).toBe("");
    expect(row?.producers).toHaveLength(2);
  });

  test("an object in another namespace is another one", () => {
    expect(rows(object("v1", "Secret", "s"), object("v1", "Secret", "s", "other"))).toEqual([]);
  });

  test("cluster-wide kinds have none", () => {
    expect(
      rows(
        object("rbac.authorization.k8s.io/v1", "ClusterRole", "c"),
        object("rbac.authorization.k8s.io/v1", "ClusterRole", "c", "shop"),
      ),
    ).toEqual([]);
  });
});

test("who knows its file and line says so", () => {
  const first = { ...compiled(deployment), location: { file: "shop.ts", line: 12 } };
  expect(messageOf(duplicates([first, compiled(deployment, "b", "t")])).split("\n")[1]).toBe(
    '  apps/v1 Deployment web-system/web rendered by component "a" (x/deployment@1.0.0) at shop.ts:12 and component "b" (t)',
  );
});
