import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";

const load = createRequire(import.meta.url);
const cdk8s = dirname(load.resolve("cdk8s"));
const sources = resolve(import.meta.dirname, "../../packages/cdk8s/src");

const areasOf = (folder: string, extension: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(extension))
    .map((file) => file.slice(0, -extension.length));

test("there is a file for each file of cdk8s", () => {
  expect(new Set(areasOf(sources, ".mts"))).toEqual(new Set(areasOf(cdk8s, ".js")));
});

test.for(areasOf(sources, ".mts"))("%s passes on the names of cdk8s's file", async (area) => {
  const ours = (await import(join(sources, `${area}.mts`))) as object;
  const theirs = load(join(cdk8s, `${area}.js`)) as object;
  expect(new Set(Object.keys(ours))).toEqual(new Set(Object.keys(theirs)));
});
