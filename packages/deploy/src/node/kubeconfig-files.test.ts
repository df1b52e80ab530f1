import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { selectConnection } from "../client/kubeconfig.ts";
import { readKubeconfig, readKubeconfigFile } from "./kubeconfig-files.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-kubeconfig-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function write(name: string, ...lines: string[]): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, lines.join("\n"));
  return path;
}

test("the file asked for, and no other", async () => {
  const path = await write("asked", "current-context: asked");
  const other = await write("other", "current-context: other");
  expect(await readKubeconfig({ kubeconfig: path, env: { KUBECONFIG: other } })).toMatchObject({
    currentContext: "asked",
    sources: [path],
  });
  const asRelative = relative(process.cwd(), path);
  expect((await readKubeconfig({ kubeconfig: asRelative, env: {} })).sources).toEqual([path]);
});

test("a file asked for that is not there is an error", async () => {
  await expect(readKubeconfig({ kubeconfig: join(folder, "none"), env: {} })).rejects.toMatchObject({
    code: "READ_FAILED",
    message: `${folder}/none: cannot be read (ENOENT). Check the path and its permissions.`,
  });
});

test("the files of KUBECONFIG that are there, merged; paths are relative to the file they stand in", async () => {
  await write("one/ca.pem", "CA of one");
  await write("two/ca.pem", "CA of two");
  const one = await write(
    "one/config",
    "clusters: [{name: c, cluster: {server: 'https://one', certificate-authority: ca.pem}}]",
  );
  const two = await write(
    "two/config",
    "current-context: x",
    "clusters: [{name: c, cluster: {server: 'https://two', certificate-authority: ca.pem}}]",
    "contexts: [{name: x, context: {cluster: c}}]",
  );
  const KUBECONFIG = ["", join(folder, "missing"), one, two, one, ""].join(":");
  const config = await readKubeconfig({ env: { KUBECONFIG, HOME: folder } });
  expect(config.sources).toEqual([one, two]);
  expect(await selectConnection(config, { readFile: readKubeconfigFile })).toMatchObject({
    server: "https://one",
    tls: { ca: "CA of one" },
  });
});

test("without KUBECONFIG the file in the home folder", async () => {
  const path = await write(".kube/config", "current-context: home");
  for (const KUBECONFIG of [undefined, ""]) {
    const config = await readKubeconfig({ env: { KUBECONFIG, HOME: folder } });
    expect(config).toMatchObject({ currentContext: "home", sources: [path] });
  }
});

test.for([
  ["nothing in the home folder", { HOME: "FOLDER" }, "FOLDER/.kube/config: no kubeconfig is there"],
  [
    "nothing of KUBECONFIG",
    { KUBECONFIG: "FOLDER/a:FOLDER/b", HOME: "/" },
    "FOLDER/a, FOLDER/b: no kubeconfig is there",
  ],
  ["a folder", { KUBECONFIG: "FOLDER" }, "FOLDER: cannot be read (EISDIR)"],
] as const)("%s is an error that says where was looked", async ([, env, message]) => {
  const here = Object.fromEntries(Object.entries(env).map(([name, text]) => [name, text.replaceAll("FOLDER", folder)]));
  await expect(readKubeconfig({ env: here })).rejects.toMatchObject({
    code: "READ_FAILED",
    message: expect.stringContaining(message.replaceAll("FOLDER", folder)),
  });
});
