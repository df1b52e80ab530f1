import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { findVersion, programNames, readProgram } from "./programs.ts";

test.for(programNames)("%s has a version in its go.mod", async (name) => {
  const program = await readProgram(name, "linux-x64");
  expect(program.version).toMatch(/^v\d+\.\d+\.\d+$/);
  expect(program.cacheName).toMatch(new RegExp(`^linux-x64-${name}-v[\\d.]+-[0-9a-f]{12}$`));
});

test("the README has the versions of the go.mod files", async () => {
  const readme = await readFile(join(import.meta.dirname, "../README.md"), "utf8");
  const rows = readme.split("\n").filter((line) => line.startsWith("|"));
  for (const name of programNames) {
    const { version, folder } = await readProgram(name, "linux-x64");
    const row = rows.find((line) => line.includes(`programs/${basename(folder)}\``));
    expect(row).toMatch(new RegExp(`\\b${name}\\b.*\\| ${version.slice(1)} `));
  }
});

test("the programs of one release are of one version, and Kubernetes' know it", async () => {
  const names = ["kubectl", "kube-apiserver", "kube-controller-manager"] as const;
  const programs = await Promise.all(names.map((name) => readProgram(name, "linux-x64")));
  expect(new Set(programs.map(({ version }) => version)).size).toBe(1);
  for (const { buildFlags, version } of programs)
    expect(buildFlags.join(" ")).toContain(`version.gitVersion=${version}`);
});

test("another platform has another place in the cache", async () => {
  const [linux, mac] = await Promise.all([readProgram("etcd", "linux-x64"), readProgram("etcd", "darwin-arm64")]);
  expect(linux.cacheName.replace("linux-x64", "darwin-arm64")).toBe(mac.cacheName);
});

test.for([
  ["a line of its own", "require a.b/c v1.2.3", "v1.2.3"],
  ["a line of a block", "require (\n\ta.b/c v1.2.3 // indirect\n)", "v1.2.3"],
  ["not a longer name", "require a.b/c/v2 v2.0.0", undefined],
  ["not a replacement", "replace a.b/c => a.b/c v1.0.0", undefined],
] as const)("the version of a module: %s", ([, goMod, expected]) => {
  expect(findVersion(goMod, "a.b/c")).toBe(expected);
});
