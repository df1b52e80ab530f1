import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { countLine } from "./go-build.ts";
import { cacheFolder, ensurePrograms } from "./program-cache.ts";

let folder: string;
let told: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-cache-"));
  told = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function writeScript(path: string, script: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

/** An environment whose only Go is this script. Its sixth argument but one is the file to write. */
async function withGo(script: string): Promise<NodeJS.ProcessEnv> {
  await writeScript(join(folder, "bin", "go"), `while [ "$1" != -o ]; do shift; done; out=$2\n${script}`);
  return { PATH: `${join(folder, "bin")}:/usr/bin:/bin`, XDG_CACHE_HOME: join(folder, "cache") };
}

const tell = (line: string): void => {
  told.push(line);
};

const compiles = `echo built >> "${"$"}{0%/*}/runs"; printf '#!/bin/sh\\n' > "$out"; chmod +x "$out"`;

test("a program is built once, and then taken from the cache", async () => {
  const env = await withGo(compiles);
  const first = await ensurePrograms(["etcd"], { env, tell });
  expect(first.etcd.startsWith(join(folder, "cache", "slipway", "testbed"))).toBe(true);
  expect(told).toEqual([
    expect.stringMatching(/^Building etcd v\S+, 1 of 1/),
    expect.stringMatching(/^etcd: built in/),
  ]);
  expect(await ensurePrograms(["etcd"], { env, tell })).toEqual(first);
  expect(await readFile(join(folder, "bin", "runs"), "utf8")).toBe("built\n");
});

test("a program that KUBEBUILDER_ASSETS holds wins over the cache; what it lacks is built", async () => {
  const env = await withGo(compiles);
  await ensurePrograms(["etcd"], { env, tell });
  const assets = join(folder, "assets");
  await writeScript(join(assets, "etcd"), "");
  await writeFile(join(assets, "kubectl"), "not executable");
  const paths = await ensurePrograms(["etcd", "kubectl"], { env: { ...env, KUBEBUILDER_ASSETS: assets }, tell });
  expect(paths.etcd).toBe(join(assets, "etcd"));
  expect(dirname(paths.kubectl)).not.toBe(assets);
});

test("without Go the message says what is missing, why it is needed, and both ways out", async () => {
  const env = { PATH: join(folder, "nowhere"), XDG_CACHE_HOME: folder };
  await expect(ensurePrograms(["helm"], { env, tell })).rejects.toThrow(
    /^helm is not built yet, and Go, which builds it, cannot be started .* Install Go .*, or set KUBEBUILDER_ASSETS/,
  );
});

test("what Go says of its failure is in the message, and nothing is left in the cache", async () => {
  const env = await withGo(
    `echo "go: downloading a v1" >&2; echo half > "$out"; echo "x.go:1: no such thing" >&2; exit 1`,
  );
  const error = await ensurePrograms(["etcd"], { env, tell }).catch((error: unknown) => error);
  expect(String(error)).toMatch(/etcd v\S+ could not be built in .*programs\/etcd\. Go says:\nx\.go:1: no such thing$/);
  expect(await filesOfCache()).toEqual([]);
});

test("two builds at once do not disturb each other: the program is whole at every moment", async () => {
  const env = await withGo(`printf '#!/bin/sh\\n' > "$out"; sleep 0.3; echo whole >> "$out"; chmod +x "$out"`);
  const both = await Promise.all([ensurePrograms(["etcd"], { env, tell }), ensurePrograms(["etcd"], { env, tell })]);
  expect(both[0]).toEqual(both[1]);
  expect(await readFile(both[0].etcd, "utf8")).toBe("#!/bin/sh\nwhole\n");
  expect(await filesOfCache()).toEqual(["etcd"]);
});

test("an abort ends the compiler, and leaves nothing", async () => {
  const env = await withGo(`echo half > "$out"; exec sleep 60`);
  const stop = new AbortController();
  const building = ensurePrograms(["etcd"], { env, tell, signal: stop.signal });
  await vi.waitFor(async () => expect(await filesOfCache()).not.toEqual([]));
  stop.abort(new Error("enough"));
  await expect(building).rejects.toThrow("enough");
  expect(await filesOfCache()).toEqual([]);
});

test("what a killed build has left is removed after a day", async () => {
  const env = await withGo(compiles);
  const { etcd } = await ensurePrograms(["etcd"], { env, tell });
  await rm(etcd);
  const leftovers = ["old", "new"].map((name) => join(dirname(etcd), `.building-${name}`));
  for (const path of leftovers) await writeFile(path, "");
  const yesterday = Date.now() / 1000 - 25 * 60 * 60;
  await utimes(leftovers[0] ?? "", yesterday, yesterday);
  await ensurePrograms(["etcd"], { env, tell });
  expect((await readdir(dirname(etcd))).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([".building-new", "etcd"]);
});

async function filesOfCache(): Promise<string[]> {
  const entries = await readdir(join(folder, "cache"), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe("the cache is in", () => {
  test.for([
    ["the folder that XDG_CACHE_HOME names", { XDG_CACHE_HOME: "/somewhere" }, "/somewhere/slipway/testbed"],
    ["~/.cache when it is not set", {}, join(homedir(), ".cache/slipway/testbed")],
    ["~/.cache when it is not absolute", { XDG_CACHE_HOME: "here" }, join(homedir(), ".cache/slipway/testbed")],
  ] as const)("%s", ([, env, expected]) => {
    expect(cacheFolder(env)).toBe(expected);
  });
});

test.for([
  ["go: downloading k8s.io/api v0.36.3", { downloadedModules: 1, compiledPackages: 0 }],
  ["k8s.io/api/core/v1", { downloadedModules: 0, compiledPackages: 1 }],
  ["internal/byteorder", { downloadedModules: 0, compiledPackages: 1 }],
  ["go: errors parsing go.mod:", undefined],
  ["# k8s.io/api/core/v1", undefined],
  ["main.go:3:8: undefined: x", undefined],
] as const)("a line of go build: %s", ([line, expected]) => {
  expect(countLine({ downloadedModules: 0, compiledPackages: 0 }, line)).toEqual(expected);
});
