import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PlantedFolder, plant, repository, runTool } from "./planted.ts";

const manifest = {
  version: "0.1.0",
  license: "Apache-2.0",
  type: "module",
  sideEffects: false,
  engines: { node: ">=20.19" },
  files: ["dist"],
};
const code = "export const size = 1;\n";
const types = "export declare const size: number;\n";
const papers = { LICENSE: "Apache License\n", "README.md": "# planted\n" };

const packages: Readonly<Record<string, Readonly<Record<string, string | object>>>> = {
  sound: {
    ...papers,
    "package.json": {
      ...manifest,
      name: "@slipway/sound",
      exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
    },
    "dist/index.js": code,
    "dist/index.d.ts": types,
  },
  "no-papers": {
    "package.json": {
      ...manifest,
      name: "@slipway/no-papers",
      // The order of conditions counts: compilers never come to `types`. And a file that is not there.
      exports: {
        ".": { default: "./dist/index.js", types: "./dist/index.d.ts" },
        "./missing": "./dist/missing.js",
      },
    },
    "dist/index.js": code,
    "dist/index.d.ts": types,
  },
  "lost-types": {
    ...papers,
    "package.json": {
      ...manifest,
      name: "@slipway/lost-types",
      exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
    },
    "dist/index.js": code,
    // Without its extension, a compiler finds this file in this repository at most.
    "dist/index.d.ts": 'export { size } from "./size";\n',
    "dist/size.d.ts": types,
  },
  "required-only": {
    ...papers,
    "package.json": {
      ...manifest,
      name: "@slipway/required-only",
      type: "commonjs",
      // Compilers that read `main` and `types` find nothing, and those are who CommonJS is for.
      exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
    },
    "dist/index.js": "exports.size = 1;\n",
    "dist/index.d.ts": types,
  },
};

describe("the check of packages as they are published", () => {
  let folder: PlantedFolder;
  let exitCode: number;
  let sections: ReadonlyMap<string, string>;

  beforeAll(async () => {
    const files = Object.entries(packages).flatMap(([name, content]) =>
      Object.entries(content).map(([path, text]): [string, string | object] => [`${name}/${path}`, text]),
    );
    folder = await plant(Object.fromEntries(files));
    const names = Object.keys(packages);
    const result = await runTool("scripts/check-packages.mjs", names, { cwd: folder.path });
    exitCode = result.code;
    // One section a package, headed by its name.
    sections = new Map(
      result.output.split(/^(?=@slipway\/[a-z-]+$)/m).map((section) => [section.split("\n")[0] ?? "", section]),
    );
  }, 60_000);
  afterAll(() => folder[Symbol.asyncDispose]());

  const verdicts = (name: string): string[] =>
    (sections.get(`@slipway/${name}`) ?? "").split("\n").filter((line) => /: (no problems|failed)$/.test(line));

  test("passes a sound package", () => {
    expect(verdicts("sound")).toEqual(["licence and README: no problems", "publint: no problems", "attw: no problems"]);
  });

  test("finds a package without licence and README", () => {
    expect(verdicts("no-papers")).toContain("licence and README: failed");
    expect(sections.get("@slipway/no-papers")).toContain("  LICENSE is not in the package\n");
  });

  test("finds conditions in the wrong order and a file that is not there, with publint", () => {
    expect(verdicts("no-papers")).toContain("publint: failed");
    const messages = sections.get("@slipway/no-papers");
    expect(messages).toMatch(/types should be the first/);
    expect(messages).toMatch(/missing\.js but the file does not exist/);
  });

  test("finds types that a compiler loses, with attw", () => {
    expect(verdicts("lost-types")).toEqual(["licence and README: no problems", "publint: no problems", "attw: failed"]);
    expect(sections.get("@slipway/lost-types")).toMatch(/Internal resolution error/i);
  });

  test("finds a CommonJS package that older compilers do not see, with attw", () => {
    const name = "@slipway/required-only";
    expect(verdicts("required-only")).toEqual([
      "licence and README: no problems",
      "publint: no problems",
      "attw: failed",
    ]);
    expect(sections.get(name)).toMatch(/Resolution failed/i);
  });

  test("fails as a whole", () => {
    expect(exitCode).toBe(1);
  });
});

const published = readdirSync(join(repository, "packages"));
const read = (...path: string[]): string => readFileSync(join(repository, ...path), "utf8");

describe.for(published)("the package %s", (name) => {
  test("carries the licence of the project", () => {
    expect(read("packages", name, "LICENSE")).toBe(read("LICENSE"));
  });

  test("has a short README that names each runtime dependency", () => {
    const readme = read("packages", name, "README.md");
    const { dependencies = {} } = JSON.parse(read("packages", name, "package.json")) as { dependencies?: object };
    const reasons = readme.slice(readme.indexOf("Runtime dependencies:"));
    expect(readme.trim().split("\n").length).toBeLessThanOrEqual(20);
    expect(Object.keys(dependencies).filter((one) => !reasons.includes(`\`${one}\``))).toEqual([]);
    expect([...reasons.matchAll(/`(@slipway\/[a-z]+)`/g)].map(([, one]) => one)).toEqual(
      Object.keys(dependencies).filter((one) => one.startsWith("@slipway/")),
    );
  });
});

test.for(["package-lock.json", "tools/package-lock.json", "tests/drop-in/peers/package-lock.json"])(
  "%s names no host that packages come from",
  (lock) => {
    expect(read(lock)).not.toMatch(/"resolved": "https?:/);
  },
);
