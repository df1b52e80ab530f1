import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createProject,
  dropIn,
  filesIn,
  installedIn,
  node,
  npmInstall,
  type Project,
  pack,
  peers,
  run,
  writeFiles,
} from "./project.ts";

const rolldown = join(import.meta.dirname, "../../node_modules/rolldown/bin/cli.mjs");

let store: Project;
/** Tarballs by the name of the package. */
let tarballs: Readonly<Record<"cdk8s" | "cdk8s-plus-33" | "constructs" | "constructs-10.3" | "ours", string>>;

beforeAll(async () => {
  store = await createProject({});
  const packPeer = (name: string): Promise<string> => pack(join(peers, name), store.path);
  tarballs = {
    ours: await pack(dropIn, store.path),
    cdk8s: await packPeer("cdk8s"),
    "cdk8s-plus-33": await packPeer("cdk8s-plus-33"),
    constructs: await packPeer("constructs"),
    "constructs-10.3": await packPeer("constructs-10.3"),
  };
});
afterAll(() => store[Symbol.asyncDispose]());

const file = (name: keyof typeof tarballs): string => `file:${tarballs[name]}`;

/** A project with these dependencies, installed; npm has to accept them as they are. */
async function install(manifest: object): Promise<Project> {
  const project = await createProject({ "package.json": { name: "program", version: "1.0.0", ...manifest } });
  const { code, stderr } = await npmInstall(project.path);
  expect(code, stderr).toBe(0);
  return project;
}

/** The names that cdk8s offers, by file below `lib`. */
async function namesOfCdk8s(): Promise<Record<string, string[]>> {
  return JSON.parse(await node(["-e", listNames("cdk8s")], peers)) as Record<string, string[]>;
}

const areas = [
  ...["api-object", "app", "chart", "cron", "dependency", "duration", "helm", "include", "index", "json-patch", "lazy"],
  ...["metadata", "names", "resolve", "size", "testing", "yaml", "_child_process", "_util"],
];

/** A program that prints what each file offers. */
function listNames(name: string): string {
  return `const areas = ${JSON.stringify(areas)};
const names = areas.map((area) => [area, Object.keys(require("${name}/lib/" + area)).sort()]);
console.log(JSON.stringify(Object.fromEntries(names)));`;
}

describe("the tarball", () => {
  test("holds what is run and read, and no sources", async () => {
    const files = await filesIn(tarballs.ours);
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "NOTICE", "README.md", "lib/slipway/yaml.LICENSE"]));
    expect(files.filter((name) => !/^(?:LICENSE|NOTICE|README\.md|package\.json|lib\/.*)$/.test(name))).toEqual([]);
    expect(files.filter((name) => /(?<!\.d)\.m?ts$|\.map$/.test(name))).toEqual([]);
  });

  test("refers to none of our other packages", async () => {
    const files = (await filesIn(tarballs.ours)).filter((name) => /\.(?:js|mjs|ts|mts)$/.test(name));
    for (const name of files) expect(await readFile(join(dropIn, name), "utf8"), name).not.toContain("@slipway/");
  });

  test("has a version that cdk8s-plus accepts for cdk8s, and no dependencies", async () => {
    const manifest = JSON.parse(await readFile(join(dropIn, "package.json"), "utf8")) as Record<string, unknown>;
    expect(manifest.version).toMatch(/^2\.70\.\d+$/);
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.peerDependencies).toEqual({ constructs: "^10" });
  });
});

describe("installed alone, under its own name", () => {
  let project: Project;
  beforeAll(async () => {
    project = await install({ dependencies: { "@slipway/cdk8s": file("ours"), constructs: file("constructs") } });
  });
  afterAll(() => project[Symbol.asyncDispose]());

  test("it brings no other package", async () => {
    expect(await installedIn(project.path)).toEqual(["@slipway", "constructs"]);
    expect(await installedIn(join(project.path, "node_modules/@slipway/cdk8s")).catch(() => [])).toEqual([]);
  });

  test("each file offers the names that cdk8s's file of that name offers", async () => {
    const ours = JSON.parse(await node(["-e", listNames("@slipway/cdk8s")], project.path)) as Record<string, string[]>;
    expect(ours).toEqual(await namesOfCdk8s());
  });

  test("every way in leads to the same classes, and they are called as in cdk8s", async () => {
    await writeFiles(project.path, {
      "ways.mjs": `import assert from "node:assert/strict";
import { createRequire } from "node:module";
import whole, { App, Chart, YamlOutputType } from "@slipway/cdk8s";
import * as all from "@slipway/cdk8s";
import { App as deep } from "@slipway/cdk8s/lib/app";
import { App as deepWithExtension } from "@slipway/cdk8s/lib/app.js";
const require = createRequire(import.meta.url);
const required = require("@slipway/cdk8s");
for (const way of [whole, all, required, require("@slipway/cdk8s/lib"), require("@slipway/cdk8s/lib/index")])
  for (const name of Object.keys(required)) assert.equal(way[name], required[name], name);
assert.deepEqual(Object.keys(all).filter((name) => name !== "default").sort(), Object.keys(required).sort());
for (const way of [App, deep, deepWithExtension, require("@slipway/cdk8s/lib/app").App]) assert.equal(way, required.App);
for (const [name, value] of Object.entries(required)) if (typeof value === "function") assert.equal(value.name, name);
assert.equal(YamlOutputType[YamlOutputType.FILE_PER_APP], "FILE_PER_APP");
assert.equal(new Chart(new App(), "c").toJson().length, 0);
assert.equal(require("@slipway/cdk8s/package.json").name, "@slipway/cdk8s");
console.log("the same");
`,
    });
    expect(await node(["ways.mjs"], project.path)).toBe("the same\n");
  });

  test.for(["cjs", "esm"])(
    "a program that is bundled with it into one file (%s) runs without packages",
    async (format) => {
      const extension = format === "esm" ? "mjs" : "cjs";
      await writeFiles(project.path, {
        "bundled.mjs": `import { App, Chart, Include, Yaml, YamlOutputType } from "@slipway/cdk8s";
const app = new App({ trace: true, yamlOutputType: YamlOutputType.FILE_PER_APP, outdir: "out" });
new Include(new Chart(app, "c"), "i", { url: "pod.yaml" });
app.synth();
console.log(JSON.stringify(Yaml.load("out/app.k8s.yaml")));
`,
      });
      await using elsewhere = await createProject({
        "pod.yaml": "kind: Pod\napiVersion: v1\nmetadata: &m { name: p }\n",
      });
      const bundle = join(elsewhere.path, `bundle.${extension}`);
      await node([rolldown, "bundled.mjs", "--format", format, "--platform", "node", "--file", bundle], project.path);
      const printed = await node([bundle], elsewhere.path);
      expect(printed).toBe('[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}]\n');
    },
  );

  test("Helm runs what stands in lib/_child_process", async () => {
    const program = `const { Helm, Testing } = require("@slipway/cdk8s");
const { _child_process } = require("@slipway/cdk8s/lib/_child_process");
_child_process.spawnSync = (command) => {
  console.log(command);
  return { pid: 1, output: [], stdout: Buffer.from(""), stderr: Buffer.from(""), status: 0, signal: null };
};
new Helm(Testing.chart(), "h", { chart: "./chart", helmExecutable: "my-helm" });`;
    expect(await node(["-e", program], project.path)).toBe("my-helm\n");
  });

  test("writing loads no YAML library, reading loads the one inside", async () => {
    const program = `const { ApiObject, App, Chart, Yaml } = require("@slipway/cdk8s");
const loaded = () => Object.keys(require.cache).filter((file) => file.endsWith("yaml.js") && file.includes("slipway/yaml"));
const app = new App();
new ApiObject(new Chart(app, "c"), "o", { apiVersion: "v1", kind: "ConfigMap", data: { text: "a\\nb", on: "off" } });
app.synthYaml();
const before = loaded().length;
require("node:fs").writeFileSync("in.yaml", "a: &x [1, 0o17]\\nb: *x\\n");
console.log(before, JSON.stringify(Yaml.load("in.yaml")), loaded().length);`;
    expect(await node(["-e", program], project.path)).toBe('0 [{"a":[1,"0o17"],"b":[1,"0o17"]}] 1\n');
  });
});

describe("installed as cdk8s, beside cdk8s-plus-33,", () => {
  /** What the program writes with cdk8s itself. */
  let expected: string;
  beforeAll(async () => {
    const dependencies = { "cdk8s-plus-33": file("cdk8s-plus-33"), constructs: file("constructs") };
    await using project = await install({ dependencies: { cdk8s: file("cdk8s"), ...dependencies } });
    expected = await runPlus(project.path);
    expect(expected.split("\n---\n").length).toBeGreaterThan(200);
  });

  test.for([
    {
      by: "an alias in dependencies",
      manifest: () => ({
        dependencies: { cdk8s: file("ours"), "cdk8s-plus-33": file("cdk8s-plus-33"), constructs: file("constructs") },
      }),
    },
    {
      by: "an entry in overrides",
      manifest: () => ({
        dependencies: { "cdk8s-plus-33": file("cdk8s-plus-33"), constructs: file("constructs") },
        overrides: { cdk8s: file("ours") },
      }),
    },
    {
      by: "an alias, with the oldest constructs that cdk8s-plus-33 takes,",
      manifest: () => ({
        dependencies: {
          cdk8s: file("ours"),
          "cdk8s-plus-33": file("cdk8s-plus-33"),
          constructs: file("constructs-10.3"),
        },
      }),
    },
  ])("by $by it renders every resource to the same bytes", async ({ manifest }) => {
    await using project = await install(manifest());
    const installed = JSON.parse(await readFile(join(project.path, "node_modules/cdk8s/package.json"), "utf8")) as {
      readonly name: string;
    };
    expect(installed.name).toBe("@slipway/cdk8s");
    expect(await installedIn(project.path)).toEqual(["cdk8s", "cdk8s-plus-33", "constructs"]);
    expect(await runPlus(project.path)).toBe(expected);
  });

  test("it takes the place of the cdk8s that another package brings", async () => {
    const library = {
      "package.json": { name: "brings-cdk8s", version: "1.0.0", main: "index.js", dependencies: { cdk8s: "2.70.106" } },
      "index.js": 'exports.cdk8s = require("cdk8s");\n',
    };
    await using source = await createProject(library);
    const brings = `file:${await pack(source.path, store.path)}`;
    await using project = await install({
      dependencies: { "brings-cdk8s": brings, cdk8s: file("ours"), constructs: file("constructs") },
      overrides: { cdk8s: "$cdk8s" },
    });
    const program = 'console.log(require("brings-cdk8s").cdk8s === require("cdk8s"));';
    expect(await node(["-e", program], project.path)).toBe("true\n");
  });

  test("npm refuses a version that cdk8s-plus-33 does not accept: the test would notice", async () => {
    await using project = await createProject({
      "package.json": {
        name: "program",
        dependencies: { cdk8s: "file:old", "cdk8s-plus-33": file("cdk8s-plus-33"), constructs: file("constructs") },
      },
      "old/package.json": { name: "@slipway/cdk8s", version: "0.1.0" },
    });
    const { code, stderr } = await npmInstall(project.path);
    expect(code).not.toBe(0);
    expect(stderr).toContain("ERESOLVE");
  });
});

/** Compiles `programs/plus.ts` against what is installed, and runs it. */
async function runPlus(folder: string): Promise<string> {
  const settings = {
    compilerOptions: {
      target: "ES2022",
      module: "commonjs",
      moduleResolution: "node",
      strict: true,
      outDir: ".",
      rootDir: ".",
      typeRoots: [join(peers, "@types")],
      types: ["node"],
    },
    files: ["plus.ts"],
  };
  const program = await readFile(join(import.meta.dirname, "programs", "plus.ts"), "utf8");
  await writeFiles(folder, { "plus.ts": program, "tsconfig.json": settings });
  const compiled = await run(process.execPath, [join(peers, "typescript-5.4/bin/tsc"), "-p", "."], folder);
  expect(compiled.stdout).toBe("");
  return node(["plus.js"], folder);
}
