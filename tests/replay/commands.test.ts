import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startListeningKubeCluster } from "./clusters.ts";
import { readRecording } from "./read-recording.ts";
import { main as record } from "./record-command.ts";
import { main as replay } from "./replay-command.ts";
import { countsOf, type FileResult, replayInProcess } from "./replay-file.ts";
import { formatScoreboard, scoreboard } from "./scoreboard.ts";

const recordings = fileURLToPath(new URL("../recordings", import.meta.url));
let folder: string;
let printed: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-record-"));
  printed = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation(() => true);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

test.for(["basics", "watch-selectors", "generate-name"])(
  "what is recorded from a server over TLS replays without a difference in process: %s",
  async (name) => {
    const file = join(folder, `${name}.jsonl`);
    await using cluster = await startListeningKubeCluster("tests/recordings/kube/crds");
    await writeFile(join(folder, "kubeconfig"), cluster.kubeconfig);
    const sequence = `${recordings}/kube/http/${name}.jsonl`;
    expect(await record(["--kubeconfig", join(folder, "kubeconfig"), "--sequence", sequence, "--out", file])).toBe(0);

    const recording = readRecording(file, name);
    expect(recording.steps.length).toBeGreaterThan(5);
    const result = await replayInProcess(recording);
    expect(result.results.flatMap(({ differences }) => differences)).toEqual([]);
    // Twice the same steps: only answers differ.
    const requests = (text: string): string[] =>
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).request);
    expect(requests(await readFile(file, "utf8"))).toEqual(requests(await readFile(sequence, "utf8")));
  },
);

test("a recording without a kubeconfig is refused with the usage", async () => {
  expect(await record([])).toBe(2);
});

test("a folder is replayed and counted, and what is not as recorded is named", async () => {
  const [setup = "", first = ""] = (await readFile(`${recordings}/kube/http/basics.jsonl`, "utf8")).split("\n");
  const wrong = first
    .replace('"basics-01"', '"small-02"')
    .replace('"name":"a"', '"name":"b"')
    .replace('"mode":"Auto"', '"mode":"Off"');
  const text = [setup.replace("basics-00", "small-00"), first.replace("basics-01", "small-01"), wrong].join("\n");
  await writeFile(join(folder, "small.jsonl"), text);
  const report = join(folder, "report.json");
  expect(await replay([join(folder, "small.jsonl"), "--differences", "--report", report])).toBe(1);
  expect(printed).toContain("1/2");
  expect(printed).toContain("body/spec/mode");
  expect(printed).toMatch(/differs, and is not listed: .*:small-02/);
  expect(JSON.parse(await readFile(report, "utf8"))).toMatchObject({ files: [{ passed: 1, total: 2 }] });
});

test("the scoreboard counts topics, what was skipped, and managers on a line of their own", () => {
  const step = { id: "x", about: "", request: "", isPreparation: false, differences: [] };
  const file = (name: string, results: FileResult["results"], skipped?: string): FileResult => ({
    name,
    format: "kube",
    cases: 3,
    results,
    skipped,
    failures: [],
    seconds: 0,
  });
  const files = [
    file("kube/http/watch", [{ ...step, outcome: "passed", managersMatch: false }]),
    file("kube/http/watch-selectors", [{ ...step, outcome: "failed" }]),
    file("kube/kubectl/k-get", [], "no kubectl"),
  ];
  expect(files.map(countsOf)).toEqual([
    { passed: 1, total: 1 },
    { passed: 0, total: 1 },
    { passed: 0, total: 0 },
  ]);
  expect(formatScoreboard(scoreboard(files)).split("\n")).toEqual([
    "watches                                      1/2  50 %",
    "kubectl: get                                 0/0  (3 skipped)",
    "metadata.managedFields of all answers        0/1   0 %",
    "",
  ]);
});
