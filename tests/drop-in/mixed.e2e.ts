import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Construct } from "constructs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dropIn } from "./project.ts";

type Library = typeof import("cdk8s");

/** Two copies in one process, with one `constructs`: what a program gets when a package brings a cdk8s of its own. */
const load = createRequire(import.meta.url);
const libraries: Readonly<Record<"cdk8s" | "ours", Library>> = {
  cdk8s: load("cdk8s") as Library,
  ours: load(join(dropIn, "lib", "index.js")) as Library,
};
type Name = keyof typeof libraries;
const names: readonly Name[] = ["cdk8s", "ours"];

/** Which library each part of a program comes from. */
interface Mix {
  readonly app: Name;
  readonly charts: Name;
  readonly objects: Name;
  /** Lazy values, patches, metadata and names. */
  readonly values: Name;
}

const mixes: readonly Mix[] = names.flatMap((app) =>
  names.flatMap((charts) => names.flatMap((objects) => names.map((values): Mix => ({ app, charts, objects, values })))),
);

/** A program that has every kind of relation between what its parts make. */
function build({ app, charts, objects, values }: Mix, outdir: string) {
  const { App } = libraries[app];
  const { Chart } = libraries[charts];
  const { ApiObject } = libraries[objects];
  const { ApiObjectMetadataDefinition, JsonPatch, Lazy, Names } = libraries[values];

  class Workload extends Construct {
    readonly object: InstanceType<typeof ApiObject>;
    constructor(scope: Construct, id: string) {
      super(scope, id);
      this.object = new ApiObject(this, "Default", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { annotations: { lazy: Lazy.any({ produce: () => "on" }) } },
        spec: Lazy.any({ produce: () => ({ replicas: Lazy.any({ produce: () => 2 }), template: this.template() }) }),
      });
    }
    private template(): unknown {
      const metadata = new ApiObjectMetadataDefinition({ apiObject: this.object });
      metadata.addLabel("app", Names.toLabelValue(this.object));
      return { metadata: metadata.toJson() };
    }
  }

  const root = new App({
    outdir,
    resolvers: [
      {
        resolve: (context) => {
          if (context.value === "replaced") context.replaceValue(`by a resolver at ${context.key.join("/")}`);
        },
      },
    ],
  });
  const base = new Chart(root, "base", { namespace: "n", labels: { part: "base" } });
  const upper = new Chart(root, "upper");
  const nested = new Chart(base, "nested", { disableResourceNameHashes: true });
  const settings = new ApiObject(base, "settings", { apiVersion: "v1", kind: "ConfigMap", data: { a: "replaced" } });
  const workload = new Workload(upper, "web");
  const job = new ApiObject(nested, "job", {
    apiVersion: "batch/v1",
    kind: "CronJob",
    spec: { schedule: "0 0 * * *" },
  });
  const first = new ApiObject(base, "first", { apiVersion: "v1", kind: "ServiceAccount" });
  settings.addDependency(first);
  settings.addJsonPatch(JsonPatch.add("/data/b", "yes"), JsonPatch.copy("/data/a", "/data/c"));
  workload.node.addDependency(settings);
  job.metadata.addLabel("added", "later");
  return { root, base, upper, nested, settings, workload, job };
}

async function readFolder(folder: string): Promise<Record<string, string>> {
  const files = await readdir(folder);
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  return Object.fromEntries(files.map((name, index) => [name, texts[index] ?? ""]));
}

let folder: string;
let expected: { readonly yaml: string; readonly files: Readonly<Record<string, string>> };

async function outcome(mix: Mix) {
  const outdir = await mkdtemp(join(folder, "out-"));
  const yaml = build(mix, outdir).root.synthYaml();
  build(mix, outdir).root.synth();
  return { yaml, files: await readFolder(outdir) };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-mixed-"));
  expected = await outcome({ app: "cdk8s", charts: "cdk8s", objects: "cdk8s", values: "cdk8s" });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("the two are two, and share constructs", () => {
  expect(libraries.ours.App).not.toBe(libraries.cdk8s.App);
  expect(Object.getPrototypeOf(libraries.ours.App)).toBe(Object.getPrototypeOf(libraries.cdk8s.App));
  expect(expected.yaml.match(/^kind: /gm)).toHaveLength(4);
  expect(Object.keys(expected.files)).toHaveLength(3);
});

describe.for(mixes)("App of $app, Charts of $charts, objects of $objects, values of $values:", (mix) => {
  test("the same YAML, in one text and in files", async () => {
    expect(await outcome(mix)).toEqual(expected);
  });

  test("a chart renders as in cdk8s, and Testing renders it", () => {
    const { base, nested, upper } = build(mix, folder);
    const theirs = build({ app: "cdk8s", charts: "cdk8s", objects: "cdk8s", values: "cdk8s" }, folder);
    expect([base.toJson(), nested.toJson(), upper.toJson()]).toEqual([
      theirs.base.toJson(),
      theirs.nested.toJson(),
      theirs.upper.toJson(),
    ]);
    for (const name of names) expect(libraries[name].Testing.synth(base)).toEqual(theirs.base.toJson());
  });

  test.for(names)("%s recognises everything", (name) => {
    const { ApiObject, App, Chart } = libraries[name];
    const { root, base, nested, settings, workload, job } = build(mix, folder);
    for (const chart of [base, nested]) {
      expect(Chart.isChart(chart)).toBe(true);
      expect(chart instanceof Chart).toBe(true);
      expect(ApiObject.isApiObject(chart)).toBe(false);
    }
    for (const object of [settings, workload.object, job]) {
      expect(ApiObject.isApiObject(object)).toBe(true);
      expect(object instanceof ApiObject).toBe(true);
      expect(Chart.isChart(object)).toBe(false);
    }
    expect(Chart.of(job)).toBe(nested);
    expect(App.of(job)).toBe(root);
    expect(ApiObject.of(workload)).toBe(workload.object);
    expect(base.apiObjects.map((object) => object.node.id)).toEqual(["settings", "first"]);
    expect(root.charts.map((chart) => chart.node.id)).toEqual(["base", "nested", "upper"]);
  });
});
