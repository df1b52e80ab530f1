import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PlantedFolder, plant, repository, runTool } from "./planted.ts";

interface Manifest {
  dependencies: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

interface Settings {
  references: readonly { readonly path: string }[];
}

const declares = "declares exactly the packages of its row, in exact versions";
const compiled = "is compiled after the packages below it";

/** One change in each of some packages, and the check that has to see it. */
const violations = [
  {
    what: "a package that is declared and not in the row",
    tier: "objects",
    check: declares,
    change: (manifest: Manifest) => {
      manifest.dependencies["left-pad"] = "1.3.0";
    },
  },
  {
    what: "a package of the row that is not declared",
    tier: "apiserver",
    check: declares,
    change: (manifest: Manifest) => {
      delete manifest.dependencies.re2js;
    },
  },
  {
    what: "a package of ours that is above",
    tier: "applications",
    check: declares,
    change: (manifest: Manifest) => {
      manifest.dependencies["@slipway/cli"] = "0.1.0";
    },
  },
  {
    what: "a version that is a range",
    tier: "deploy",
    check: declares,
    change: (manifest: Manifest) => {
      manifest.dependencies.undici = `^${manifest.dependencies.undici}`;
    },
  },
  {
    what: "an order of compilation that leaves a package out",
    tier: "cli",
    check: compiled,
    change: (settings: Settings) => {
      settings.references = settings.references.slice(1);
    },
  },
] as const;

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

let folder: PlantedFolder;
let statuses: ReadonlyMap<string, string>;

beforeAll(async () => {
  folder = await plant({});
  await symlink(join(repository, "node_modules"), join(folder.path, "node_modules"));
  await mkdir(join(folder.path, "tests"));
  const test = "tests/architecture.test.ts";
  await cp(join(repository, test), join(folder.path, test));
  for (const tier of await readdir(join(repository, "packages"))) {
    const files = ["package.json", "tsconfig.json"]; // the drop-in is bundled, not compiled
    for (const file of files.filter((name) => existsSync(join(repository, "packages", tier, name)))) {
      await cp(join(repository, "packages", tier, file), copyOf(tier, file));
    }
  }
  for (const { tier, check, change } of violations) {
    const path = copyOf(tier, check === declares ? "package.json" : "tsconfig.json");
    const content = JSON.parse(await readFile(path, "utf8"));
    change(content);
    await writeFile(path, JSON.stringify(content));
  }
  const args = ["run", "--reporter=json", "--root", folder.path, "-t", `${declares}|${compiled}`];
  const { output } = await runTool("node_modules/vitest/vitest.mjs", args, { cwd: folder.path });
  const report = JSON.parse(output) as Report;
  const results = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  statuses = new Map(results.map(({ ancestorTitles, title, status }) => [`${ancestorTitles.at(-1)} ${title}`, status]));
}, 60_000);
afterAll(() => folder[Symbol.asyncDispose]());

function copyOf(tier: string, file: string): string {
  return join(folder.path, "packages", tier, file);
}

test.for(violations)("the comparison with the rows finds $what", ({ tier, check }) => {
  expect(statuses.get(`${tier} ${check}`)).toBe("failed");
});

test("the comparison with the rows finds nothing where nothing was changed", () => {
  const changed = new Set<string>(violations.map(({ tier, check }) => `${tier} ${check}`));
  const checks = [...statuses].filter(([name]) => name.endsWith(declares) || name.endsWith(compiled));
  expect(checks.length).toBeGreaterThan(violations.length);
  const others = checks.filter(([name, status]) => !changed.has(name) && status !== "passed");
  expect(others).toEqual([[`cdk8s ${compiled}`, "skipped"]]); // bundled
});
