import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  describeVerdict,
  type ExpectedDifferences,
  judge,
  listedIn,
  readExpectedDifferences,
} from "./expected-differences.ts";
import { findKubectl } from "./kubectl-program.ts";
import { mutateEvent, mutateField, seededRandom } from "./mutations.ts";
import { readRecordings } from "./read-recording.ts";
import type { Recording } from "./recording.ts";
import { replayInProcess } from "./replay-file.ts";
import type { SequenceOptions } from "./run-sequence.ts";

const folder = fileURLToPath(new URL("../recordings", import.meta.url));
const recordings = [...readRecordings(`${folder}/kube`, "kube"), ...readRecordings(`${folder}/cozystack`, "cozystack")];
const expected: ExpectedDifferences = readExpectedDifferences();

/** Files take as long as their watches are open; what the processor does is little, so they run beside each other. */
const TIMEOUT_MS = 60_000;

/** Changes that the replayer did not notice, and how many it was put to. */
const overlooked: string[] = [];
const changes = { fields: 0, events: 0, files: 0 };
const sequences = recordings.filter(({ format }) => format !== "kubectl");

describe("a recorded sequence is answered as it was recorded, but for what expected-differences.json lists", () => {
  test.concurrent.for(sequences)("$name", { timeout: TIMEOUT_MS }, async (recording, { expect }) => {
    const result = await replayInProcess(recording, {
      onAnswer: challenge(recording),
      isListed: listedIn(expected, recording.name),
    });
    changes.files++;
    expect(result.results.length).toBeGreaterThan(0);
    expect(describeVerdict(judge(result, expected))).toBe("");
  });
});

/** Compares every answer that is as recorded once more with a recording in which one thing is changed. */
function challenge(recording: Recording): NonNullable<SequenceOptions["onAnswer"]> {
  const random = seededRandom(recording.name);
  return (step, compareAgain) => {
    if (step.isPreparation || compareAgain(step).length > 0) return;
    const field = mutateField(step, random);
    // Objects of other files are not compared, see other-files.ts.
    const isOverAll = recording.format === "cozystack" && !step.request.path.includes("/namespaces/");
    const event = isOverAll ? undefined : mutateEvent(step, random);
    if (event !== undefined) changes.events++;
    changes.fields++;
    for (const { what, step: changed } of event === undefined ? [field] : [field, event]) {
      if (compareAgain(changed).length === 0) overlooked.push(`${recording.name}:${step.id} ${what}`);
    }
  };
}

test("one field changed in every answer, and one event in every watch, is noticed", ({ skip }) => {
  if (changes.files < sequences.length) return skip("not all files ran");
  expect(overlooked).toEqual([]);
  expect(changes.fields).toBeGreaterThan(1_000);
  expect(changes.events).toBeGreaterThan(30);
});

describe("kubectl prints and leaves behind what was recorded", async () => {
  const kubectl = await findKubectl(process.env);
  const invocations = recordings.filter(({ format }) => format === "kubectl");

  test.concurrent.for(invocations)("$name", { timeout: 2 * TIMEOUT_MS }, async (recording, { expect, skip }) => {
    if ("missing" in kubectl) return skip(kubectl.missing);
    const result = await replayInProcess(recording);
    expect(describeVerdict(judge(result, expected))).toBe("");
  });
});

test("expected-differences.json lists only files that there are, and no case twice", () => {
  const names = new Set(recordings.map(({ name }) => name));
  const listed = expected.expected.flatMap(({ cases }) => Object.entries(cases));
  expect(listed.map(([name]) => name).filter((name) => !names.has(name))).toEqual([]);
  const ids = listed.flatMap(([name, cases]) => (cases === "*" ? [name] : cases.map((id) => `${name}:${id}`)));
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});
