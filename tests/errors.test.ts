import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

const definition = "packages/objects/src/errors.ts";
const union = /export type SlipwayErrorCode =([^;]*);/;

const codes = [...(union.exec(read(definition))?.[1] ?? "").matchAll(/"([A-Z_]+)"/g)].map(([, code]) => code);
const rows = read("docs/errors.md")
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split("|").map((cell) => cell.trim()));

test("the codes are found", () => {
  expect(codes.length).toBeGreaterThan(10);
});

test("docs/errors.md has a line for each code and for nothing else, in the same order", () => {
  expect(rows.map((cells) => cells[1])).toEqual(codes.map((code) => `\`${code}\``));
});

test("each line says the meaning, the cause and the remedy", () => {
  for (const [, code, ...cells] of rows) {
    expect(cells, code).toEqual([
      expect.stringMatching(/\.$/),
      expect.stringMatching(/\.$/),
      expect.stringMatching(/\.$/),
      "",
    ]);
  }
});

const sources = readdirSync(join(root, "packages"), { recursive: true, encoding: "utf8" })
  .filter((path) => /^[^/]+\/src\/.*(?<!\.test)\.ts$/.test(path))
  .map((path) => read(join("packages", path)).replace(union, ""));

test.for(codes)("%s is thrown somewhere", (code) => {
  expect(sources.some((source) => source.includes(`"${code}"`))).toBe(true);
});
