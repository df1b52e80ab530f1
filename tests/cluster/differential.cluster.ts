import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RealCluster, startRealCluster } from "../../testbed/src/index.ts";
import type { Difference } from "../replay/difference.ts";
import { httpsSender, readKubeconfig } from "../replay/https-sender.ts";
import { readRecording } from "../replay/read-recording.ts";
import { recordSequence } from "../replay/record-sequence.ts";
import { replayInProcess } from "../replay/replay-file.ts";
import { readBytes, type Sender } from "../replay/sender.ts";
import { randomSequence } from "./random-requests.ts";

const definitions = "tests/recordings/kube/crds";
const requests = 250;

let cluster: RealCluster;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-differential-"));
  cluster = await startRealCluster();
  await cluster.run(["create", "-f", definitions]);
  await cluster.run(["wait", "--for=condition=Established", "--timeout=30s", "-f", definitions]);
  const sender = httpsSender(readKubeconfig(cluster.kubeconfig));
  for (const path of ["v1/widgets", "v1/gadgets", "v1beta1/gadgets", "v1/blobs"]) await awaitServed(sender, path);
  sender.close();
});
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Until the storage of a kind is there, in every version by itself, the answer is 429. */
async function awaitServed(sender: Sender, path: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const answer = await sender.send({ method: "GET", path: `/apis/record.example.dev/${path}`, headers: {} });
    await readBytes(answer);
    if (answer.status === 200) return;
    if (tries > 60) throw new Error(`${path} is answered ${answer.status}`);
    await sleep(250);
  }
}

/** Seeds that anybody can name again; `SLIPWAY_SEED` tries another one. */
const seeds = process.env.SLIPWAY_SEED?.split(",") ?? ["one", "two", "three"];

test.for(seeds)("random requests are answered as kube-apiserver answers them: SLIPWAY_SEED=%s", async (seed) => {
  const name = `random-${seed}`;
  const sender = httpsSender(readKubeconfig(cluster.kubeconfig));
  const lines = await recordSequence(randomSequence(name, seed, requests), sender);
  sender.close();
  const file = join(folder, `${name}.jsonl`);
  await writeFile(file, `${lines.join("\n")}\n`);
  const { results, failures } = await replayInProcess(readRecording(file, name));
  expect(failures).toEqual([]);
  expect(results).toHaveLength(requests);
  const wrong = results.flatMap(({ id, request, differences }) =>
    differences.filter((difference) => !isAllowed(difference)).map((difference) => ({ id, request, ...difference })),
  );
  expect(wrong).toEqual([]);
});

/** Who owns which field is not kept, so that objects which an answer quotes lack `metadata.managedFields`. */
function isAllowed({ path, expected }: Difference): boolean {
  return /message$/.test(path) && /Invalid value: \\+"\{/.test(expected);
}
