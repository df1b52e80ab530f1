import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import * as library from "yaml";
import { createYamlReader } from "./yaml-reader.ts";

const source = "f.yaml";
const simple = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n---\napiVersion: v1\nkind: Secret\n";

test("the library is asked for when a text is not simple, and not before", () => {
  let asked = 0;
  const reader = createYamlReader(() => {
    asked += 1;
    return library;
  });
  expect(reader.readManifests(simple, { source })).toHaveLength(2);
  expect(reader.readYaml('{"a": 1}', { source })).toEqual({ a: 1 });
  expect(asked).toBe(0);
  expect(reader.readYaml("a: &x 1\nb: *x\n", { source })).toEqual({ a: 1, b: 1 });
  expect(asked).toBe(1);
});

test("the reader itself imports no library, only its types", () => {
  const loaded = new Set<string>();
  const visit = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    const imports = readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)";/gm);
    for (const [, name = ""] of imports) {
      if (name.startsWith(".")) visit(resolve(file, "..", name));
      else loaded.add(name);
    }
  };
  visit(resolve(import.meta.dirname, "yaml-reader.ts"));
  const names = [...loaded].map((path) => path.split("/").at(-1));
  expect(names).toContain("yaml-simple.ts");
  expect(names).not.toContain("yaml");
});

describe("errors of another dialect", () => {
  const reader = createYamlReader(() => library);
  const refuse = (text: string): void => {
    const documents = library.parseAllDocuments(text, { version: "1.1", prettyErrors: false });
    reader.refuseSyntaxErrors([...documents] as library.Document.Parsed[], text, { source });
  };

  test("a sound text has none", () => {
    expect(() => refuse("a: 12:30\n---\nb: !unknown y\n")).not.toThrow();
  });

  test.for([
    {
      text: 'kind: A\ns: "a\nb: c\n',
      error: "f.yaml:2:4: this quote is not closed. Close it, and indent all its lines.",
    },
    { text: "a: 1\na: 2\n", error: "f.yaml:2:1: map keys must be unique. Remove one of them." },
    { text: "a: [1,2\nb: 3\n", error: "f.yaml:2:1: " },
  ])("$error", ({ text, error }) => {
    expect(() => refuse(text)).toThrow(expect.objectContaining({ code: "INVALID_YAML" }));
    expect(() => refuse(text)).toThrow(error);
  });

  test("the text is shown, but for that of a Secret, each document by itself", () => {
    const broken = 'data: {a: "hush" "hush"}\n';
    expect(() => refuse(`kind: ConfigMap\n${broken}`)).toThrow(/\n {2}2 \| data: \{a: "hush" "hush"\}\n/);
    for (const text of [`kind: Secret\n${broken}`, `kind: ConfigMap\n---\nkind: Secret\n${broken}`]) {
      expect(() => refuse(text)).toThrow(/not shown, since it may be part of a Secret/);
      expect(() => refuse(text)).not.toThrow(/hush/);
    }
  });
});
