import { afterAll, beforeAll, describe, test } from "vitest";
import { createProgramFolder, type Files, type ProgramFolder } from "../support/program-folder.ts";

let folder: ProgramFolder;
beforeAll(async () => {
  folder = await createProgramFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const configMap = (value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  value: ${value}\n`;

/** A ConfigMap whose value is that of the expression. */
const made = (value: string): string =>
  `new ApiObject(new Chart(app, "chart"), "x", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { value: ${value} } });`;

const head = 'import { ApiObject, App, Chart } from "@slipway/core";\nconst app = new App();\n';
const cdk8sHead = 'import { ApiObject, App, Chart } from "cdk8s";\nconst app = new App();\n';
const requireHead = 'const { ApiObject, App, Chart } = require("cdk8s");\nconst app = new App();\n';
const module = { "package.json": '{"type":"module"}' };

interface Row {
  readonly what: string;
  readonly files: Files;
  readonly program?: string;
  readonly value: string;
}

const rows: readonly Row[] = [
  {
    what: "TypeScript in an ES module package",
    files: { ...module, "main.ts": `${head}const value: string = "a";\n${made("value")}\napp.synth();` },
    value: "a",
  },
  {
    what: "TypeScript that compiles to CommonJS, as cdk8s init makes it",
    files: { "main.ts": `${cdk8sHead}${made("__dirname === process.cwd() ? 'here' : __dirname")}\napp.synth();` },
    value: "here",
  },
  {
    what: ".mts",
    files: { "main.mts": `${head}${made("typeof require")}\napp.synth();` },
    program: "main.mts",
    value: "undefined",
  },
  {
    what: ".cts with require and export =",
    files: {
      "lib.cts": "const value: string = 'from cts';\nexport = { value };",
      "main.cts": `import core = require("cdk8s");\nimport lib = require("./lib.cjs");\nconst { ApiObject, App, Chart } = core;\nconst app = new App();\n${made("lib.value")}\napp.synth();`,
    },
    program: "main.cts",
    value: "from cts",
  },
  {
    what: ".ts with require and module.exports",
    files: {
      "lib.ts": "exports.value = 'from ts' as string;",
      "main.ts": `${requireHead}const { value } = require("./lib");\n${made("value")}\nmodule.exports = app;`,
    },
    value: "from ts",
  },
  {
    what: "a .js ES module",
    files: { ...module, "main.js": `${head}${made("'js'")}\napp.synth();` },
    program: "main.js",
    value: "js",
  },
  {
    what: "a .js ES module that no package.json declares",
    files: { "main.js": `${head}${made("'detected'")}\napp.synth();` },
    program: "main.js",
    value: "detected",
  },
  {
    what: "a .js ES module that imports TypeScript",
    files: {
      ...module,
      "lib.ts": "export enum Value { A = 'from ts' }",
      "main.js": `${head}import { Value } from "./lib.ts";\n${made("Value.A")}\napp.synth();`,
    },
    program: "main.js",
    value: "from ts",
  },
  {
    what: "a .js ES module that imports ./lib.js, which is ./lib.ts",
    files: {
      ...module,
      "lib.ts": "export const value: string = 'from ts';",
      "main.mjs": `${head}import { value } from "./lib.js";\n${made("value")}\napp.synth();`,
    },
    program: "main.mjs",
    value: "from ts",
  },
  {
    what: ".js in CommonJS, as the main module",
    files: { "main.js": `${requireHead}if (require.main === module) {\n${made("'main'")}\napp.synth();\n}` },
    program: "main.js",
    value: "main",
  },
  {
    what: "TypeScript in CommonJS, as the main module",
    files: { "main.ts": `${cdk8sHead}if (require.main === module) {\n${made("'main'")}\napp.synth();\n}` },
    value: "main",
  },
  {
    what: ".cjs",
    files: { ...module, "main.cjs": `${requireHead}${made("'cjs'")}\napp.synth();` },
    program: "main.cjs",
    value: "cjs",
  },
  {
    what: "an extension that is left out",
    files: { ...module, "main.ts": `${head}${made("'no extension'")}\napp.synth();` },
    program: "main",
    value: "no extension",
  },
  {
    what: "an App that is the default export",
    files: { ...module, "main.ts": `${head}${made("'default'")}\nexport default app;` },
    value: "default",
  },
  {
    what: "an App that is exported by name",
    files: { ...module, "main.ts": `${head}${made("'named'")}\nexport { app };` },
    value: "named",
  },
  {
    what: "an App of cdk8s that is exported",
    files: { "main.ts": `${cdk8sHead}${made("'cdk8s'")}\nexport = app;` },
    value: "cdk8s",
  },
  {
    what: "an exported App that is filled later",
    files: { ...module, "main.ts": `${head}setTimeout(() => {\n${made("'later'")}\n}, 5);\nexport default app;` },
    value: "later",
  },
  {
    what: "top-level await",
    files: {
      ...module,
      "main.ts": `${head}const value = await new Promise<string>((done) => setTimeout(done, 5, "awaited"));\n${made("value")}\napp.synth();`,
    },
    value: "awaited",
  },
  {
    what: "an async function that nobody waits for",
    files: {
      "main.ts": `${cdk8sHead}async function main(): Promise<void> {\n  await new Promise((done) => setTimeout(done, 5));\n  ${made("'async'")}\n  app.synth();\n}\nmain();`,
    },
    value: "async",
  },
  {
    what: "process.exit(0) at the end",
    files: { "main.ts": `${cdk8sHead}${made("'exited'")}\napp.synth();\nprocess.exit(0);` },
    value: "exited",
  },
  {
    what: "process.exit(0) at the end, on core",
    files: { ...module, "main.ts": `${head}${made("'exited'")}\napp.synth();\nprocess.exit();` },
    value: "exited",
  },
  {
    what: "enums, namespaces, parameter properties, abstract classes, satisfies",
    files: {
      ...module,
      "main.ts": `${head}
enum Number { One = 1, Two }
const enum Letter { A = "a" }
namespace Names { export const all = [Number[2], Letter.A]; export namespace Inner { export const x = "x" } }
abstract class Base { constructor(protected readonly parts: string[]) {} abstract text(): string }
class Joined extends Base { override text() { return [...this.parts, Names.Inner.x].join(" ") satisfies string } }
${made("new Joined(Names.all as string[]).text()")}
app.synth();`,
    },
    value: "Two a x",
  },
  {
    what: "fields as an old target has them: assigned after parameter properties, and none without a value",
    files: {
      "tsconfig.json": '{ // as cdk8s init has it\n "extends": "./base", "compilerOptions": { "strict": true, } }',
      "base.json": '{ "compilerOptions": { "target": "ES2020" } }',
      "main.ts": `${cdk8sHead}
class Base { value: string = "base"; }
class Derived extends Base {
  declare other: string;
  value!: string;
  #secret = "private";
  joined = this.value + " " + this.suffix + " " + this.#secret;
  constructor(private readonly suffix: string) { super(); }
}
${made('new Derived("suffix").joined')}
app.synth();`,
    },
    value: "base suffix private",
  },
  {
    what: "fields as JavaScript has them, with a new target",
    files: {
      "tsconfig.json": '{ "compilerOptions": { "target": "ES2022" } }',
      "main.ts": `${cdk8sHead}
class Base { value?: string = "base"; }
class Derived extends Base { value?: string; }
${made("String(new Derived().value)")}
app.synth();`,
    },
    value: "undefined",
  },
  {
    what: "decorators of before the standard",
    files: {
      "tsconfig.json": '{ "compilerOptions": { "experimentalDecorators": true } }',
      "main.ts": `${cdk8sHead}
function named(name: string) { return (target: any) => { target.label = name; }; }
@named("decorated") class A { static label: string; }
${made("A.label")}
app.synth();`,
    },
    value: "decorated",
  },
  {
    what: "types imported and passed on without a word that they are types",
    files: {
      "types.d.ts": "export interface Declared { a: string }",
      "props.ts": "export interface Props { value: string }\nexport type Other = Props;\nexport class Real {}",
      "barrel.ts": 'export { Props, Real } from "./props";\nexport * from "./props";',
      "main.ts": `import { ApiObject, App, Chart, ChartProps } from "cdk8s";
import { Declared } from "./types";
import { Other, Props, Real } from "./barrel";
const app = new App();
const props: Props & ChartProps & Partial<Declared> = { value: "typed" } satisfies Other;
${made("props.value + Real.name")}
app.synth();`,
    },
    value: "typedReal",
  },
  {
    what: "imports of files by every name they have",
    files: {
      ...module,
      "a.ts": "export const a = 'a';",
      "b.ts": "export const b = 'b';",
      "c.ts": "export const c = 'c';",
      "d/index.ts": "export const d = 'd';",
      "e.mts": "export const e = 'e';",
      "f.js": "export const f = 'f';",
      "g.cjs": "exports.g = 'g';",
      "h.json": '{ "h": "h" }',
      "i/i.ts": 'export { a as i } from "..//a";',
      "main.ts": `${head}import { a } from "./a"; import { b } from "./b.js"; import { c } from "./c.ts"; import { d } from "./d";
import { e } from "./e.mjs"; import { f } from "./f.js"; import { g } from "./g.cjs"; import h from "./h.json" with { type: "json" }; import { i } from "./i/i";
${made("[a, b, c, d, e, f, g, h.h, i].join('')")}
app.synth();`,
    },
    value: "abcdefgha",
  },
  {
    what: "the TypeScript, and not what was compiled from it once",
    files: {
      "lib.ts": "export const value: string = 'new';",
      "lib.js": "exports.value = 'old';",
      "main.ts": `${cdk8sHead}import { value } from "./lib";\n${made("value")}\napp.synth();`,
      "main.js": "throw new Error('old');",
    },
    value: "new",
  },
  {
    what: "CommonJS packages by name, by default and as a namespace that can be called",
    files: {
      "node_modules/callable/package.json": '{ "name": "callable", "main": "index.js" }',
      // As lodash does it: names that no one sees without running it.
      "node_modules/callable/index.js":
        ";(function () { var f = () => 'called'; f.merge = () => 'merged'; module.exports = f; }).call(this);",
      "node_modules/compiled/package.json": '{ "name": "compiled" }',
      "node_modules/compiled/index.js":
        'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = "default"; exports.named = "named";',
      "config.json": '{ "key": "json" }',
      "main.ts": `${cdk8sHead}import call, { merge } from "callable"; import * as callable from "callable";
import fallback, { named } from "compiled"; import * as fs from "fs"; import path from "path"; import config from "./config.json"; import * as all from "./config.json";
const values = [call(), merge(), callable(), callable.merge(), fallback, named, typeof fs.readFileSync, path.basename(__filename), config.key, all.key];
${made("values.join(' ')")}
app.synth();`,
    },
    value: "called merged called merged default named function main.ts json json",
  },
  {
    what: "packages that are ES modules only, from CommonJS",
    files: {
      "node_modules/esm/package.json": '{ "name": "esm", "type": "module", "exports": { "import": "./index.js" } }',
      "node_modules/esm/index.js": "export const value = await 'esm'; export default class {}",
      "main.ts": `${cdk8sHead}import { value } from "esm";\n${made("value")}\napp.synth();`,
    },
    value: "esm",
  },
  {
    what: "one copy of a package, whoever asks for it",
    files: {
      "lib.js": 'exports.same = require("cdk8s").App;',
      "main.ts": `${cdk8sHead}import { same } from "./lib";\n${made("String(same === App && require('cdk8s').App === App)")}\napp.synth();`,
    },
    value: '"true"',
  },
  {
    what: "one module for a file and a link to it",
    files: {
      "real/lib.ts": "export class Lib {}",
      "link.cjs": 'require("fs").symlinkSync("real", __dirname + "/linked");',
      "main.ts": `${cdk8sHead}import "./link.cjs";\nimport { Lib } from "./real/lib";\nconst { Lib: Other } = require("./linked/lib");\n${made("String(Lib === Other)")}\napp.synth();`,
    },
    value: '"true"',
  },
  {
    what: "circles of imports, and exports that change",
    files: {
      "a.ts":
        'import { b } from "./b";\nexport let count = 0;\nexport function add(): void { count += 1; }\nexport const name = () => "a" + b();',
      "b.ts":
        'import { name, add } from "./a";\nexport const b = () => "b";\nexport const both = () => { add(); return name(); };',
      "main.ts": `${cdk8sHead}import { count } from "./a"; import { both } from "./b";\nconst text = both();\n${made("text + count")}\napp.synth();`,
    },
    value: "ab1",
  },
  {
    what: "import() of a file, and import.meta",
    files: {
      ...module,
      "lib.ts": "export default import.meta.filename.slice(-6);",
      "main.ts": `${head}const name: string = "./lib";\nconst [{ default: file }, { default: other }] = await Promise.all([import(name), import("./lib.ts")]);\n${made("file + (file === other) + import.meta.url.endsWith('main.ts')")}\napp.synth();`,
    },
    value: "lib.tstruetrue",
  },
  {
    what: "modules that wait and import one another at the same time",
    files: {
      ...module,
      "a.ts":
        'import { b } from "./b";\nawait new Promise((done) => setTimeout(done, 5));\nexport const a = () => "a" + typeof b;',
      "b.ts":
        'import { a } from "./a";\nawait new Promise((done) => setTimeout(done, 5));\nexport const b = () => "b" + typeof a;',
      "main.ts": `${head}const [{ a }, { b }] = await Promise.all([import("./a"), import("./b")]);\n${made("a() + b()")}\napp.synth();`,
    },
    value: "afunctionbfunction",
  },
  {
    what: "names of its own that a CommonJS file has already",
    files: {
      "main.ts": `${head}import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);\nconst __dirname = "own";\n${made("__dirname + typeof require")}\napp.synth();`,
    },
    value: "ownfunction",
  },
  {
    what: "a byte order mark and a shebang",
    files: { ...module, "main.ts": `\ufeff#!/usr/bin/env node\n${head}${made("'marked'")}\napp.synth();` },
    value: "marked",
  },
  {
    what: "the arguments after --",
    files: {
      ...module,
      "main.ts": `${head}${made("process.argv.slice(2).join(' ') + process.argv[1].slice(-8)")}\napp.synth();`,
    },
    value: "a --b c/main.ts",
  },
];

describe("a program is run:", () => {
  test.concurrent.for(rows)("$what", async ({ files, program = "main.ts", value }, { expect }) => {
    const project = await folder.project(files);
    const { code, stdout, stderr } = await project.synth([program, "--stdout", "--", "a", "--b", "c"]);
    expect(stderr).toBe("");
    expect(stdout).toBe(configMap(value));
    expect(code).toBe(0);
  });
});
