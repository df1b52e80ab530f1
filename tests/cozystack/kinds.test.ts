import { readFileSync } from "node:fs";
import { isJsonObject, type KubernetesObject } from "@slipway/objects";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Platform, releaseKind, startPlatform } from "./platform.ts";
import { comparable, comparableRelease, type RecordedLine, readRecording } from "./recording.ts";

/**
 * Creates that the real server let through and the kind's own schema refuses; `docs/compatibility.md` has them too.
 * Their releases are then made behind the server's back, so that reading them is compared as well.
 */
const refusedBySchema: Readonly<Record<string, string>> = {
  "bootbox-create-small": "spec.machines[0].uefi: Required value",
  "mongodb-create-small": "spec.shardingConfig.shards[0].size: Required value",
  "monitoring-create-small": "spec.metricsStorages[0].deduplicationInterval: Required value",
};

const lines = readRecording("kinds");
let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform({ namespaces: ["tenant-kinds"] });
});
afterAll(() => platform[Symbol.asyncDispose]());

test("the recording covers every kind", () => {
  const created = lines.filter(({ id }) => id.endsWith("-create-empty"));
  expect(platform.definitions.degraded).toEqual([]);
  expect(platform.definitions.kinds).toHaveLength(31);
  expect(created).toHaveLength(31);
});

test.for(Object.entries(refusedBySchema))("the compatibility table has %s", ([id, reason]) => {
  const table = readFileSync(new URL("../../docs/compatibility.md", import.meta.url), "utf8");
  expect(table).toContain(`| \`${id}\` | \`${reason}\``);
});

// In their order: each line sees what the ones before it made.
test.for(lines.filter(({ request }) => request.to !== "backend"))("$id: $about", async (line) => {
  const { method, path, headers, body } = line.request;
  const sent = Object.fromEntries(
    Object.entries(headers ?? {}).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
  const response = await platform.request(method, path, { headers: sent, body });
  const refusal = refusedBySchema[line.id];
  if (refusal !== undefined) {
    expect(response.status).toBe(422);
    expect(response.json()).toMatchObject({ reason: "Invalid", message: expect.stringContaining(refusal) });
    await platform.client.create(recordedRelease(line));
    return;
  }
  expect(response.status).toBe(line.response.status);
  expect(comparable(response.json())).toBe(comparable(line.response.body));
  if (line.effect === undefined) return;
  const expected = line.effect.helmRelease;
  const release = await readRelease(expected);
  expect(comparableRelease(release)).toBe(comparableRelease(expected));
  expect(resourceVersionOf(response.json() as KubernetesObject)).toBe(release?.metadata.resourceVersion);
});

function recordedRelease({ effect }: RecordedLine): KubernetesObject {
  const release = effect?.helmRelease;
  if (release === undefined || release === null) throw new TypeError("no release was recorded");
  const { resourceVersion: _v, uid: _u, creationTimestamp: _t, ...metadata } = release.metadata;
  return { ...release, metadata };
}

async function readRelease(recorded: KubernetesObject | null | undefined): Promise<KubernetesObject | undefined> {
  const { namespace = "", name = "" } = recorded?.metadata ?? {};
  return platform.client.get({ ...releaseKind, namespace, name });
}

function resourceVersionOf(value: KubernetesObject): string | undefined {
  return isJsonObject(value) ? value.metadata.resourceVersion : undefined;
}
