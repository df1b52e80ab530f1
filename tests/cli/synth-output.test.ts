import { chmod, mkdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { systemHost } from "@slipway/apiserver";
import { type CliHost, main } from "@slipway/cli";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { createProgramFolder, type ProgramFolder, type Project } from "../support/program-folder.ts";

let folder: ProgramFolder;
beforeAll(async () => {
  folder = await createProgramFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Makes the objects of `objects.json` in one chart each, by core or by cdk8s. */
const program = (library: string): string => `
import { readFileSync } from "node:fs";
import { ApiObject, App, Chart } from "${library}";
const { props = {}, charts } = JSON.parse(readFileSync("objects.json", "utf8"));
const app = new App(props);
for (const [id, objects] of Object.entries<any[]>(charts)) {
  const chart = new Chart(app, id);
  objects.forEach((object, index) => new ApiObject(chart, String(index), object));
}
app.synth();
`;

const libraries = ["@slipway/core", "cdk8s"] as const;

interface Objects {
  readonly props?: object;
  readonly charts: Readonly<Record<string, readonly object[]>>;
}

async function projectWith(objects: Objects, library: (typeof libraries)[number] = "@slipway/core"): Promise<Project> {
  return folder.project({ "main.ts": program(library), "objects.json": JSON.stringify(objects) });
}

const change = (project: Project, objects: Objects): Promise<void> =>
  project.write({ "objects.json": JSON.stringify(objects) });

const object = (kind: string, name: string, more: object = {}): object => ({
  apiVersion: "v1",
  kind,
  metadata: { name },
  ...more,
});

const names = (yaml: string): unknown[] =>
  parseAllDocuments(yaml).map((document) => `${document.get("kind")}/${document.getIn(["metadata", "name"])}`);

const list = (...files: readonly string[]): string =>
  `# Written by slipway synth: the files that it replaces and removes in this folder. Commit it with them.\n${files.map((file) => `${file}\n`).join("")}`;

describe.for(libraries)("files of a program on %s", (library) => {
  const charts = { web: [object("ConfigMap", "a"), object("Namespace", "b")], db: [object("ConfigMap", "c")] };

  test.concurrent("go to dist, are named, and are listed", async ({ expect }) => {
    const project = await projectWith({ charts }, library);
    const { code, stdout, stderr } = await project.synth(["main.ts"]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "dist/db.k8s.yaml\ndist/web.k8s.yaml\n",
      stderr: "dist: 2 files, 2 new\n",
    });
    expect(await project.files("dist")).toEqual([".slipway-synth", "db.k8s.yaml", "web.k8s.yaml"]);
    expect(await project.read("dist/.slipway-synth")).toBe(list("db.k8s.yaml", "web.k8s.yaml"));
    expect(names(await project.read("dist/web.k8s.yaml"))).toEqual(["ConfigMap/a", "Namespace/b"]);
  });

  test.concurrent("go where --output says", async ({ expect }) => {
    const project = await projectWith({ charts }, library);
    expect((await project.synth(["main.ts", "-o", "a/b"])).stdout).toBe("a/b/db.k8s.yaml\na/b/web.k8s.yaml\n");
    expect(await project.files(".")).toEqual([
      "a/b/.slipway-synth",
      "a/b/db.k8s.yaml",
      "a/b/web.k8s.yaml",
      "main.ts",
      "objects.json",
    ]);
  });

  test.concurrent("go where CDK8S_OUTDIR says", async ({ expect }) => {
    const project = await projectWith({ charts }, library);
    const { stdout } = await project.synth(["main.ts"], { CDK8S_OUTDIR: "other" });
    expect(stdout).toBe("other/db.k8s.yaml\nother/web.k8s.yaml\n");
  });

  test.concurrent("of every output type are those of cdk8s, with construct-metadata.json", async ({ expect }) => {
    for (const yamlOutputType of [0, 2, 3]) {
      const objects = { props: { yamlOutputType, recordConstructMetadata: true }, charts };
      const project = await projectWith(objects, library);
      expect((await project.synth(["main.ts"])).code).toBe(0);
      const peer = await projectWith({ ...objects, props: { ...objects.props, outdir: "dist" } }, "cdk8s");
      await peer.synth(["main.ts"]);
      const files = await peer.files("dist");
      expect(files.length).toBeGreaterThan(1);
      expect(await project.files("dist")).toEqual([".slipway-synth", ...files]);
      for (const file of files) expect(await project.read(`dist/${file}`)).toBe(await peer.read(`dist/${file}`));
    }
  });

  test.concurrent("are one stream with --stdout, and nothing is written", async ({ expect }) => {
    const project = await projectWith(
      { charts: { ...charts, empty: [] }, props: { recordConstructMetadata: true } },
      library,
    );
    const { code, stdout, stderr } = await project.synth(["main.ts", "--stdout"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(new Set(names(stdout))).toEqual(new Set(["ConfigMap/a", "Namespace/b", "ConfigMap/c"]));
    expect(await project.files(".")).toEqual(["main.ts", "objects.json"]);
  });

  test.concurrent("are lists with --format json", async ({ expect }) => {
    const project = await projectWith({ charts }, library);
    expect((await project.synth(["main.ts", "--format", "json"])).stdout).toBe("dist/db.k8s.json\ndist/web.k8s.json\n");
    const { kind, apiVersion, items } = JSON.parse(await project.read("dist/web.k8s.json"));
    expect({ kind, apiVersion, items }).toEqual({ kind: "List", apiVersion: "v1", items: charts.web });
  });

  test.concurrent("are one file in the order of apply with --order apply", async ({ expect }) => {
    const project = await projectWith({ charts }, library);
    expect((await project.synth(["main.ts", "--order", "apply"])).stdout).toBe("dist/app.k8s.yaml\n");
    const [first, ...others] = names(await project.read("dist/app.k8s.yaml"));
    expect(first).toBe("Namespace/b");
    expect(new Set(others)).toEqual(new Set(["ConfigMap/a", "ConfigMap/c"]));
  });
});

test.concurrent("an App of core goes to its own outdir, and two Apps to one each", async ({ expect }) => {
  const project = await folder.project({
    "package.json": '{"type":"module"}',
    "main.ts": `import { ApiObject, App, Chart } from "@slipway/core";
for (const outdir of ["out/a", "out/b", undefined]) {
  const app = new App(outdir === undefined ? {} : { outdir });
  new ApiObject(new Chart(app, "c"), "x", { apiVersion: "v1", kind: "ConfigMap" });
  app.synth();
  app.synth();
}`,
  });
  expect((await project.synth(["main.ts"])).stdout).toBe("out/a/c.k8s.yaml\nout/b/c.k8s.yaml\ndist/c.k8s.yaml\n");
  const together = await project.synth(["main.ts", "-o", "all"]);
  expect(together.code).toBe(1);
  expect(together.stderr).toContain("OUTPUT_COLLISION");
  expect(together.stderr).toContain("c.k8s.yaml: two Apps write it");
});

test.concurrent("every App that is exported is synthesised once, where it says", async ({ expect }) => {
  for (const library of libraries) {
    const project = await folder.project({
      "package.json": '{"type":"module"}',
      "main.ts": `import { ApiObject, App, Chart } from "${library}";
const make = (name: string, props?: object): App => {
  const app = new App(props);
  new ApiObject(new Chart(app, name), "x", { apiVersion: "v1", kind: "ConfigMap" });
  return app;
};
export const app = make("named", { outdir: "own" });
const first = make("first");
${library === "cdk8s" ? "" : "first.synth();"}
export default first;`,
    });
    const { stdout } = await project.synth(["main.ts"]);
    expect(stdout).toBe("dist/first.k8s.yaml\nown/named.k8s.yaml\n");
    expect(await project.files(".")).toEqual([
      "dist/.slipway-synth",
      "dist/first.k8s.yaml",
      "main.ts",
      "own/.slipway-synth",
      "own/named.k8s.yaml",
      "package.json",
    ]);
  }
});

test.concurrent("an App of a newer version is refused", async ({ expect }) => {
  const project = await folder.project({
    "main.js": 'globalThis[Symbol.for("slipway.synth.host")].receive({ version: 2, outdir: "dist", outputs: [] });',
  });
  const { code, stderr } = await project.synth(["main.js"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: main\.js:1:46: the App is of a newer version of Slipway than this command\./);
});

test.concurrent("a program of JavaScript on core needs no compiler, no YAML library and no diff", async ({
  expect,
}) => {
  await using lean = await createProgramFolder({ without: ["oxc-transform", "@oxc-project/runtime", "yaml", "diff"] });
  const project = await lean.project({
    "main.mjs": program("@slipway/core").replaceAll(/<any\[\]>/g, ""),
    "objects.json": JSON.stringify({ charts: { c: [object("ConfigMap", "a", { data: { text: "a: b\nc" } })] } }),
  });
  const { code, stderr } = await project.synth(["main.mjs", "--order", "apply"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "dist: 1 file, 1 new\n" });
  await project.write({ "main.ts": "export {};" });
  const refused = await project.synth(["main.ts"]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/^error: TypeScript cannot be run here: oxc-transform cannot be loaded \(/);
});

test.concurrent("whoever reads the stream may stop", async ({ expect }) => {
  const text = "x".repeat(100_000);
  const project = await projectWith({
    charts: { c: Array.from({ length: 20 }, (_, n) => object("ConfigMap", `c${n}`, { data: { text } })) },
  });
  const { stderr } = await project.synthInto("head -c 10", ["main.ts", "--stdout"]);
  expect(stderr).toBe("");
});

test.concurrent("what a program prints is not among what is synthesised", async ({ expect }) => {
  const project = await folder.project({
    "main.ts": `${program("cdk8s")}console.log("hello"); process.stdout.write("there\\n");`,
    "objects.json": JSON.stringify({ charts: { c: [object("ConfigMap", "a")] } }),
  });
  const { stdout, stderr } = await project.synth(["main.ts", "--stdout"]);
  expect(stderr).toBe("hello\nthere\n");
  expect(names(stdout)).toEqual(["ConfigMap/a"]);
});

describe("a later run", () => {
  const before = {
    charts: { a: [object("ConfigMap", "a")], b: [object("ConfigMap", "b")], c: [object("ConfigMap", "c")] },
  };
  const after = {
    charts: { a: [object("ConfigMap", "a")], b: [object("ConfigMap", "b2")], d: [object("ConfigMap", "d")] },
  };

  test.concurrent("removes what it does not make any more, leaves what others wrote, and touches nothing else", async ({
    expect,
  }) => {
    const project = await projectWith(before);
    await project.write({ "dist/theirs.yaml": "a: 1\n", "dist/b.k8s.yaml": "from cdk8s\n" });
    await project.synth(["main.ts"]);
    const { mtimeMs } = await stat(join(project.path, "dist/a.k8s.yaml"));
    await chmod(join(project.path, "dist/b.k8s.yaml"), 0o600);
    await change(project, after);
    const { stdout, stderr } = await project.synth(["main.ts"]);
    expect(stdout).toBe("dist/b.k8s.yaml\ndist/c.k8s.yaml removed\ndist/d.k8s.yaml\n");
    expect(stderr).toBe("dist: 3 files, 1 new, 1 changed, 1 removed\n");
    expect(await project.files("dist")).toEqual([
      ".slipway-synth",
      "a.k8s.yaml",
      "b.k8s.yaml",
      "d.k8s.yaml",
      "theirs.yaml",
    ]);
    expect((await stat(join(project.path, "dist/a.k8s.yaml"))).mtimeMs).toBe(mtimeMs);
    expect((await stat(join(project.path, "dist/b.k8s.yaml"))).mode & 0o777).toBe(0o600);
  });

  test.concurrent("removes folders that are empty then", async ({ expect }) => {
    const props = { yamlOutputType: 3 };
    const project = await projectWith({ ...before, props });
    await project.synth(["main.ts"]);
    await project.write({ "dist/c/theirs.txt": "" });
    await change(project, { props, charts: { a: [] } });
    expect((await project.synth(["main.ts"])).code).toBe(0);
    expect(await project.files("dist")).toEqual([".slipway-synth", "c/theirs.txt"]);
    expect((await stat(join(project.path, "dist/a"))).isDirectory()).toBe(true);
    await expect(stat(join(project.path, "dist/b"))).rejects.toThrow("ENOENT");
  });

  test.concurrent("removes nothing outside of the folder, whatever the list says", async ({ expect }) => {
    const project = await projectWith({ charts: { a: [] } });
    await project.write({ "outside.yaml": "", "elsewhere/x.yaml": "" });
    await mkdir(join(project.path, "dist"));
    await symlink("../elsewhere", join(project.path, "dist/link"));
    const absolute = join(project.path, "outside.yaml");
    await project.write({
      "dist/.slipway-synth": `../outside.yaml\n${absolute}\nlink/x.yaml\na/../../outside.yaml\n.\n\n`,
    });
    expect((await project.synth(["main.ts"])).stdout).toBe("dist/a.k8s.yaml\n");
    expect(await project.files("elsewhere")).toEqual(["x.yaml"]);
    expect(await project.files(".")).toContain("outside.yaml");
  });

  test.concurrent("writes nothing when there is a problem", async ({ expect }) => {
    const project = await projectWith(before);
    await project.synth(["main.ts"]);
    await change(project, { charts: { a: [object("ConfigMap", "Not Legal")] } });
    expect((await project.synth(["main.ts"])).code).toBe(1);
    expect(await project.files("dist")).toEqual([".slipway-synth", "a.k8s.yaml", "b.k8s.yaml", "c.k8s.yaml"]);
  });

  test.concurrent("follows a link that is one of the files", async ({ expect }) => {
    const project = await projectWith({ charts: { a: [object("ConfigMap", "a")] } });
    await project.write({ "target.yaml": "old\n", "dist/keep": "" });
    await symlink("../target.yaml", join(project.path, "dist/a.k8s.yaml"));
    await project.synth(["main.ts"]);
    expect(names(await project.read("target.yaml"))).toEqual(["ConfigMap/a"]);
  });

  test.concurrent("names what stands in its way", async ({ expect }) => {
    const project = await projectWith({ charts: { a: [object("ConfigMap", "a")] } });
    await project.write({ dist: "a file", "other/a.k8s.yaml/x": "" });
    const { code, stderr } = await project.synth(["main.ts"]);
    expect(code).toBe(1);
    expect(stderr).toContain(`${project.path}/dist: cannot be written. A file stands where a folder is wanted.`);
    expect((await project.synth(["main.ts", "-o", "other"])).stderr).toContain(
      "a.k8s.yaml: cannot be read. It is a folder.",
    );
  });
});

describe("--check", () => {
  test.concurrent("says nothing is to be done, and writes nothing", async ({ expect }) => {
    const project = await projectWith({ charts: { a: [object("ConfigMap", "a")] } });
    await project.synth(["main.ts"]);
    const files = await project.files(".");
    const { code, stdout, stderr } = await project.synth(["main.ts", "--check"]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "dist: up to date, 1 file\n" });
    expect(await project.files(".")).toEqual(files);
  });

  test.concurrent("shows what would change, with the values of Secrets hidden", async ({ expect }) => {
    const secret = (value: string, name = "s"): object =>
      object("Secret", name, { stringData: { same: "kept", password: value } });
    const project = await projectWith({
      charts: {
        a: [object("ConfigMap", "a", { data: { x: "1", y: "2" } })],
        b: [secret("old-value")],
        c: [secret("gone", "c")],
      },
    });
    await project.synth(["main.ts"]);
    await change(project, {
      charts: {
        a: [object("ConfigMap", "a", { data: { x: "1", y: "3" } })],
        b: [secret("new-value")],
        d: [secret("fresh", "d")],
      },
    });
    const { code, stdout, stderr } = await project.synth(["main.ts", "--check"]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      "error: dist is out of date: 3 files, 1 new, 2 changed, 1 removed. Run slipway synth without --check.\n",
    );
    await expect(stdout).toMatchFileSnapshot("golden/synth-check.diff");
    expect(await project.files("dist")).toEqual([".slipway-synth", "a.k8s.yaml", "b.k8s.yaml", "c.k8s.yaml"]);
  });

  test.concurrent("does not show a file that may hold a Secret and cannot be read", async ({ expect }) => {
    const project = await projectWith({
      charts: { a: [object("Secret", "a", { stringData: { password: "new-value" } })] },
    });
    await project.write({ "dist/a.k8s.yaml": "kind: Secret\ndata: {password: old-value\n" });
    const { code, stdout } = await project.synth(["main.ts", "--check"]);
    expect(code).toBe(1);
    expect(stdout).not.toContain("value");
    expect(stdout).toContain("It holds a Secret and is not YAML");
  });

  test.concurrent("knows a change of layout alone", async ({ expect }) => {
    const project = await projectWith({ charts: { a: [object("Secret", "a")] } });
    await project.write({ "dist/a.k8s.yaml": '"apiVersion": v1\nkind: Secret\nmetadata:\n  name: a\n' });
    const { code, stdout } = await project.synth(["main.ts", "--check"]);
    expect(code).toBe(1);
    expect(stdout).toBe("--- dist/a.k8s.yaml\n+++ dist/a.k8s.yaml\n# Only the layout differs.\n");
  });
});

test("it is among the commands", async () => {
  let output = "";
  const stream = {
    write: (text: string) => {
      output += text;
    },
  };
  const host: CliHost = {
    cwd: folder.path,
    env: {},
    interrupted: new AbortController().signal,
    stdout: stream,
    stderr: stream,
    server: systemHost(() => {}),
  };
  expect(await main(["--help"], host)).toBe(0);
  expect(output).toContain("synth");
  output = "";
  expect(await main(["help", "synth"], host)).toBe(0);
  expect(await main(["synth", "--help"], host)).toBe(0);
  expect(await main(["synth", "nowhere.ts", "--stdout"], host)).toBe(2);
  expect(output).toContain("nowhere.ts: there is no such program.");
});

test("help says what there is", async () => {
  const project = await folder.project({});
  const { code, stdout } = await project.synth(["--help"]);
  expect(code).toBe(0);
  await expect(stdout).toMatchFileSnapshot("golden/synth-help.txt");
});

describe("what is wrong on the command line:", () => {
  test.concurrent.for([
    { args: [], stderr: "there is no cdk8s.yaml here. Name the program: slipway synth main.ts" },
    { args: ["nowhere.ts"], stderr: "nowhere.ts: there is no such program." },
    { args: ["."], stderr: ".: there is no such program. It is a file, or a folder with a cdk8s.yaml." },
    { args: ["objects.json"], stderr: "objects.json: a program is a file that ends in .ts," },
    { args: ["main.ts", "more"], stderr: "slipway synth main.ts -- more" },
    { args: ["main.ts", "--chekc"], stderr: "unknown option --chekc. Did you mean --check?" },
    { args: ["main.ts", "--qqq"], stderr: "unknown option --qqq.\n" },
    { args: ["main.ts", "--format", "xml"], stderr: "--format xml: there are yaml and json." },
    { args: ["main.ts", "--order", "random"], stderr: "--order random: there are cdk8s and apply." },
    { args: ["main.ts", "-o"], stderr: "argument missing" },
    { args: ["main.ts", "--stdout", "-o", "x"], stderr: "--stdout and --output exclude each other." },
    { args: ["main.ts", "--stdout", "--check"], stderr: "--stdout and --check exclude each other." },
    {
      args: ["main.ts", "--allow", "NOPE"],
      stderr: "--allow NOPE: there is no such kind of problem. There are CHART_HOOK,",
    },
    { args: ["main.ts", "--allow", "DEPENDENCY_CYCLE"], stderr: "there is no order for a cycle" },
  ])("slipway synth $args", async ({ args, stderr }, { expect }) => {
    const project = await projectWith({ charts: { a: [] } });
    const outcome = await project.synth(args);
    expect(outcome.stderr).toContain(stderr);
    expect(outcome.stderr).toMatch(/Run slipway synth --help to see what there is\.\n$/);
    expect(outcome.stdout).toBe("");
    expect(outcome.code).toBe(2);
  });
});
