import { afterAll, beforeAll, describe, test } from "vitest";
import { createProgramFolder, type Files, type ProgramFolder } from "../support/program-folder.ts";

let folder: ProgramFolder;
beforeAll(async () => {
  folder = await createProgramFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const head =
  'import { ApiObject, App, Chart } from "@slipway/core";\nconst app = new App();\nconst chart = new Chart(app, "c");\n';
const module = { "package.json": '{"type":"module"}' };

interface Row {
  readonly what: string;
  readonly files: Files;
  readonly program?: string;
  /** All of stderr. */
  readonly report: string;
}

const rows: readonly Row[] = [
  {
    what: "an error in a function",
    files: {
      ...module,
      "main.ts": `${head}interface Unused { a: string }\nfunction build(value?: { x: string }): string {\n\treturn value!.x;\n}\nbuild();\n`,
    },
    report: `error: main.ts:6:16: TypeError: Cannot read properties of undefined (reading 'x')
  6 | \treturn value!.x;
    | \t              ^
    at build (main.ts:6:16)
    at main.ts:8:1
`,
  },
  {
    what: "an error in a file that is imported, in CommonJS",
    files: {
      "lib/a.ts":
        "enum A { X }\nexport class Thing {\n  constructor(readonly x: A) {\n    throw new RangeError('no ' + A[x], { cause: new Error('deeper') });\n  }\n}",
      "main.ts": `import { Thing } from "./lib/a";\nimport { App } from "cdk8s";\n\nnew App();\nnew Thing(0);`,
    },
    report: `error: lib/a.ts:4:11: RangeError: no X
  because: deeper
  4 |     throw new RangeError('no ' + A[x], { cause: new Error('deeper') });
    |           ^
    at new Thing (lib/a.ts:4:11)
    at main.ts:5:1
`,
  },
  {
    what: "an error in JavaScript",
    files: { "main.js": `const { App } = require("cdk8s");\nnew App();\n(() => {\n  nope();\n})();` },
    program: "main.js",
    report: `error: main.js:4:3: ReferenceError: nope is not defined
  4 |   nope();
    |   ^
    at main.js:4:3
    at main.js:5:3
`,
  },
  {
    what: "something that is not exported",
    files: {
      ...module,
      "lib.ts": "export const a = 1;",
      "main.ts": 'import { Nope } from "./lib.ts";\nconst x: unknown = new Nope();',
    },
    report: `error: main.ts:2:20: TypeError: Nope is not a constructor
  2 | const x: unknown = new Nope();
    |                    ^
    at main.ts:2:20
`,
  },
  {
    what: "an error of syntax in TypeScript",
    files: { ...module, "main.ts": 'import "./lib";', "lib.ts": "const a: number = 1;\nconst b: = 2;" },
    report: `error: lib.ts:2:10: SyntaxError: Unexpected token.
  2 | const b: = 2;
    |          ^
`,
  },
  {
    what: "a name that is declared twice, after characters that are several",
    files: { ...module, "main.ts": 'const text: string = "\u{1f600}é"; let a = 1; let a = 2;' },
    report: `error: main.ts:1:33: SyntaxError: Identifier \`a\` has already been declared.
  1 | const text: string = "\u{1f600}é"; let a = 1; let a = 2;
    |                                 ^
`,
  },
  {
    what: "a file with a top-level await that is required",
    files: { "lib.ts": "enum E { A }\nexport const a = await E.A;", "main.ts": 'const lib = require("./lib");\nlib;' },
    report: `error: lib.ts:2:18: a file with a top-level await cannot be required. Import it.
  2 | export const a = await E.A;
    |                  ^
`,
  },
  {
    what: "an error of syntax in JavaScript",
    files: { "main.js": "const a = 1;\nconst b = ;" },
    program: "main.js",
    report: `error: main.js:2:11: SyntaxError: Unexpected token ';'
  2 | const b = ;
    |           ^
`,
  },
  {
    what: "an error of syntax in an ES module",
    files: { ...module, "main.js": 'import "./lib.js";', "lib.js": "export const a = 1;\nconst b = ;" },
    program: "main.js",
    report: `error: lib.js:2:11: SyntaxError: Unexpected token.
  2 | const b = ;
    |           ^
`,
  },
  {
    what: "a file that is not there",
    files: {
      ...module,
      "main.ts": '// "./lib" is below\nimport type { A } from "./types";\nimport { a } from "./lib";\na();',
    },
    report: `error: main.ts:3:19: there is no file "./lib". Correct the import.
  3 | import { a } from "./lib";
    |                   ^
`,
  },
  {
    what: "a package that is not there",
    files: { ...module, "main.ts": 'import { a } from "no-such-package";\na();' },
    report: `error: main.ts:1:19: the package of "no-such-package" is not installed. Install it, or correct the import.
  1 | import { a } from "no-such-package";
    |                   ^
`,
  },
  {
    what: "a package that is not there, in CommonJS",
    files: { "lib.ts": 'import { a } from "no-such-package";\na();', "main.ts": "import './lib';" },
    report: `error: lib.ts:1:19: the package of "no-such-package" is not installed. Install it, or correct the import.
  1 | import { a } from "no-such-package";
    |                   ^
`,
  },
  {
    what: "a promise that is rejected and that nobody waits for",
    files: {
      ...module,
      "main.ts": `${head}async function load(): Promise<never> {\n  throw new Error("no answer");\n}\nload();\nsetInterval(() => {}, 1000);`,
    },
    report: `error: main.ts:5:9: no answer
  5 |   throw new Error("no answer");
    |         ^
    at load (main.ts:5:9)
    at main.ts:7:1
`,
  },
  {
    what: "an error in a timer",
    files: { ...module, "main.ts": `${head}setTimeout(() => {\n  throw new Error("late");\n}, 1);` },
    report: `error: main.ts:5:9: late
  5 |   throw new Error("late");
    |         ^
    at main.ts:5:9
`,
  },
  {
    what: "something thrown that is no error",
    files: { ...module, "main.ts": 'throw "a text";' },
    report: 'error: "a text" was thrown. Throw an Error, which has a place.\n',
  },
  {
    what: "an exit code",
    files: { ...module, "main.ts": `${head}app.synth();\nconsole.error("not today");\nprocess.exit(3);` },
    report: "not today\nerror: main.ts ended with exit code 3, so nothing is written.\n",
  },
  {
    what: "an exit code that is set",
    files: { ...module, "main.ts": `${head}app.synth();\nprocess.exitCode = 4;` },
    report: "error: main.ts ended with exit code 4, so nothing is written.\n",
  },
  {
    what: "a top-level await that is never answered",
    files: { ...module, "main.ts": `${head}app.synth();\nawait new Promise(() => {});` },
    report:
      "error: main.ts is not finished, and nothing is left that it could wait for: a top-level await is never answered, so nothing is written.\n",
  },
  {
    what: "no App",
    files: { ...module, "main.ts": `${head}export const other = chart;` },
    report: `error: main.ts made nothing: it has no App, or none that is synthesised. Call app.synth() at its end, or export the App (export default app).
An App of cdk8s that has an outdir of its own writes there by itself: leave outdir out.
`,
  },
  {
    what: "a construct that is not valid",
    files: {
      ...module,
      "main.ts": `${head}chart.node.addValidation({ validate: () => ["too small", "too old"] });\nexport default app;`,
    },
    report: "error: Validation failed with the following errors:\n  [c] too small\n  [c] too old\n",
  },
  {
    what: "a cycle",
    files: {
      ...module,
      "main.ts": `${head}const a = new ApiObject(chart, "a", { apiVersion: "v1", kind: "ConfigMap" });\nconst b = new ApiObject(chart, "b", { apiVersion: "v1", kind: "ConfigMap" });\na.addDependency(b);\nb.addDependency(a);\napp.synth();`,
    },
    report: `error: main.ts:8:5: Dependency cycle detected: c/a => c/b => c/a
  8 | app.synth();
    |     ^
    at main.ts:8:5
`,
  },
  {
    what: "an object that cannot be rendered",
    files: {
      ...module,
      "main.ts": `${head}import { Lazy } from "@slipway/core";\nfunction port(): number {\n  throw new Error("no port");\n}\nnew ApiObject(chart, "a", { apiVersion: "v1", kind: "Service", spec: { port: Lazy.any({ produce: () => port() }) } });\napp.synth();`,
    },
    report: `error: main.ts:6:9: Failed serializing construct at path 'c/a' with name 'c-a-c85ca9af': Error: no port
  6 |   throw new Error("no port");
    |         ^
    at port (main.ts:6:9)
    at Object.produce (main.ts:8:104)
    at main.ts:9:5
`,
  },
];

describe("a program fails:", () => {
  test.concurrent.for(rows)("$what", async ({ files, program = "main.ts", report }, { expect }) => {
    const project = await folder.project(files);
    const { code, stdout, stderr } = await project.synth([program]);
    expect(stderr).toBe(report);
    expect(stdout).toBe("");
    expect(code).toBe(1);
    expect(new Set(await project.files("."))).toEqual(new Set(Object.keys(files)));
  });
});
