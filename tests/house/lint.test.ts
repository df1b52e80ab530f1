import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PlantedFiles, type PlantedFolder, plant, repository, runTool } from "./planted.ts";

const violations = [
  {
    what: "an import of a package that is not declared",
    path: "packages/planted/src/undeclared.ts",
    text: 'import { request } from "undici";\n\nexport const send = request;\n',
    rule: "correctness/noUndeclaredDependencies",
  },
  {
    what: "an import of a package of the workspace that is not declared",
    path: "packages/planted/src/undeclared-of-ours.ts",
    text: 'import type { KubeClient } from "@slipway/deploy/client";\n\nexport type Client = KubeClient;\n',
    rule: "correctness/noUndeclaredDependencies",
  },
  {
    what: "a built-in module outside of node/",
    path: "packages/planted/src/built-in.ts",
    text: 'import { sep } from "node:path";\n\nexport const separator = sep;\n',
    rule: "correctness/noNodejsModules",
  },
  {
    what: "a built-in module without its prefix",
    path: "packages/planted/src/node/no-prefix.ts",
    text: 'import { sep } from "path";\n\nexport const separator = sep;\n',
    rule: "style/useNodejsImportProtocol",
  },
  {
    what: "process outside of node/",
    path: "packages/planted/src/global.ts",
    text: "export const home = process.env.HOME;\n",
    rule: "correctness/noProcessGlobal",
  },
  {
    what: "console",
    path: "packages/planted/src/printed.ts",
    text: 'export function greet(): void {\n  console.log("hello");\n}\n',
    rule: "suspicious/noConsole",
  },
  {
    what: "console in node/",
    path: "packages/planted/src/node/printed.ts",
    text: 'export function greet(): void {\n  console.log("hello");\n}\n',
    rule: "suspicious/noConsole",
  },
  {
    what: "an import cycle inside a package",
    path: "packages/planted/src/hen.ts",
    text: 'import { egg } from "./egg.ts";\n\nexport const hen = (): unknown => egg;\n',
    rule: "suspicious/noImportCycles",
  },
  {
    what: "a promise of the same package that nobody waits for",
    path: "packages/planted/src/floating.ts",
    text: 'import { save } from "./save.ts";\n\nexport function run(): void {\n  save("a");\n}\n',
    rule: "nursery/noFloatingPromises",
  },
] as const;

const sound: PlantedFiles = {
  "packages/planted/src/egg.ts": 'import { hen } from "./hen.ts";\n\nexport const egg = (): unknown => hen;\n',
  "packages/planted/src/save.ts":
    "export async function save(text: string): Promise<number> {\n  return text.length;\n}\n",
  "packages/planted/src/declared.ts": 'import { parse } from "yaml";\n\nexport const read = parse;\n',
  "packages/planted/src/node/built-in.ts": 'import { sep } from "node:path";\n\nexport const separator = sep;\n',
  "packages/planted/src/node/global.ts": "export const home = process.env.HOME;\n",
  "packages/planted/src/built-in.test.ts":
    'import { sep } from "node:path";\nimport { expect, test } from "vitest";\n\ntest("a", () => expect(sep).toBe("/"));\n',
  "packages/cli/package.json": { name: "@slipway/cli", type: "module" },
  "packages/cli/src/home.ts":
    'import { join } from "node:path";\n\nexport const home = join(process.env.HOME ?? "", "a");\n',
};

interface Diagnostic {
  readonly category: string;
  readonly location: { readonly path: string };
}

let folder: PlantedFolder;
let found: readonly string[];

beforeAll(async () => {
  folder = await plant({
    // The settings of this repository as they stand; they want a file that tells git what to ignore.
    "biome.json": await readFile(join(repository, "biome.json"), "utf8"),
    ".gitignore": await readFile(join(repository, ".gitignore"), "utf8"),
    "packages/planted/package.json": { name: "@slipway/planted", type: "module", dependencies: { yaml: "2.9.1" } },
    ...sound,
    ...Object.fromEntries(violations.map(({ path, text }) => [path, text])),
  });
  const args = ["lint", "--reporter=json", "--max-diagnostics=none", "."];
  const { output } = await runTool("node_modules/@biomejs/biome/bin/biome", args, { cwd: folder.path });
  const { diagnostics } = JSON.parse(output) as { diagnostics: readonly Diagnostic[] };
  found = diagnostics.map(({ category, location }) => `${location.path} ${category.replace(/^lint\//, "")}`);
});
afterAll(() => folder[Symbol.asyncDispose]());

test.for(violations)("the linter finds $what", ({ path, rule }) => {
  expect(found.filter((one) => one.startsWith(`${path} `))).toEqual([`${path} ${rule}`]);
});

describe("the linter finds nothing in", () => {
  // A cycle is found in both of its files.
  const names = Object.keys(sound).filter((path) => path.endsWith(".ts") && !path.endsWith("/egg.ts"));
  test.for(names)("%s", (path) => {
    expect(found.filter((one) => one.startsWith(`${path} `))).toEqual([]);
  });
});
