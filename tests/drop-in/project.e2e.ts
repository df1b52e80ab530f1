import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createProject,
  dropIn,
  linkTools,
  node,
  npmInstall,
  type Project,
  pack,
  peers,
  run,
  writeFiles,
} from "./project.ts";

let store: Project;
let tarballs: { readonly ours: string; readonly plus: string };

beforeAll(async () => {
  store = await createProject({});
  tarballs = {
    ours: await pack(dropIn, store.path),
    plus: await pack(join(peers, "cdk8s-plus-33"), store.path),
  };
});
afterAll(() => store[Symbol.asyncDispose]());

/** A project with the drop-in under the name cdk8s, as `cdk8s init typescript-app` lays it out. */
async function createInitProject(constructs: "constructs" | "constructs-10.3"): Promise<Project> {
  const project = await createProject({
    "package.json": {
      name: "my-app",
      version: "1.0.0",
      main: "main.js",
      dependencies: {
        cdk8s: `file:${tarballs.ours}`,
        "cdk8s-plus-33": `file:${tarballs.plus}`,
        constructs: `file:${await pack(join(peers, constructs), store.path)}`,
      },
    },
    "main.ts": await readProgram("app.ts"),
    "plus.ts": await readProgram("plus.ts"),
  });
  const { code, stderr } = await npmInstall(project.path);
  expect(code, stderr).toBe(0);
  await linkTools(project.path, ["@types/jest", "@types/node", "jest", "ts-jest", "typescript"]);
  return project;
}

function readProgram(name: string): Promise<string> {
  return readFile(join(import.meta.dirname, "programs", name), "utf8");
}

/** The compiler settings of `cdk8s init`, which check the declarations of packages as well. */
const initSettings = {
  alwaysStrict: true,
  declaration: true,
  experimentalDecorators: true,
  inlineSourceMap: true,
  inlineSources: true,
  lib: ["es2016"],
  module: "CommonJS",
  noEmitOnError: true,
  noFallthroughCasesInSwitch: true,
  noImplicitAny: true,
  noImplicitReturns: true,
  noImplicitThis: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  resolveJsonModule: true,
  strict: true,
  strictNullChecks: true,
  strictPropertyInitialization: true,
  stripInternal: true,
  target: "ES2017",
};

describe("a project with jest 27 and ts-jest", () => {
  let project: Project;
  let output: string;
  let code: number;
  beforeAll(async () => {
    project = await createInitProject("constructs");
    await writeFiles(project.path, {
      "tsconfig.json": { compilerOptions: { ...initSettings, skipLibCheck: true }, include: ["**/*.ts"] },
      "jest.config.js": `module.exports = {
  roots: ["<rootDir>"],
  testMatch: ["**/*.test.ts"],
  transform: { "^.+\\\\.tsx?$": "ts-jest" },
};
`,
      "main.test.ts": `import { ApiObject, App, Chart, Include, Lazy, Testing, Yaml } from "cdk8s";
import { _child_process } from "cdk8s/lib/_child_process";
import { Deployment } from "cdk8s-plus-33";
import { writeFileSync } from "fs";
import { build, checks, MyChart } from "./main";

test("Testing.chart and Testing.synth", () => {
  const app = Testing.app();
  expect(Testing.synth(new MyChart(app, "test-chart"))).toMatchSnapshot();
  expect(Testing.synth(Testing.chart())).toEqual([]);
});

test("values of the realm that tests run in", () => {
  const chart = Testing.chart();
  new ApiObject(chart, "o", { apiVersion: "v1", kind: "K", spec: { a: [{ b: Lazy.any({ produce: () => ({ c: [1] }) }) }] } });
  expect(Testing.synth(chart)).toMatchInlineSnapshot(\`
    Array [
      Object {
        "apiVersion": "v1",
        "kind": "K",
        "metadata": Object {
          "name": "test-o-c8d712ba",
        },
        "spec": Object {
          "a": Array [
            Object {
              "b": Object {
                "c": Array [
                  1,
                ],
              },
            },
          ],
        },
      },
    ]
  \`);
});

test("a failure is an error of that realm", () => {
  const chart = Testing.chart();
  const object = new ApiObject(chart, "o", { apiVersion: "v1", kind: "K", spec: new Map() });
  expect(() => object.toJson()).toThrow(Error);
  expect(() => object.toJson()).toThrow(/Failed serializing construct at path 'test\\/o'/);
});

test("the environment of the test counts", () => {
  process.env.CDK8S_OUTDIR = "from-environment";
  try {
    expect(new App().outdir).toBe("from-environment");
  } finally {
    delete process.env.CDK8S_OUTDIR;
  }
});

test("files are read, and YAML is", () => {
  writeFileSync("in.yaml", "apiVersion: v1\\nkind: Pod\\nmetadata: { name: p }\\n---\\n# nothing\\n");
  const chart = Testing.chart();
  expect(new Include(chart, "i", { url: "in.yaml" }).apiObjects).toHaveLength(1);
  expect(Yaml.load("in.yaml")).toEqual([{ apiVersion: "v1", kind: "Pod", metadata: { name: "p" } }]);
});

test("cdk8s-plus and spies", () => {
  const chart = Testing.chart();
  new Deployment(chart, "d", { containers: [{ image: "x" }] });
  expect(Testing.synth(chart)[0].spec.replicas).toBe(2);
  expect(jest.spyOn(_child_process, "spawnSync")).not.toHaveBeenCalled();
  const synth = jest.spyOn(Chart.prototype, "toJson");
  build().synthYaml();
  expect(synth).toHaveBeenCalled();
  expect(checks).toEqual([false, ...Array(9).fill(true)]);
});
`,
      "__snapshots__/main.test.ts.snap": `// Jest Snapshot v1, https://goo.gl/fbAQLP

exports[\`Testing.chart and Testing.synth 1\`] = \`
Array [
  Object {
    "apiVersion": "v1",
    "data": Object {
      "every": "0 0 * * *",
      "later": "test-chart",
      "wait": "1 minute",
    },
    "kind": "ConfigMap",
    "metadata": Object {
      "labels": Object {
        "size": "1Gi",
      },
      "name": "my-test-chart-settings-c8e97d52",
      "ownerReferences": Array [
        Object {
          "apiVersion": "v1",
          "kind": "Pod",
          "name": "p",
          "uid": "u",
        },
      ],
    },
  },
]
\`;
`,
    });
    ({ code, stderr: output } = await run(process.execPath, ["node_modules/jest/bin/jest.js", "--ci"], project.path));
  });
  afterAll(() => project[Symbol.asyncDispose]());

  test("passes, type check included", () => {
    expect(code, output).toBe(0);
    expect(output).toMatch(/^Tests: +6 passed, 6 total$/m);
    expect(output).toMatch(/^Snapshots: +2 passed, 2 total$/m);
  });
});

const modes = {
  commonjs: { module: "commonjs", moduleResolution: "node" },
  "commonjs as TypeScript 7 has it": { module: "commonjs", moduleResolution: "bundler" },
  node16: { module: "node16", moduleResolution: "node16" },
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
  node20: { module: "node20", moduleResolution: "node16" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
} as const;

interface Compiler {
  readonly version: string;
  /** Among the peers. */
  readonly name: string;
  /** The first is what `cdk8s init` sets, or what has taken its place. */
  readonly modes: readonly [keyof typeof modes, ...(keyof typeof modes)[]];
  /** TypeScript 4.9 cannot read the declarations of newer ones. */
  readonly constructs?: "constructs-10.3";
}

const compilers: readonly Compiler[] = [
  { version: "4.9", name: "typescript", modes: ["commonjs", "node16", "nodenext"], constructs: "constructs-10.3" },
  { version: "5.4", name: "typescript-5.4", modes: ["commonjs", "node16", "bundler"] },
  { version: "5.9", name: "typescript-5.9", modes: ["commonjs", "node16", "node20", "bundler"] },
  { version: "6.0", name: "typescript-6.0", modes: ["commonjs", "node16", "node20", "bundler"] },
  {
    version: "7.0",
    name: "typescript-7.0",
    modes: ["commonjs as TypeScript 7 has it", "node16", "node20", "bundler"],
  },
];

describe("a project that is compiled", () => {
  let latest: Project;
  let older: Project;
  beforeAll(async () => {
    latest = await createInitProject("constructs");
    older = await createInitProject("constructs-10.3");
    for (const { path } of [latest, older]) {
      await writeFiles(path, {
        // The same as an ES module, where the settings know such a thing.
        "module.mts": await readProgram("app.ts"),
        "whole.mts":
          'import cdk8s, { App } from "cdk8s";\n\nexport const app: App = new cdk8s.App({ outdir: cdk8s.Names.name });\n',
        "small.ts": 'import { App } from "cdk8s";\n\nexport const app: App = new App();\n',
        "wrong.ts": 'import { App } from "cdk8s";\n\nexport const app: number = new App({ outDir: "x" });\n',
      });
    }
  });
  afterAll(async () => {
    await latest[Symbol.asyncDispose]();
    await older[Symbol.asyncDispose]();
  });

  describe.for(compilers)("by TypeScript $version", ({ version, name, modes: [usual, ...others], constructs }) => {
    const compile = async (settings: object, files: readonly string[]): Promise<string> => {
      const { path } = constructs === undefined ? latest : older;
      const deprecations = version === "6.0" ? { ignoreDeprecations: "6.0" } : {};
      const compilerOptions = { ...settings, ...deprecations, strict: true, declaration: true, noEmit: true };
      await writeFiles(path, { "tsconfig.json": { compilerOptions, files } });
      const { stdout } = await run(process.execPath, [join(peers, name, "bin/tsc"), "-p", "."], path);
      return stdout;
    };
    const settings = { target: "ES2022", noImplicitOverride: true, types: ["node"] };

    test(`${usual}, with cdk8s-plus-33`, async () => {
      expect(await compile({ ...settings, ...modes[usual] }, ["main.ts", "plus.ts"])).toBe("");
    });

    test.for(others)("%s", async (mode) => {
      const files = ["main.ts", ...(mode.startsWith("node") ? ["module.mts", "whole.mts"] : [])];
      expect(await compile({ ...settings, ...modes[mode] }, files)).toBe("");
    });

    test("the settings of cdk8s init, without the types of Node", async () => {
      expect(await compile({ ...initSettings, ...modes[usual], types: [] }, ["small.ts"])).toBe("");
    });

    test("a mistake is noticed", async () => {
      expect(await compile({ ...settings, ...modes[usual], types: [] }, ["wrong.ts"])).toMatch(/TS2322|TS2353|TS2561/);
    });
  });

  test("as an ES module runs", async () => {
    const compilerOptions = { target: "ES2022", module: "node20", strict: true, types: ["node"], outDir: "built" };
    const program = 'import { build } from "./built/module.mjs"; console.log(build().synthYaml().split("---").length);';
    await writeFiles(latest.path, { "tsconfig.json": { compilerOptions, files: ["module.mts"] }, "run.mjs": program });
    await node([join(peers, "typescript-5.9/bin/tsc"), "-p", "."], latest.path);
    expect(await node(["run.mjs"], latest.path)).toBe("2\n");
  });
});
