import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LIST_FILE, planFolder, writeFolder } from "./output-folder.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "slipway-output-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const filesOf = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([name, text]) => ({ name, text }));

function write(texts: Readonly<Record<string, string>>): void {
  const files = filesOf(texts);
  writeFolder(folder, planFolder(folder, files), { files, folders: [] });
}

const listed = (): string[] => readFileSync(join(folder, LIST_FILE), "utf8").split("\n").slice(1, -1);

test("what cannot be put in its place leaves every file whole, and the next run finishes the work", () => {
  write({ "a.yaml": "old a", "c.yaml": "old c", "gone.yaml": "old" });
  const files = filesOf({ "a.yaml": "new a", "b.yaml": "new b", "c.yaml": "new c" });
  const plan = planFolder(folder, files);
  mkdirSync(join(folder, "b.yaml/in-the-way"), { recursive: true });
  expect(() => writeFolder(folder, plan, { files, folders: [] })).toThrow(/b\.yaml: cannot be written\./);
  expect(readFileSync(join(folder, "a.yaml"), "utf8")).toBe("new a");
  expect(readFileSync(join(folder, "c.yaml"), "utf8")).toBe("old c");
  expect(listed()).toEqual(["a.yaml", "b.yaml", "c.yaml", "gone.yaml"]);
  expect(readdirSync(folder)).toEqual([LIST_FILE, "a.yaml", "b.yaml", "c.yaml", "gone.yaml"]);
  rmSync(join(folder, "b.yaml"), { recursive: true });
  write({ "a.yaml": "new a", "b.yaml": "new b", "c.yaml": "new c" });
  expect(readdirSync(folder)).toEqual([LIST_FILE, "a.yaml", "b.yaml", "c.yaml"]);
  expect(listed()).toEqual(["a.yaml", "b.yaml", "c.yaml"]);
});

test("what a killed run left behind is cleared away, what a running one has is not", () => {
  const [dead, alive] = [join(folder, ".slipway-synth-draft-dead"), join(folder, ".slipway-synth-draft-alive")];
  for (const draft of [dead, alive]) {
    mkdirSync(draft);
    writeFileSync(join(draft, "0"), "half");
  }
  utimesSync(dead, 0, 0);
  write({ "a.yaml": "a" });
  expect(readdirSync(folder)).toEqual([LIST_FILE, ".slipway-synth-draft-alive", "a.yaml"]);
});

test("a plan names what differs, in the order of names", () => {
  write({ "b.yaml": "b", "c.yaml": "c", "d.yaml": "d" });
  rmSync(join(folder, "d.yaml"));
  expect(planFolder(folder, filesOf({ "c.yaml": "other", "a.yaml": "a", "d.yaml": "d" }))).toEqual({
    changes: [
      { action: "create", name: "a.yaml", before: undefined, after: "a" },
      { action: "remove", name: "b.yaml", before: "b", after: undefined },
      { action: "update", name: "c.yaml", before: "c", after: "other" },
      { action: "create", name: "d.yaml", before: undefined, after: "d" },
    ],
    unchanged: 0,
  });
});

test("a folder that is not there has nothing", () => {
  expect(planFolder(join(folder, "none"), filesOf({ "a.yaml": "a" })).changes).toHaveLength(1);
});
