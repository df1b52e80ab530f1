import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { formatKubeconfig, writeKubeconfig } from "./kubeconfig.ts";

const options = {
  server: "https://127.0.0.1:6443",
  ca: "an authority\n",
  clientCertificate: "a certificate\n",
  clientKey: "a key\n",
};

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-kubeconfig-"));
});

afterEach(() => rm(folder, { recursive: true }));

test("everything is named slipway, and keys and certificates are inside", () => {
  expect(formatKubeconfig(options)).toBe(`apiVersion: v1
kind: Config
clusters:
- name: slipway
  cluster:
    certificate-authority-data: YW4gYXV0aG9yaXR5Cg==
    server: https://127.0.0.1:6443
contexts:
- name: slipway
  context:
    cluster: slipway
    namespace: default
    user: slipway
current-context: slipway
preferences: {}
users:
- name: slipway
  user:
    client-certificate-data: YSBjZXJ0aWZpY2F0ZQo=
    client-key-data: YSBrZXkK
`);
});

test("an older kubeconfig that others may read is replaced by one that they may not", async () => {
  const path = join(folder, "kubeconfig");
  await writeFile(path, "older", { mode: 0o644 });
  await writeKubeconfig(path, options);
  expect(await readFile(path, "utf8")).toBe(formatKubeconfig(options));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["kubeconfig"]);
});
