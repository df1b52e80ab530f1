import { fileURLToPath } from "node:url";
import { listedIn, readExpectedDifferences } from "./expected-differences.ts";
import { mapBounded } from "./map-bounded.ts";
import { readRecordings } from "./read-recording.ts";
import { replayInProcess } from "./replay-file.ts";
import { formatScoreboard, scoreboard } from "./scoreboard.ts";

const recordingsFolder = fileURLToPath(new URL("../recordings", import.meta.url));

/** Figures only from what runs here and now: every recording is replayed. */
export async function main(): Promise<number> {
  const recordings = ["kube", "cozystack"].flatMap((set) => readRecordings(`${recordingsFolder}/${set}`, set));
  const expected = readExpectedDifferences();
  const files = await mapBounded(recordings, 4, (recording) =>
    replayInProcess(recording, { isListed: listedIn(expected, recording.name) }),
  );
  process.stdout.write(formatScoreboard(scoreboard(files)));
  return 0;
}
