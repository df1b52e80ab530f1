import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "..");

function documents(): string[] {
  const inDocs = readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name));
  const ofPackages = readdirSync(join(repository, "packages")).map((name) => join("packages", name, "README.md"));
  return ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...inDocs, ...ofPackages];
}

interface Block {
  readonly source: string;
  readonly text: string;
}

function blocks(document: string): Block[] {
  const text = readFileSync(join(repository, document), "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => ({
    source: `${document}:${text.slice(0, match.index).split("\n").length}`,
    text: match[1] ?? "",
  }));
}

const planted: Block = { source: "here", text: 'export const size: number = "big";\n' };
const all = documents().flatMap(blocks);

let folder: string;
let errors: readonly string[];
beforeAll(() => {
  // Below the repository, so that packages and compiler settings are found as from any of its files.
  mkdirSync(join(repository, "node_modules/.cache"), { recursive: true });
  folder = mkdtempSync(join(repository, "node_modules/.cache/docs-"));
  errors = compile([...all, planted]);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the compiler says about each block. They are compiled together, each a module of its own. */
function compile(together: readonly Block[]): string[] {
  const names = together.map((_, index) => `block-${index}.ts`);
  for (const [index, { text }] of together.entries()) writeFileSync(join(folder, `block-${index}.ts`), text);
  const settings = {
    extends: join(repository, "tsconfig.test.json"),
    compilerOptions: { incremental: false, rootDir: repository, noUnusedLocals: false, moduleDetection: "force" },
    include: names,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const compiler = join(repository, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder, "--pretty", "false"], { encoding: "utf8" });
  return names.map((name) => {
    const lines = stdout.split(/\n(?=\S)/).filter((line) => line.includes(`${name}(`));
    return lines.join("\n");
  });
}

test.for([...all.entries()].map(([index, { source }]) => ({ index, source })))(
  "the TypeScript at $source compiles",
  ({ index }) => {
    expect(errors[index]).toBe("");
  },
);

test("a block that does not compile is noticed, and there are blocks", () => {
  expect(errors[all.length]).toContain("TS2322");
  expect(all.length).toBeGreaterThan(0);
});

test("every relative link in a document leads somewhere", () => {
  const broken: string[] = [];
  for (const document of documents()) {
    const text = readFileSync(join(repository, document), "utf8").replaceAll(/^```.*?^```$/gms, "");
    for (const [, target = ""] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const path = join(repository, document, "..", target);
      try {
        readdirSync(path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") broken.push(`${document}: ${target}`);
      }
    }
  }
  expect(broken).toEqual([]);
});
