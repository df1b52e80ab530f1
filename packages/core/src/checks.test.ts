import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Construct } from "constructs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ApiObject, type ApiObjectProps, App, type AppProps, Chart, YamlOutputType } from "./index.ts";

const folders: string[] = [];

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "slipway-checks-"));
  folders.push(folder);
  return folder;
}

afterEach(() => {
  vi.restoreAllMocks();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** What a synthesis of `objects`, by id in one chart `c`, says on stderr or throws. */
function complaints(objects: Readonly<Record<string, ApiObjectProps>>, props: AppProps = {}): string {
  const app = new App({ outdir: makeFolder(), ...props });
  const chart = new Chart(app, "c");
  for (const [id, object] of Object.entries(objects)) new ApiObject(chart, id, object);
  const written: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0);
  try {
    app.synth();
    return written.join("");
  } catch (error) {
    return `${(error as { code?: string }).code}: ${(error as Error).message}`;
  }
}

const configMap = (metadata: Record<string, unknown>, rest: Record<string, unknown> = {}): ApiObjectProps => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata,
  ...rest,
});

describe("two constructs that name one object of the cluster are refused:", () => {
  test("both are named, with what to do and how to have it all the same", () => {
    expect(complaints({ a: configMap({ name: "x" }), b: configMap({ name: "x" }) })).toBe(
      [
        "DUPLICATE_OBJECT: ConfigMap/x is rendered by c/a by ApiObject and c/b by ApiObject: the last apply would silently " +
          "overwrite the first. Give one of them another name.",
        'To have it all the same: new App({ checks: { DUPLICATE_OBJECT: "ignore" } }).',
      ].join("\n"),
    );
  });

  test.for<{ rule: string; a: ApiObjectProps; b: ApiObjectProps; isOne: boolean }>([
    {
      rule: "the version does not count",
      a: { apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler", metadata: { name: "h" } },
      b: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { name: "h" } },
      isOne: true,
    },
    {
      rule: "the group does",
      a: { apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", metadata: { name: "m" } },
      b: { apiVersion: "networking.istio.io/v1", kind: "Gateway", metadata: { name: "m" } },
      isOne: false,
    },
    {
      rule: "so does the namespace",
      a: configMap({ name: "x", namespace: "a" }),
      b: configMap({ name: "x", namespace: "b" }),
      isOne: false,
    },
    {
      rule: "but not of a kind that has none",
      a: { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "x", namespace: "a" } },
      b: { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "x", namespace: "b" } },
      isOne: true,
    },
  ])("$rule", ({ a, b, isOne }) => {
    expect(complaints({ a, b }).startsWith("DUPLICATE_OBJECT")).toBe(isOne);
  });

  test("over charts, and with the apiVersions where they differ", () => {
    const app = new App();
    for (const [id, apiVersion] of [
      ["one", "autoscaling/v1"],
      ["two", "autoscaling/v2"],
    ] as const) {
      new ApiObject(new Chart(app, id), "h", { apiVersion, kind: "HorizontalPodAutoscaler", metadata: { name: "h" } });
    }
    expect(() => app.synthYaml()).toThrow(
      "HorizontalPodAutoscaler/h is rendered by one/h by ApiObject as autoscaling/v1 and two/h by ApiObject as autoscaling/v2",
    );
  });

  test("unless the App allows them", () => {
    const objects = { a: configMap({ name: "x" }), b: configMap({ name: "x" }) };
    expect(complaints(objects, { checks: { DUPLICATE_OBJECT: "ignore" } })).toBe("");
    expect(complaints(objects, { checks: { DUPLICATE_OBJECT: "warning" } })).toMatch(
      /^1 warning:\n {2}ConfigMap\/x is/,
    );
  });
});

describe("two outputs never share a file:", () => {
  const role = (name: string): ApiObjectProps => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name },
  });
  const perResource = { yamlOutputType: YamlOutputType.FILE_PER_RESOURCE };

  test("names that lose characters", () => {
    const text = complaints({ a: role("system:x"), b: role("systemx"), c: role("system-x") }, perResource);
    expect(text).toMatch(/^OUTPUT_COLLISION: ClusterRole.systemx.k8s.yaml: 2 outputs are named so/);
  });

  test("names that differ in case only", () => {
    const text = complaints({ a: role("x"), b: { ...role("x"), kind: "clusterrole" } }, perResource);
    expect(text).toContain("ClusterRole.x.k8s.yaml and clusterrole.x.k8s.yaml are one file where case does not count");
  });

  test("charts whose paths differ in Default only", () => {
    const app = new App({ outdir: makeFolder() });
    const scope = new Construct(app, "x");
    for (const parent of [scope, new Construct(scope, "Default")]) new Chart(parent, "c");
    expect(() => app.synth()).toThrow(
      /^x-c-[0-9a-f]{8}.k8s.yaml: 2 outputs are named so, and only the last would be there/,
    );
  });

  test("nothing is written", () => {
    const outdir = makeFolder();
    expect(complaints({ a: role("system:x"), b: role("systemx") }, { ...perResource, outdir })).toMatch(/^OUTPUT_/);
    expect(readdirSync(outdir)).toEqual([]);
  });

  test("unless the App allows it: then the last is there", () => {
    const outdir = makeFolder();
    const checks = { OUTPUT_COLLISION: "ignore" } as const;
    expect(complaints({ a: role("system:x"), b: role("systemx") }, { ...perResource, outdir, checks })).toBe("");
    expect(readdirSync(outdir)).toEqual(["ClusterRole.systemx.k8s.yaml"]);
  });
});

describe("what a cluster would refuse is a warning:", () => {
  test.for<{ rule: string; object: ApiObjectProps; warning: string }>([
    {
      rule: "a name with characters that are not allowed",
      object: configMap({ name: "a_b" }),
      warning: 'ConfigMap/a_b (c/o by ApiObject): metadata.name: "a_b": a lowercase RFC 1123 subdomain must',
    },
    {
      rule: "a name of a Service that begins with a digit",
      object: { apiVersion: "v1", kind: "Service", metadata: { name: "1a" } },
      warning: 'Service/1a (c/o by ApiObject): metadata.name: "1a": a DNS-1035 label must',
    },
    {
      rule: "a role with a slash",
      object: { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "a/b" } },
      warning: "metadata.name: \"a/b\": may not contain '/'.",
    },
    {
      rule: "no name at all",
      object: configMap({ name: null as never }),
      warning: "ConfigMap (c/o by ApiObject): metadata.name: there is none, and the cluster would refuse the object.",
    },
    {
      rule: "a label value with a blank",
      object: configMap({ labels: { a: "b c" } }),
      warning: 'metadata.labels["a"]: "b c": a valid label must',
    },
    {
      rule: "a label value that is no text",
      object: configMap({ labels: { a: 1 } }),
      warning: 'metadata.labels["a"]: it is a number. Make it a text.',
    },
    {
      rule: "a label key with two slashes",
      object: configMap({ labels: { "a/b/c": "d" } }),
      warning: 'metadata.labels["a/b/c"]: a',
    },
    {
      rule: "an annotation key with a blank",
      object: configMap({ annotations: { "a b": "c" } }),
      warning: 'metadata.annotations["a b"]:',
    },
    {
      rule: "a key of a ConfigMap with a slash",
      object: configMap({}, { data: { "a/b": "c" } }),
      warning: "data[\"a/b\"]: a key may have letters, digits, '-', '_' and '.' only.",
    },
    {
      rule: "a value of a ConfigMap that is no text",
      object: configMap({}, { data: { a: 1 } }),
      warning: 'data["a"]: it is a number. Make it a text.',
    },
    {
      rule: "a value of a Secret that is not encoded",
      object: { apiVersion: "v1", kind: "Secret", data: { password: "hunter2!" } },
      warning: 'data["password"]: it is not in base64. Encode it, or use stringData.',
    },
    {
      rule: "NaN",
      object: configMap({}, { spec: { a: [1, Number.NaN] } }),
      warning: "spec.a[1]: NaN is no number in JSON.",
    },
    {
      rule: "undefined in a list",
      object: configMap({}, { spec: { a: [1, undefined] } }),
      warning: "spec.a[1]: undefined is no value in JSON.",
    },
    {
      rule: "an integer that may have lost digits",
      object: configMap({}, { spec: { id: 2 ** 60 } }),
      warning: "spec.id: 1152921504606847000 is beyond 2^53, so it may not be the number that was meant. Use a bigint.",
    },
  ])("$rule", ({ object, warning }) => {
    expect(complaints({ o: object })).toContain(warning);
  });

  test.for<{ rule: string; object: ApiObjectProps }>([
    {
      rule: "a role of the system",
      object: { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "system:x" } },
    },
    { rule: "generateName instead of a name", object: configMap({ name: null as never, generateName: "a-" }) },
    {
      rule: "a list, whose items have names",
      object: { apiVersion: "v1", kind: "ConfigMapList", metadata: { name: null as never }, items: [] },
    },
    { rule: "a bigint", object: configMap({}, { spec: { id: 2n ** 60n } }) },
    {
      rule: "a Secret in base64, with ends of lines",
      object: { apiVersion: "v1", kind: "Secret", data: { a: "aGVs\nbG8=" } },
    },
  ])("none for $rule", ({ object }) => {
    expect(complaints({ o: object })).toBe("");
  });

  test("the value of a secret is not printed", () => {
    const object = { apiVersion: "v1", kind: "Secret", data: { password: "hunter2!" } };
    expect(complaints({ o: object })).not.toContain("hunter2");
  });

  test("all in one report, and each kind can be made an error or left out", () => {
    const objects = { a: configMap({ name: "A" }), b: configMap({ labels: { x: "y z" } }) };
    const text = complaints(objects);
    expect(text.split("\n").slice(0, 3)).toEqual([
      "2 warnings:",
      expect.stringContaining("ConfigMap/A (c/a"),
      expect.stringContaining("(c/b"),
    ]);
    expect(text).toContain('new App({ checks: { INVALID_NAME: "ignore", INVALID_LABEL: "ignore" } })');
    expect(complaints(objects, { checks: { INVALID_LABEL: "ignore" } })).toMatch(/^1 warning:/);
    expect(complaints(objects, { checks: { INVALID_LABEL: "error" } })).toMatch(/^INVALID_LABEL: ConfigMap\/c-b-/);
  });

  test("a program with hundreds of them hears of the first fifty", () => {
    const objects = Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`o${n}`, configMap({ name: `_${n}` })]));
    const lines = complaints(objects).trimEnd().split("\n");
    expect(lines).toHaveLength(53);
    expect(lines.at(-2)).toBe("  … and 30 more");
  });
});

test("a function is an error that names object and field: it cannot be written", () => {
  const outdir = makeFolder();
  const text = complaints({ o: configMap({ name: "x" }, { spec: { run: () => 1 } }) }, { outdir });
  expect(text).toMatch(/^INVALID_VALUE: ConfigMap\/x: spec\.run/);
  expect(readdirSync(outdir)).toEqual([]);
});

test("a value that contains itself is an error that names the construct and the field", () => {
  const spec: Record<string, unknown> = { a: {} };
  spec.a = { back: [spec] };
  expect(complaints({ o: configMap({ name: "x" }, { spec }) })).toContain(
    "Failed serializing construct at path 'c/o' with name 'x': ",
  );
  expect(complaints({ o: configMap({ name: "x" }, { spec }) })).toContain("spec.a.back[0]: it contains itself");
});
