import { afterAll, beforeAll, describe, test } from "vitest";
import { createProgramFolder, type ProgramFolder } from "../support/program-folder.ts";

let folder: ProgramFolder;
beforeAll(async () => {
  folder = await createProgramFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

/** One object of each kind of problem, in two charts. */
const program = (library: string): string => `import { ApiObject, App, Chart } from "${library}";
const app = new App();
const [web, db] = [new Chart(app, "web"), new Chart(app, "db")];
const make = (chart: Chart, id: string, kind: string, metadata: object, more: object = {}): ApiObject =>
  new ApiObject(chart, id, { apiVersion: "v1", kind, metadata, ...more });
make(web, "first", "ConfigMap", { name: "twice", namespace: "n" });
make(db, "second", "ConfigMap", { name: "twice", namespace: "n" });
make(web, "label", "ConfigMap", { name: "label", labels: { app: "not valid" } });
make(web, "annotation", "ConfigMap", { name: "annotation", annotations: { "not valid": "x" } });
make(web, "name", "Service", { name: "Upper" });
make(web, "key", "ConfigMap", { name: "key" }, { data: { "a/b": "x" } });
make(web, "hook", "Job", { name: "hook", annotations: { "helm.sh/hook": "test" } });
app.synth();
`;

const codes = [
  "DUPLICATE_OBJECT",
  "INVALID_LABEL",
  "INVALID_ANNOTATION",
  "INVALID_NAME",
  "INVALID_DATA_KEY",
  "CHART_HOOK",
];

describe.for(["@slipway/core", "cdk8s"] as const)("a program on %s", (library) => {
  test.concurrent("gets one report of all problems, and writes nothing", async ({ expect }) => {
    const project = await folder.project({ "main.ts": program(library) });
    const { code, stdout, stderr } = await project.synth(["main.ts"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    await expect(stderr).toMatchFileSnapshot(`golden/synth-problems-${library === "cdk8s" ? "cdk8s" : "core"}.txt`);
    for (const problem of codes) expect(stderr).toContain(problem);
    expect(await project.files(".")).toEqual(["main.ts"]);
  });

  test.concurrent("is let through by kinds of problems, which it is still told of", async ({ expect }) => {
    const project = await folder.project({ "main.ts": program(library) });
    const all = codes.flatMap((code) => ["--allow", code]);
    const some = await project.synth(["main.ts", ...all.slice(2)]);
    expect(some.code).toBe(1);
    expect(some.stderr).toMatch(/^error: 1 problem, so nothing is written\.\n {2}DUPLICATE_OBJECT/);
    const every = await project.synth(["main.ts", ...all]);
    expect(every.code).toBe(0);
    expect(every.stderr).toMatch(/^warning: 6 problems are allowed:\n/);
    expect(await project.files("dist")).toEqual([".slipway-synth", "db.k8s.yaml", "web.k8s.yaml"]);
  });
});

test.concurrent("a program that ends the process with 0 fails all the same", async ({ expect }) => {
  for (const library of ["@slipway/core", "cdk8s"]) {
    const project = await folder.project({ "main.ts": `${program(library)}process.exit(0);` });
    const { code, stderr } = await project.synth(["main.ts"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: 6 problems/);
    expect(await project.files(".")).toEqual(["main.ts"]);
  }
});

test.concurrent("hooks of Helm are left out of the order of apply", async ({ expect }) => {
  const project = await folder.project({ "main.ts": program("cdk8s") });
  const all = codes.flatMap((code) => ["--allow", code]);
  const { code, stdout } = await project.synth(["main.ts", "--stdout", "--order", "apply", ...all]);
  expect(code).toBe(0);
  expect(stdout).not.toContain("helm.sh/hook");
  expect(stdout).toContain("name: label");
});

test.concurrent("--trace names the lines that make an object", async ({ expect }) => {
  const main = `import { ApiObject, App, Chart } from "@slipway/core";
interface Props {
  name: string;
}
enum Kind { ConfigMap = "ConfigMap" }
function make(chart: Chart, { name }: Props): ApiObject {
  return new ApiObject(chart, name, { apiVersion: "v1", kind: Kind.ConfigMap, metadata: { name: "Upper" } });
}
const app = new App();
make(new Chart(app, "c"), { name: "x" });
export default app;
`;
  for (const files of [{ "package.json": '{"type":"module"}', "main.ts": main }, { "main.ts": main }]) {
    const project = await folder.project(files);
    const plain = await project.synth(["main.ts"]);
    expect(plain.stderr).not.toContain("main.ts:");
    const { stderr } = await project.synth(["main.ts", "--trace"]);
    expect(stderr).toContain("(c/x by ApiObject, main.ts:7)");
  }
});

test.concurrent("what kubectl would read as something else is named with its place", async ({ expect }) => {
  const project = await folder.project({
    "main.ts": `import { App, Chart } from "cdk8s";
class Own extends Chart { toJson(): any[] { return [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: 5, labels: { a: true } } }]; } }
const app = new App();
new Own(app, "own");
app.synth();`,
  });
  const { code, stderr } = await project.synth(["main.ts"]);
  expect(code).toBe(1);
  expect(stderr).toContain("own.k8s.yaml:4:9: metadata.name is a number. Quote it.");
  expect(stderr).toContain("own.k8s.yaml:6:8: metadata.labels.a is a boolean. Quote it.");
});
