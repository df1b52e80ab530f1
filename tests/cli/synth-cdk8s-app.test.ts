import { afterAll, beforeAll, describe, test } from "vitest";
import { createProgramFolder, type ProgramFolder } from "../support/program-folder.ts";

let folder: ProgramFolder;
beforeAll(async () => {
  folder = await createProgramFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const program = (
  library: string,
  name = "settings",
  props = "",
): string => `import { ApiObject, App, Chart } from "${library}";
const app = new App(${props});
new ApiObject(new Chart(app, "c"), "x", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "${name}" } });
app.synth();
console.log("made");
`;

const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n";

describe.for(["@slipway/core", "cdk8s"] as const)("a cdk8s.yaml whose app is on %s", (library) => {
  test.concurrent("is run where it is, and the files go to its output", async ({ expect }) => {
    const project = await folder.project({
      "app/cdk8s.yaml": "language: typescript\napp: node main.mjs\noutput: manifests\n",
      "app/main.mjs": program(library),
      "cdk8s.yaml": "language: typescript\napp: node app/main.mjs\n",
    });
    for (const path of ["app", "app/cdk8s.yaml"]) {
      const { code, stdout, stderr } = await project.synth([path, "--stdout"]);
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: yaml, stderr: "made\n" });
    }
    expect((await project.synth(["app"])).stdout).toBe("app/manifests/c.k8s.yaml\n");
    expect((await project.synth([])).stdout).toBe("dist/c.k8s.yaml\n");
    expect((await project.synth(["--check"])).code).toBe(0);
    expect((await project.synth(["app", "-o", "other", "--order", "apply", "--format", "json"])).stdout).toBe(
      "other/app.k8s.json\n",
    );
  });

  test.concurrent("is checked as strictly as any program", async ({ expect }) => {
    const project = await folder.project({
      "cdk8s.yaml": "app: node main.mjs\n",
      "main.mjs": program(library, "Upper"),
    });
    const { code, stderr } = await project.synth([]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^made\nerror: 1 problem, so nothing is written\.\n {2}INVALID_NAME/);
    expect(await project.files(".")).toEqual(["cdk8s.yaml", "main.mjs"]);
    expect((await project.synth(["--allow", "INVALID_NAME"])).code).toBe(0);
  });
});

test.concurrent("problems of an app on core have the path of the construct", async ({ expect }) => {
  const files = { "cdk8s.yaml": "app: node main.mjs\n", "main.mjs": program("@slipway/core", "Upper") };
  const project = await folder.project(files);
  expect((await project.synth([])).stderr).toContain("INVALID_NAME  c/x\n");
  const traced = await project.synth(["--trace"]);
  expect(traced.stderr).toContain("main.mjs:3");
});

test.concurrent("problems of an app on cdk8s have it when it is recorded", async ({ expect }) => {
  const project = await folder.project({ "cdk8s.yaml": "app: node main.mjs\n", "main.mjs": program("cdk8s", "Upper") });
  expect((await project.synth([])).stderr).toContain("INVALID_NAME  c.k8s.yaml\n");
  const recorded = await project.synth([], { CDK8S_RECORD_CONSTRUCT_METADATA: "true" });
  expect(recorded.stderr).toContain("INVALID_NAME  c/x\n");
});

test.concurrent("an App of core that names its outdir has it", async ({ expect }) => {
  const project = await folder.project({
    "cdk8s.yaml": "app: node main.mjs\n",
    "main.mjs": program("@slipway/core", "settings", '{ outdir: "own" }'),
  });
  expect((await project.synth([])).stdout).toBe("own/c.k8s.yaml\n");
});

test.concurrent("NODE_OPTIONS of the user stay", async ({ expect }) => {
  const project = await folder.project({
    "cdk8s.yaml": "app: node main.cjs\n",
    "main.cjs":
      'require("fs").writeFileSync(process.env.CDK8S_OUTDIR + ".x", ""); console.error(process.argv0, Error.stackTraceLimit);',
  });
  const { stderr } = await project.synth([], { NODE_OPTIONS: "--stack-trace-limit=7" });
  expect(stderr).toContain("node 7\n");
});

describe("what is wrong with an app is said:", () => {
  test.concurrent.for([
    { what: "no command", file: "language: typescript\n", report: "cdk8s.yaml: app is missing." },
    { what: "no YAML", file: "app: [\n", report: "cdk8s.yaml:" },
    {
      what: "a command that fails",
      file: "app: echo no >&2; exit 3\n",
      report: "the app (echo no >&2; exit 3) ended with exit code 3",
    },
    { what: "a command that is killed", file: "app: kill -9 $$\n", report: "was ended by SIGKILL" },
    { what: "nothing is written", file: "app: 'true'\n", report: "the app (true) wrote nothing to CDK8S_OUTDIR." },
  ])("$what", async ({ file, report }, { expect }) => {
    const project = await folder.project({ "cdk8s.yaml": file });
    const { code, stdout, stderr } = await project.synth([]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(report);
    expect(await project.files(".")).toEqual(["cdk8s.yaml"]);
  });

  test.concurrent("a setting that has no effect", async ({ expect }) => {
    const project = await folder.project({
      "cdk8s.yaml": "app: node main.mjs\nvalidations: []\nsynthConfig: {format: helm}\n",
      "main.mjs": program("cdk8s"),
    });
    const { code, stderr } = await project.synth([]);
    expect(code).toBe(0);
    expect(stderr).toContain("warning: cdk8s.yaml: validations has no effect on slipway synth.\n");
    expect(stderr).toContain("warning: cdk8s.yaml: synthConfig has no effect on slipway synth.\n");
  });

  test.concurrent("arguments, which belong into the command", async ({ expect }) => {
    const project = await folder.project({ "cdk8s.yaml": "app: node main.mjs\n" });
    const { code, stderr } = await project.synth([".", "--", "a"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Put them into the app command of cdk8s.yaml.");
  });
});
