import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Construct } from "constructs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiObject, App, Chart, JsonPatch, Lazy, type SynthRun, YamlOutputType } from "./index.ts";

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "slipway-app-")));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const configMap = { apiVersion: "v1", kind: "ConfigMap" };

function oneObject(data: unknown, outdir: string = folder): App {
  const app = new App({ outdir });
  new ApiObject(new Chart(app, "c"), "o", { ...configMap, metadata: { name: "x" }, data });
  return app;
}

const read = (name: string): string => readFileSync(join(folder, name), "utf8");

describe("a failure leaves the files of an earlier run as they were:", () => {
  const earlier = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: one\n";

  beforeEach(() => {
    oneObject({ a: "one" }).synth();
    expect(read("c.k8s.yaml")).toBe(earlier);
  });

  test.for<{ rule: string; spoil: (app: App) => void }>([
    {
      rule: "an object of a later chart that cannot be rendered",
      spoil: (app) => {
        const produce = (): never => {
          throw new Error("no");
        };
        new ApiObject(new Chart(app, "d"), "o", { ...configMap, data: Lazy.any({ produce }) });
      },
    },
    {
      rule: "a value of a later chart that cannot be written",
      spoil: (app) => new ApiObject(new Chart(app, "d"), "o", { ...configMap, data: () => 1 }),
    },
    {
      rule: "two objects that are one",
      spoil: (app) => new ApiObject(new Chart(app, "d"), "o", { ...configMap, metadata: { name: "x" } }),
    },
    { rule: "a construct that is not valid", spoil: (app) => app.node.addValidation({ validate: () => ["no"] }) },
    {
      rule: "a cycle",
      spoil: (app) => {
        const chart = new Chart(app, "d");
        chart.addDependency(chart);
      },
    },
  ])("$rule", ({ spoil }) => {
    const app = oneObject({ a: "two" });
    spoil(app);
    expect(() => app.synth()).toThrow();
    expect(readdirSync(folder)).toEqual(["c.k8s.yaml"]);
    expect(read("c.k8s.yaml")).toBe(earlier);
  });

  test("a success replaces them", () => {
    oneObject({ a: "two" }).synth();
    expect(readdirSync(folder)).toEqual(["c.k8s.yaml"]);
    expect(read("c.k8s.yaml")).toContain("a: two");
  });
});

test("a folder where a file is to be written is named, and nothing is put in place", () => {
  mkdirSync(join(folder, "d.k8s.yaml"));
  const app = oneObject({});
  new Chart(app, "d");
  expect(() => app.synth()).toThrow(
    `${join(folder, "d.k8s.yaml")}: a folder stands where a file is to be written. Move it away.`,
  );
  expect(readdirSync(folder)).toEqual(["d.k8s.yaml"]);
});

test("files of others stay", () => {
  writeFileSync(join(folder, "notes.txt"), "mine");
  oneObject({}).synth();
  expect(readdirSync(folder)).toEqual(["c.k8s.yaml", "notes.txt"]);
});

test("a link is written through, and stays a link", () => {
  const elsewhere = join(folder, "elsewhere.yaml");
  writeFileSync(elsewhere, "old");
  mkdirSync(join(folder, "out"));
  symlinkSync(elsewhere, join(folder, "out", "c.k8s.yaml"));
  oneObject({ a: "new" }, join(folder, "out")).synth();
  expect(read("elsewhere.yaml")).toContain("a: new");
  expect(read("out/c.k8s.yaml")).toContain("a: new");
  expect(realpathSync(join(folder, "out", "c.k8s.yaml"))).toBe(elsewhere);
});

test("validations run once in a synthesis, also with charts that render themselves", () => {
  let runs = 0;
  const app = new App({ outdir: folder });
  class OwnChart extends Chart {
    override toJson(): any[] {
      return super.toJson();
    }
  }
  for (const id of ["a", "b", "c"]) new ApiObject(new OwnChart(app, id), "o", configMap);
  app.node.addValidation({ validate: () => (runs++ === -1 ? ["never"] : []) });
  app.synth();
  expect(runs).toBe(1);
  app.synthYaml();
  expect(runs).toBe(2);
});

test("the dependencies that a program declared stay what they are", () => {
  const app = new App({ outdir: folder });
  const [first, second] = [new Chart(app, "first"), new Chart(app, "second")];
  const object = new ApiObject(first, "o", configMap);
  const other = new ApiObject(second, "o", configMap);
  object.addDependency(other);
  app.synth();
  expect(object.node.dependencies).toEqual([other]);
  expect(first.node.dependencies).toEqual([]);
  expect(app.charts.map(({ node }) => node.id)).toEqual(["first", "second"]);
});

describe("compile", () => {
  test("objects in the order in which they are applied, with who made them", () => {
    const app = new App({ outdir: join(folder, "none") });
    const chart = new Chart(app, "shop", { namespace: "shop" });
    class Web extends Construct {
      constructor(scope: Construct, id: string) {
        super(scope, id);
        new ApiObject(this, "Resource", { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } });
      }
    }
    new Web(new Construct(chart, "tier"), "web");
    new ApiObject(chart, "b", { ...configMap, metadata: { name: "b" } });
    new ApiObject(chart, "a", { ...configMap, metadata: { name: "a" } });
    new ApiObject(chart, "ns", { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
    const rows = app.compile().map(({ value, ...producer }) => {
      const { kind, metadata } = value.toJSON() as { kind: string; metadata: { name: string } };
      return { object: `${kind}/${metadata.name}`, ...producer };
    });
    expect(rows).toEqual([
      { object: "Namespace/shop", instance: "app", component: "ns", transformer: "ApiObject" },
      { object: "ConfigMap/b", instance: "app", component: "b", transformer: "ApiObject" },
      { object: "ConfigMap/a", instance: "app", component: "a", transformer: "ApiObject" },
      { object: "Deployment/web", instance: "app", component: "tier/web/Resource", transformer: "Web" },
    ]);
    expect(existsSync(join(folder, "none"))).toBe(false);
  });

  test("the class of a package has its version", () => {
    const app = new App();
    class Thing extends Construct {}
    Object.assign(Thing, { [Symbol.for("jsii.rtti")]: { fqn: "things.Thing", version: "1.2.3" } });
    class Special extends Thing {}
    for (const [id, type] of [
      ["known", Thing],
      ["own", Special],
    ] as const) {
      new ApiObject(new type(new Chart(app, id), "thing"), "Resource", configMap);
    }
    expect(app.compile().map(({ transformer }) => transformer)).toEqual(["things.Thing@1.2.3", "Special"]);
  });

  test("hooks of Helm charts are not applied", () => {
    const app = new App();
    const chart = new Chart(app, "c");
    const hook = (value: string) => ({ metadata: { annotations: { "helm.sh/hook": value } } });
    new ApiObject(chart, "wipe", { apiVersion: "batch/v1", kind: "Job", ...hook("pre-delete") });
    new ApiObject(chart, "test", { apiVersion: "v1", kind: "Pod", ...hook("test-success") });
    new ApiObject(chart, "install", { apiVersion: "batch/v1", kind: "Job", ...hook("pre-install,post-upgrade") });
    new ApiObject(chart, "kept", configMap);
    expect(app.compile().map(({ component }) => component)).toEqual(["kept"]);
  });
});

describe("with a host that runs the program", () => {
  const host = Symbol.for("slipway.synth.host");
  const runs: SynthRun[] = [];

  beforeEach(() => {
    runs.length = 0;
    Object.assign(globalThis, { [host]: { receive: (run: SynthRun) => runs.push(run) } });
  });

  afterEach(() => {
    delete (globalThis as { [host]?: unknown })[host];
  });

  test("nothing is written, and the host gets what would have been", () => {
    const outdir = join(folder, "dist");
    const app = new App({ outdir, yamlOutputType: YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE });
    const chart = new Chart(app, "c");
    const object = new ApiObject(chart, "o", { ...configMap, metadata: { name: "x" } });
    object.addJsonPatch(JsonPatch.add("/data", { a: "1" }));
    new Chart(app, "empty");
    app.synth();
    expect(existsSync(outdir)).toBe(false);
    expect(runs).toMatchObject([{ version: 1, outdir, folders: ["c", "empty"], problems: [] }]);
    expect(runs[0]?.outputs).toEqual([
      {
        name: "c/ConfigMap.x.k8s.yaml",
        documents: [
          { value: { ...configMap, metadata: { name: "x" }, data: { a: "1" } }, path: "c/o", construct: object },
        ],
      },
    ]);
    expect(runs[0]?.compile().map(({ component }) => component)).toEqual(["o"]);
  });

  test("problems are handed over, not thrown", () => {
    const app = oneObject({ "a/b": "c" });
    new ApiObject(new Chart(app, "d"), "o", { ...configMap, metadata: { name: "x" }, data: { run: () => 1 } });
    app.synth();
    expect(runs[0]?.problems.map(({ code, severity, field }) => ({ code, severity, field }))).toEqual([
      { code: "INVALID_DATA_KEY", severity: "warning", field: 'data["a/b"]' },
      { code: "INVALID_VALUE", severity: "warning", field: 'data["run"]' },
      { code: "INVALID_VALUE", severity: "warning", field: "data.run" },
      { code: "DUPLICATE_OBJECT", severity: "error", field: "" },
    ]);
  });
});
