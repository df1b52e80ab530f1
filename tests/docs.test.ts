import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "..");

function documents(): string[] {
  const inDocs = readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name));
  return ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...inDocs];
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

let folder: string;
beforeAll(() => {
  // Below the repository, so that packages and compiler settings are found as from any of its files.
  mkdirSync(join(repository, "node_modules/.cache"), { recursive: true });
  folder = mkdtempSync(join(repository, "node_modules/.cache/docs-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function compile(block: Block): string {
  const file = join(folder, "block.ts");
  writeFileSync(file, block.text);
  const settings = {
    extends: join(repository, "tsconfig.test.json"),
    compilerOptions: { incremental: false, rootDir: repository, noUnusedLocals: false },
    include: [file],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  try {
    execFileSync(process.execPath, [join(repository, "node_modules/typescript/bin/tsc"), "-p", folder], {
      encoding: "utf8",
    });
    return "";
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  }
}

const all = documents().flatMap(blocks);

test.for(all)("the TypeScript at $source compiles", (block) => {
  expect(compile(block)).toBe("");
});

test("a block that does not compile is noticed, and there are blocks", () => {
  expect(compile({ source: "here", text: 'export const size: number = "big";\n' })).toContain("TS2322");
  expect(all.length).toBeGreaterThan(0);
});

test("every relative link in a document leads somewhere", () => {
  const broken: string[] = [];
  for (const document of documents()) {
    const text = readFileSync(join(repository, document), "utf8");
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
