import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "./output.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";

test("what a killed process has left is removed an hour later, and what another is writing stays", () => {
  withTemporaryFolder("slipway-output-", (folder) => {
    for (const name of [".synth-old", ".synth-new", ".other"]) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "0"), "x");
    }
    for (const name of [".synth-old", ".other"]) utimesSync(join(folder, name), new Date(0), new Date(0));
    writeFiles(folder, [{ name: "a.yaml", chunks: ["a: 1\n"] }], { subfolders: [], beforePlacing: () => {} });
    expect(readdirSync(folder).sort()).toEqual([".other", ".synth-new", "a.yaml"]);
  });
});
