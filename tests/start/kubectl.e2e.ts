import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeVerdict, judge, readExpectedDifferences } from "../replay/expected-differences.ts";
import { type LiveServer, liveServer } from "../replay/https-sender.ts";
import { findKubectl } from "../replay/kubectl-program.ts";
import { readRecordings } from "../replay/read-recording.ts";
import { replayOnServer } from "../replay/replay-file.ts";
import { type ControlPlaneProcess, startProcess } from "../support/control-plane-process.ts";

const repository = resolve(import.meta.dirname, "../..");
const expected = readExpectedDifferences();
const recordings = readRecordings(join(repository, "tests/recordings/kube/kubectl"), "kube/kubectl");
const kubectl = await findKubectl(process.env);
if ("missing" in kubectl) process.stderr.write(`not run: ${kubectl.missing}\n`);

/**
 * The same command lines as in tests/replay, and the same list of differences: in place of the example platform the
 * control plane has the kinds of the recordings, and nothing else in its data.
 *
 * Skipped without the kubectl that was recorded, since another prints other texts; what is missing is said above. `.ci/run`
 * has it from the testbed.
 */
describe.skipIf("missing" in kubectl)("kubectl against npm start prints and leaves behind what was recorded", () => {
  let data: string;
  let controlPlane: ControlPlaneProcess;
  let server: LiveServer;
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), "slipway-kubectl-"));
    const definitions = join(repository, "tests/recordings/kube/crds");
    const args = ["start", "--", "--port", "0", "--data", data, "--definitions", definitions];
    controlPlane = await startProcess("npm", args, { cwd: repository });
    server = liveServer(controlPlane.kubeconfig);
  });
  afterAll(async () => {
    server?.close();
    await controlPlane?.stop("SIGTERM");
    await rm(data, { recursive: true, force: true });
  });

  // One after the other: all of them see the same server.
  test.for(recordings)("$name", async (recording) => {
    const file = await replayOnServer(recording, server);
    expect(file.results).toHaveLength(file.cases);
    expect(describeVerdict(judge(file, expected))).toBe("");
  });

  test("the server has had no failure of its own", () => {
    expect(controlPlane.output()).not.toMatch(/^E\d{4} /m);
    expect(controlPlane.output()).not.toContain("not served:");
  });
});
