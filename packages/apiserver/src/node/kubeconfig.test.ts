import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { formatKubeconfig, writeKubeconfig } from "./kubeconfig.ts";

const options = {
  server: "https://127.0.0.1:6443",
  ca: "-----BEGIN CERTIFICATE-----\nca\n",
  clientCertificate: "-----BEGIN CERTIFICATE-----\nclient\n",
  clientKey: "-----BEGIN PRIVATE KEY-----\nkey\n",
};

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-kubeconfig-"));
});

afterEach(() => rm(folder, { recursive: true }));

test("everything is named slipway, and keys and certificates are inside", () => {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  expect(parse(formatKubeconfig(options))).toEqual({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "slipway", cluster: { server: options.server, "certificate-authority-data": base64(options.ca) } },
    ],
    contexts: [{ name: "slipway", context: { cluster: "slipway", user: "slipway", namespace: "default" } }],
    "current-context": "slipway",
    preferences: {},
    users: [
      {
        name: "slipway",
        user: {
          "client-certificate-data": base64(options.clientCertificate),
          "client-key-data": base64(options.clientKey),
        },
      },
    ],
  });
});

test.for(["https://[::1]:6443", "https://localhost:0"])("the server %s is one plain string", (server) => {
  expect(parse(formatKubeconfig({ ...options, server })).clusters[0].cluster.server).toBe(server);
});

test("an older kubeconfig that others may read is replaced by one that they may not", async () => {
  const path = join(folder, "kubeconfig");
  await writeFile(path, "older", { mode: 0o644 });
  await writeKubeconfig(path, options);
  expect(await readFile(path, "utf8")).toBe(formatKubeconfig(options));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["kubeconfig"]);
});
