import { mkdir, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PlantedFolder, plant, repository, runTool } from "./planted.ts";

const violations = [
  {
    what: "a relative path into a package that is compiled before it",
    path: "path-below.ts",
    text: 'import { hidden } from "../../below/src/hidden.ts";\n\nexport const a: string = hidden;\n',
    error: "TS2878",
  },
  {
    what: "a relative path into any other package",
    path: "path-beside.ts",
    text: 'import { beside } from "../../beside/src/index.ts";\n\nexport const a: string = beside;\n',
    error: "TS6059",
  },
  {
    what: "a file of another package that its exports do not name",
    path: "deep.ts",
    text: 'import { hidden } from "@slipway/below/hidden";\n\nexport const a: string = hidden;\n',
    error: "TS2307",
  },
  {
    what: "a source file of another package by its path in it",
    path: "deep-source.ts",
    text: 'import { hidden } from "@slipway/below/src/hidden.ts";\n\nexport const a: string = hidden;\n',
    error: "TS2307",
  },
] as const;

const exports = { ".": { "slipway-source": "./src/index.ts", types: "./dist/index.d.ts", default: "./dist/index.js" } };
const settings = { extends: join(repository, "tsconfig.base.json"), include: ["src"] };

let folder: PlantedFolder;
let output: string;

beforeAll(async () => {
  // Not below a folder called node_modules: files there count as somebody else's, and none of this is refused.
  folder = await plant({
    "packages/below/package.json": { name: "@slipway/below", type: "module", exports },
    "packages/below/tsconfig.json": settings,
    "packages/below/src/index.ts": 'export { hidden as shown } from "./hidden.ts";\n',
    "packages/below/src/hidden.ts": 'export const hidden: string = "";\n',
    "packages/beside/src/index.ts": 'export const beside: string = "";\n',
    "packages/planted/package.json": { name: "@slipway/planted", type: "module" },
    "packages/planted/tsconfig.json": { ...settings, references: [{ path: "../below" }] },
    "packages/planted/src/sound.ts": 'import { shown } from "@slipway/below";\n\nexport const a: string = shown;\n',
    ...Object.fromEntries(violations.map(({ path, text }) => [`packages/planted/src/${path}`, text])),
  });
  await link("packages/below", "@slipway/below");
  await link(join(repository, "node_modules/@types/node"), "@types/node");
  ({ output } = await runTool("node_modules/typescript/bin/tsc", ["-b", "packages/planted"], { cwd: folder.path }));
}, 60_000);
afterAll(() => folder[Symbol.asyncDispose]());

async function link(target: string, name: string): Promise<void> {
  const place = join(folder.path, "node_modules", name);
  await mkdir(dirname(place), { recursive: true });
  await symlink(resolve(folder.path, target), place);
}

test.for(violations)("the compiler refuses $what", ({ path, error }) => {
  const lines = output.split("\n").filter((line) => line.includes(`src/${path}(`));
  expect(lines.join("\n"), output).toContain(error);
});

test("the compiler refuses nothing in what goes through the exports", () => {
  expect(output).not.toContain("sound.ts");
  expect(output).not.toContain("packages/below/src/index.ts");
});
