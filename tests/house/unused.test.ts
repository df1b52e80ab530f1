import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PlantedFolder, plant, repository, runTool } from "./planted.ts";

type Kind = "dependencies" | "exports" | "files" | "types" | "unlisted";

const violations: readonly {
  readonly what: string;
  readonly kind: Kind;
  readonly file: string;
  readonly name: string;
}[] = [
  { what: "an export that nobody imports", kind: "exports", file: "packages/planted/src/used.ts", name: "unused" },
  { what: "a type that nobody imports", kind: "types", file: "packages/planted/src/used.ts", name: "Unused" },
  {
    what: "a file that nobody imports",
    kind: "files",
    file: "packages/planted/src/left-over.ts",
    name: "packages/planted/src/left-over.ts",
  },
  {
    what: "a dependency that nobody imports",
    kind: "dependencies",
    file: "packages/planted/package.json",
    name: "left-pad",
  },
  { what: "an import that is not declared", kind: "unlisted", file: "packages/planted/src/used.ts", name: "undici" },
  { what: "a helper of tests that no test uses", kind: "files", file: "tests/helper.ts", name: "tests/helper.ts" },
  { what: "a script that nobody runs", kind: "files", file: "scripts/old.mjs", name: "scripts/old.mjs" },
];

type Issue = { readonly file: string } & Readonly<Record<Kind, readonly { readonly name: string }[]>>;

let folder: PlantedFolder;
let found: readonly string[];

beforeAll(async () => {
  folder = await plant({
    "knip.json": await readFile(join(repository, "knip.json"), "utf8"),
    "package.json": {
      name: "planted-workspace",
      type: "module",
      workspaces: ["packages/*", "tests"],
      scripts: { current: "node scripts/current.mjs" },
    },
    "scripts/current.mjs": 'process.stdout.write("a");\n',
    "scripts/old.mjs": 'process.stdout.write("a");\n',
    "packages/planted/package.json": {
      name: "@slipway/planted",
      type: "module",
      exports: { ".": { "slipway-source": "./src/index.ts", default: "./dist/index.js" } },
      dependencies: { "left-pad": "1.3.0", yaml: "2.9.1" },
    },
    "packages/planted/src/index.ts": 'export { used } from "./used.ts";\n',
    "packages/planted/src/used.ts": `import { request } from "undici";
import { parse } from "yaml";

export type Unused = string;
export const used = (): unknown => [request, parse];
export const unused = 1;
`,
    "packages/planted/src/left-over.ts": "export const leftOver = 1;\n",
    "tests/package.json": { name: "@slipway/tests", type: "module", dependencies: { "@slipway/planted": "0.1.0" } },
    "tests/helper.ts": "export const help = 1;\n",
    "tests/a.test.ts": 'import { used } from "@slipway/planted";\n\nused();\n',
  });
  const args = ["--reporter", "json", "--directory", folder.path, "--no-config-hints"];
  const { output } = await runTool("node_modules/knip/bin/knip.js", args, { cwd: folder.path });
  const { issues } = JSON.parse(output) as { issues: readonly Issue[] };
  const kinds: readonly Kind[] = ["dependencies", "exports", "files", "types", "unlisted"];
  found = issues.flatMap((issue) =>
    kinds.flatMap((kind) => issue[kind].map(({ name }) => `${kind} ${issue.file} ${name}`)),
  );
}, 60_000);
afterAll(() => folder[Symbol.asyncDispose]());

test.for(violations)("knip finds $what", ({ kind, file, name }) => {
  expect(found).toContain(`${kind} ${file} ${name}`);
});

test("knip finds nothing else", () => {
  expect(found).toHaveLength(violations.length);
});
