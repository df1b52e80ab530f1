import { setTimeout as sleep } from "node:timers/promises";
import { formatJson, isJsonArray, isJsonObject, type JsonObject } from "@slipway/objects";
import { namespaceOf } from "./kubectl-sequence.ts";
import type { Recording } from "./recording.ts";
import { tryJson } from "./response-comparison.ts";
import { readBytes, type Sender } from "./sender.ts";

const GONE_TIMEOUT_MS = 30_000;

/**
 * Removes from a live server what a file left there, whatever holds it: recordings begin with no object of their group
 * anywhere.
 */
export async function cleanServer(recording: Recording, sender: Sender, groups: readonly string[]): Promise<void> {
  for (const group of groups) {
    for (const collection of await collectionsOf(sender, group)) await removeAll(sender, collection);
  }
  const namespaces = namespacesIn(recording);
  for (const name of namespaces) await send(sender, "DELETE", `/api/v1/namespaces/${name}`);
  const deadline = Date.now() + GONE_TIMEOUT_MS;
  for (const name of namespaces) {
    while ((await send(sender, "GET", `/api/v1/namespaces/${name}`)).status === 200 && Date.now() < deadline) {
      await sleep(100);
    }
  }
}

function namespacesIn(recording: Recording): string[] {
  if (recording.format === "kubectl") return [namespaceOf(recording)];
  return recording.steps.flatMap((step) => {
    if (step.type !== "http" || step.request.method !== "POST" || step.request.path !== "/api/v1/namespaces") return [];
    const name = /"name":"([^"]+)"/.exec(step.request.body ?? "")?.[1];
    return name === undefined ? [] : [name];
  });
}

/** `/apis/GROUP/VERSION/PLURAL` of every kind that is served. */
async function collectionsOf(sender: Sender, group: string): Promise<string[]> {
  const { body: root } = await send(sender, "GET", `/apis/${group}`);
  const preferred = isJsonObject(root.preferredVersion) ? root.preferredVersion.groupVersion : undefined;
  if (typeof preferred !== "string") return [];
  const { body } = await send(sender, "GET", `/apis/${preferred}`);
  const resources = isJsonArray(body.resources) ? body.resources.filter(isJsonObject) : [];
  return resources
    .map(({ name }) => String(name))
    .flatMap((name) => (name.includes("/") ? [] : [`/apis/${preferred}/${name}`]));
}

async function removeAll(sender: Sender, collection: string): Promise<void> {
  const { body } = await send(sender, "GET", collection);
  for (const item of isJsonArray(body.items) ? body.items.filter(isJsonObject) : []) {
    const { name, namespace, finalizers } = isJsonObject(item.metadata) ? item.metadata : {};
    const [, version = "", plural = ""] = /^(.*)\/([^/]+)$/.exec(collection) ?? [];
    const path =
      namespace === undefined ? `${collection}/${name}` : `${version}/namespaces/${namespace}/${plural}/${name}`;
    await send(sender, "DELETE", path);
    if (finalizers !== undefined) await send(sender, "PATCH", path, { metadata: { finalizers: null } });
  }
}

async function send(
  sender: Sender,
  method: string,
  path: string,
  patch?: JsonObject,
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  const response = await sender.send({
    method,
    path,
    headers: patch === undefined ? {} : { "Content-Type": "application/merge-patch+json" },
    body: patch === undefined ? undefined : formatJson(patch),
  });
  const value = tryJson(Buffer.from(await readBytes(response)).toString("utf8"));
  return { status: response.status, body: isJsonObject(value) ? value : {} };
}
