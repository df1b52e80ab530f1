import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as cdk8s from "cdk8s";
import { afterEach, describe, expect, test } from "vitest";
import { withTemporaryFolder } from "./node/temporary-folder.ts";
import { Yaml } from "./yaml.ts";

const documents = [
  { doc: 1, data: { on: "off" } },
  null,
  "text",
  {},
  "",
  undefined,
  0,
  [],
  { doc: 2, none: undefined },
];

describe("writing", () => {
  test("is as in cdk8s", () => {
    const text = cdk8s.Yaml.stringify(...documents);
    expect(Yaml.stringify(...documents)).toBe(text);
    expect(Yaml.formatObjects(documents)).toBe(text);
    expect(Yaml.stringify()).toBe("");
    withTemporaryFolder("slipway-yaml-", (folder) => {
      writeFileSync(`${folder}/a.yaml`, "x".repeat(10_000));
      Yaml.save(`${folder}/a.yaml`, documents);
      expect(readFileSync(`${folder}/a.yaml`, "utf8")).toBe(text);
      Yaml.save(`${folder}/none.yaml`, []);
      expect(readFileSync(`${folder}/none.yaml`, "utf8")).toBe("");
      expect(() => Yaml.save(`${folder}/no/such/a.yaml`, [])).toThrow("ENOENT");
    });
  });

  test("characters of several bytes survive where pieces meet", () => {
    withTemporaryFolder("slipway-yaml-", (folder) => {
      const many = Array.from({ length: 500 }, (_, index) => ({ index, text: "日é😀".repeat(100) }));
      Yaml.save(`${folder}/a.yaml`, many);
      expect(readFileSync(`${folder}/a.yaml`, "utf8")).toBe(cdk8s.Yaml.stringify(...many));
    });
  });

  test("any number of documents, where cdk8s runs out of stack", { timeout: 60_000 }, () => {
    const many = Array.from({ length: 130_000 }, (_, index) => ({ index }));
    expect(() => cdk8s.Yaml.formatObjects(many)).toThrow(RangeError);
    expect(Yaml.formatObjects(many).split("---\n")).toHaveLength(130_000);
  });

  test("a document that cannot be written leaves the file as it is", () => {
    withTemporaryFolder("slipway-yaml-", (folder) => {
      writeFileSync(`${folder}/a.yaml`, "before");
      expect(() => Yaml.save(`${folder}/a.yaml`, [{ a: 1 }, { a: { b: () => 1 } }])).toThrow("a.b: a function");
      expect(readFileSync(`${folder}/a.yaml`, "utf8")).toBe("before");
    });
  });
});

describe("a temporary file", () => {
  const temporary = process.env.TMPDIR;
  afterEach(() => {
    if (temporary === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = temporary;
  });

  test("is where cdk8s puts it, and stays", () => {
    withTemporaryFolder("slipway-yaml-", (folder) => {
      process.env.TMPDIR = folder;
      const path = Yaml.tmp(documents);
      expect(path.slice(tmpdir().length)).toMatch(/^\/cdk8s-\w{6}\/temp\.yaml$/);
      expect(readFileSync(path, "utf8")).toBe(cdk8s.Yaml.stringify(...documents));
      expect(Yaml.load(path)).toEqual([{ doc: 1, data: { on: "off" } }, "text", "", 0, { doc: 2, none: null }]);
    });
  });

  test("is not made for what cannot be written", () => {
    withTemporaryFolder("slipway-yaml-", (folder) => {
      process.env.TMPDIR = folder;
      expect(() => Yaml.tmp([() => 1])).toThrow("a function");
      expect(readdirSync(folder)).toEqual([]);
    });
  });
});

test("a file is loaded, and its errors name it", () => {
  withTemporaryFolder("slipway-yaml-", (folder) => {
    const path = join(folder, "a.yaml");
    writeFileSync(path, "foo: 0755\n---\n");
    expect(existsSync(dirname(path))).toBe(true);
    expect(Yaml.load(path)).toEqual([{ foo: 493 }]);
    writeFileSync(path, "a: 'b\n");
    expect(() => Yaml.load(path)).toThrow(`${path}:1:4: this quote is not closed.`);
    expect(Yaml.load(path, { lenient: true })).toEqual([{ a: "b" }]);
  });
});
