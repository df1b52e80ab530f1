import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CompilerSettingsReader } from "./compiler-settings.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "slipway-tsconfig-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const target = (version: string): string => JSON.stringify({ compilerOptions: { target: version } });

test.for([
  { rule: "no file: as JavaScript does it", files: {}, definesFields: true },
  { rule: "a target before ES2022: assigned", files: { "tsconfig.json": target("es2021") }, definesFields: false },
  { rule: "ES2022: defined", files: { "tsconfig.json": target("ES2022") }, definesFields: true },
  { rule: "ESNext: defined", files: { "tsconfig.json": target("ESNext") }, definesFields: true },
  { rule: "ES6: assigned", files: { "tsconfig.json": target("ES6") }, definesFields: false },
  {
    rule: "the setting wins over the target",
    files: { "tsconfig.json": '{"compilerOptions":{"target":"es2020","useDefineForClassFields":true}}' },
    definesFields: true,
  },
  {
    rule: "comments, commas and strings that look like them",
    files: {
      "tsconfig.json":
        '\ufeff{ // "target": "ES2022"\n/* "x" */ "compilerOptions": { "outDir": "a//b,]/*", "target": "ES2020", }, "files": [1,], }',
    },
    definesFields: false,
  },
  {
    rule: "what a file extends, the last one first",
    files: {
      "tsconfig.json": '{"extends":["./a","./b.json"],"compilerOptions":{"strict":true}}',
      "a.json": target("ES2022"),
      "b.json": target("ES2019"),
    },
    definesFields: false,
  },
  {
    rule: "what a file of a package extends",
    files: {
      "tsconfig.json": '{"extends":"@tsconfig/old"}',
      "node_modules/@tsconfig/old/tsconfig.json": target("ES2015"),
    },
    definesFields: false,
  },
  {
    rule: "files that extend one another",
    files: { "tsconfig.json": '{"extends":"./a.json"}', "a.json": '{"extends":"./tsconfig.json"}' },
    definesFields: true,
  },
  { rule: "a file that is no JSON says nothing", files: { "tsconfig.json": "{" }, definesFields: true },
])("$rule", ({ files, definesFields }) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text as string);
  }
  expect(new CompilerSettingsReader().settingsFor(join(folder, "src/deep")).definesFields).toBe(definesFields);
});
