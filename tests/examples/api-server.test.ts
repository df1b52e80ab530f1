import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { connect } from "@slipway/deploy/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serveWidgets } from "../../examples/api-server/server.ts";

const repository = resolve(import.meta.dirname, "../..");
const kind = { group: "example.com", version: "v1", kind: "Widget" };
const widget = (name: string, spec: { size: number; color?: string }) => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name, namespace: "default" },
  spec,
});

let folder: string;
let server: Awaited<ReturnType<typeof serveWidgets>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-example-"));
  server = await serveWidgets(0, folder);
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

test("serves its kind over TLS, with defaults", async () => {
  await using client = await connect({ kubeconfig: server.kubeconfig });
  await client.create(widget("first", { size: 3 }));
  const { items } = await client.list(kind);
  expect(items).toMatchObject([{ metadata: { name: "first" }, spec: { size: 3, color: "blue" } }]);
});

test("refuses what the schema does not allow", async () => {
  await using client = await connect({ kubeconfig: server.kubeconfig });
  await expect(client.create(widget("second", { size: 0 }))).rejects.toMatchObject({ status: { reason: "Invalid" } });
});

test("stands in the guide as it is, and is short", async () => {
  const source = await readFile(join(repository, "examples/api-server/server.ts"), "utf8");
  const guide = await readFile(join(repository, "docs/guide/serve-your-own-kind.md"), "utf8");
  expect(guide).toContain(`\`\`\`ts\n${source}\`\`\``);
  expect(source.trim().split("\n").length).toBeLessThan(60);
});
