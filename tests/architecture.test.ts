import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

interface Tier {
  /** Our packages below it, that it may import. */
  readonly ours: readonly string[];
  /** Packages of others that it needs when it runs. */
  readonly others: readonly string[];
  /** Those of `others` that only its `node/` folder may import. */
  readonly onlyUnderNode?: readonly string[];
  /** Packages of others that its user brings. */
  readonly peers?: readonly string[];
  /** Our packages that are built into it: whoever installs it gets no others. */
  readonly bundles?: readonly string[];
  /** Its files outside of `node/` may call those inside: its classes do what they are told there and then. */
  readonly callsNode?: boolean;
  /** May touch the outside anywhere, not only under `node/`. */
  readonly isWiring?: boolean;
}

/** The arrows of docs/ARCHITECTURE.md. A tier may import the tiers listed, and nothing else of ours. */
const tiers: Readonly<Record<string, Tier>> = {
  apiserver: {
    ours: ["objects"],
    others: ["@bufbuild/protobuf", "@peculiar/x509", "libsql", "prom-client", "re2js"],
    onlyUnderNode: ["@peculiar/x509", "libsql", "prom-client"],
  },
  applications: { ours: ["apiserver", "objects"], others: [] },
  cdk8s: { ours: [], bundles: ["core"], others: [], peers: ["constructs"] },
  cli: {
    ours: ["apiserver", "applications", "core", "objects"],
    others: ["@oxc-project/runtime", "commander", "diff", "oxc-transform"],
    isWiring: true,
  },
  core: { ours: ["objects"], others: ["yaml"], peers: ["constructs"], callsNode: true },
  deploy: { ours: ["objects"], others: ["undici"], onlyUnderNode: ["undici"] },
  objects: { ours: [], others: ["yaml"] },
};

/** For the contract suites, which stand beside the interfaces and run in tests only. */
const testPackages: readonly string[] = ["fast-check", "vitest"];

interface SourceFile {
  /** Below `src`, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** What a tier's sources do that its row does not allow, one sentence each. */
function findViolations(name: string, tier: Tier, files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const code = withoutComments(text);
    const isOutside = tier.isWiring === true || path.startsWith("node/");
    const problems = importsOf(code).map((specifier) => importProblem(name, tier, path, specifier, isOutside));
    if (!isOutside && /(?<![\w$.#])process\s*[.[]|\bglobalThis\s*\.\s*process\b/.test(withoutStrings(code))) {
      problems.push("uses process");
    }
    return problems.filter((problem) => problem !== undefined).map((problem) => `${name}/src/${path} ${problem}`);
  });
}

function importProblem(
  name: string,
  tier: Tier,
  path: string,
  specifier: string,
  isOutside: boolean,
): string | undefined {
  if (specifier.startsWith(".")) return relativeProblem(path, specifier, isOutside || tier.callsNode === true);
  if (specifier.startsWith("node:")) return isOutside ? undefined : `imports ${specifier}`;
  const parts = specifier.split("/");
  const imported = parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  if (imported.startsWith("@slipway/")) {
    if (![...tier.ours, ...(tier.bundles ?? [])].some((below) => imported === `@slipway/${below}`))
      return `imports ${specifier}: not below ${name}`;
    return specifier.endsWith("/node") && !isOutside ? `imports ${specifier}` : undefined;
  }
  if (path.endsWith("-contract.ts") && testPackages.includes(imported)) return undefined;
  if (![...tier.others, ...(tier.peers ?? [])].includes(imported))
    return `imports ${specifier}: not a package it may use`;
  return tier.onlyUnderNode?.includes(imported) === true && !isOutside ? `imports ${specifier}` : undefined;
}

function relativeProblem(path: string, specifier: string, isOutside: boolean): string | undefined {
  const target = join("src", path, "..", specifier);
  if (!target.startsWith("src/")) return target === "package.json" ? undefined : `imports ${specifier}: outside of src`;
  return target.startsWith("src/node/") && !isOutside ? `imports ${specifier}` : undefined;
}

const STRING = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`/;
const STRING_OR_COMMENT = new RegExp(`(${STRING.source})|/\\*[\\s\\S]*?\\*/|//[^\\n]*`, "g");

function withoutComments(text: string): string {
  return text.replace(STRING_OR_COMMENT, (_, string: string | undefined) => string ?? " ");
}

function withoutStrings(text: string): string {
  return text.replace(new RegExp(STRING.source, "g"), '""');
}

function importsOf(code: string): string[] {
  const static_ = code.matchAll(/(?<![\w$.])(?:import|export)\b(?:[^"'`;()=]*?\bfrom)?\s*["']([^"'\n]+)["']/g);
  const dynamic = code.matchAll(/\b(?:import|require)\s*\(\s*["'`]([^"'`\n]+)["'`]/g);
  return [...static_, ...dynamic].map(([, specifier]) => specifier as string);
}

const packages = resolve(import.meta.dirname, "../packages");

function readSources(name: string): SourceFile[] {
  const src = join(packages, name, "src");
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => /(?<!\.test)\.m?ts$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(src, path), "utf8") }));
}

function readJson(...path: string[]): Record<string, unknown> {
  return JSON.parse(readFileSync(join(packages, ...path), "utf8"));
}

const present = readdirSync(packages).filter((name) => existsSync(join(packages, name, "package.json")));

test("every package has a row", () => {
  expect(present).toContain("objects");
  expect(present.filter((name) => tiers[name] === undefined)).toEqual([]);
});

describe.for(Object.entries(tiers).filter(([name]) => present.includes(name)))("%s", ([name, tier]) => {
  test("declares exactly the packages of its row, in exact versions", () => {
    const manifest = readJson(name, "package.json");
    const dependencies = (manifest.dependencies ?? {}) as Record<string, string>;
    expect(new Set(Object.keys(dependencies))).toEqual(
      new Set([...tier.ours.map((below) => `@slipway/${below}`), ...tier.others]),
    );
    for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(Object.keys(manifest.peerDependencies ?? {})).toEqual(tier.peers ?? []);
    for (const kind of ["optionalDependencies", "bundledDependencies"]) {
      expect(manifest[kind], kind).toBeUndefined();
    }
  });

  test.skipIf(tier.bundles !== undefined)("is compiled after the packages below it", () => {
    const references = readJson(name, "tsconfig.json").references;
    expect(references).toEqual(tier.ours.map((below) => ({ path: `../${below}` })));
  });

  test("its sources import and touch only what its row allows", () => {
    const files = readSources(name);
    expect(files.length).toBeGreaterThan(0);
    expect(files.flatMap(({ text }) => importsOf(withoutComments(text))).length).toBeGreaterThan(0);
    expect(findViolations(name, tier, files)).toEqual([]);
  });
});

test("arrows only point down", () => {
  const below = ({ ours, bundles = [] }: Tier): string[] => [...ours, ...bundles];
  const depth = (name: string): number => 1 + Math.max(0, ...below(tiers[name] as Tier).map(depth));
  for (const [name, tier] of Object.entries(tiers)) {
    for (const other of below(tier)) expect(depth(other), `${name} above ${other}`).toBeLessThan(depth(name));
  }
});

describe("a planted violation is found:", () => {
  const apiserver = tiers.apiserver as Tier;
  test.for([
    ["a tier above", "a.ts", 'import { x } from "@slipway/applications";'],
    ["a tier above, types only", "a.ts", 'import type { x } from "@slipway/applications";'],
    ["a tier above, passed on", "a.ts", 'export { x } from "@slipway/cli";'],
    ["a tier above, over several lines", "a.ts", 'import {\n  x, // "a"\n  y,\n} from "@slipway/cli";'],
    ["a tier above, for its effects", "a.ts", 'import "@slipway/cli";'],
    ["a tier above, on demand", "a.ts", 'const x = await import("@slipway/cli");'],
    ["itself by name", "a.ts", 'import { x } from "@slipway/apiserver";'],
    ["another package by path", "a.ts", 'import { x } from "../../objects/src/json.ts";'],
    ["a package that is not in the row", "a.ts", 'import { x } from "undici";'],
    ["a package of tests", "a.ts", 'import { test } from "vitest";'],
    ["a built-in module without its prefix", "node/a.ts", 'import { x } from "fs";'],
    ["a built-in module outside of node/", "storage/a.ts", 'import { x } from "node:fs";'],
    ["a package of node/ outside of it", "a.ts", 'import { x } from "libsql";'],
    ["node/ from outside of it", "storage/a.ts", 'import { x } from "../node/a.ts";'],
    ["process outside of node/", "a.ts", "const x = process.env.HOME;"],
    ["process by a member in brackets", "a.ts", 'const x = process["env"];'],
    ["process through globalThis", "a.ts", "const x = globalThis.process;"],
    ["code after a string that looks like a comment", "a.ts", 'const a = "*/*";\nimport { x } from "undici"; // */'],
  ] as const)("%s", ([, path, text]) => {
    expect(findViolations("apiserver", apiserver, [{ path, text }])).toHaveLength(1);
  });
});

describe("nothing is found in:", () => {
  const apiserver = tiers.apiserver as Tier;
  test.for([
    ["a tier below, with a subpath", "a.ts", 'import { x } from "@slipway/objects/yaml";'],
    ["a contract suite", "storage/storage-contract.ts", 'import { test } from "vitest";'],
    ["node/", "node/a.ts", 'import { x } from "node:fs";\nimport y from "libsql";\nconst z = process.pid;'],
    ["comments", "a.ts", '/* import "undici"; */\n// process.exit()\nconst a = 1;'],
    ["strings", "a.ts", "const a = 'process.exit()';\nconst b = `process.exit()`;"],
    ["members called process", "a.ts", "const a = this.process.x + a.process[0];"],
    ["a file beside it", "a.ts", 'import { x } from "./b.ts";\nexport const y = x;'],
  ] as const)("%s", ([, path, text]) => {
    expect(findViolations("apiserver", apiserver, [{ path, text }])).toEqual([]);
  });
});
