import { expect, test } from "vitest";
import { readManifests } from "./yaml.ts";

const names = (text: string): unknown[] =>
  readManifests(text, { source: "f.yaml" }).map(({ object, line }) => [object.metadata, line]);

test("documents in their order, and what is in Lists", () => {
  const text = [
    "apiVersion: v1",
    "kind: List",
    "items:",
    "- { apiVersion: v1, kind: ConfigMap, metadata: { name: a } }",
    "- { apiVersion: v1, kind: List, items: null }",
    "- { apiVersion: v1, kind: List, items: [{ apiVersion: v1, kind: Secret, metadata: { name: b } }] }",
    "---",
    "# nothing",
    "---",
    '{ "apiVersion": "example.com/v1", "kind": "WishList", "metadata": { "name": "c" } }',
  ].join("\n");
  expect(names(text)).toEqual([
    [{ name: "a" }, 1],
    [{ name: "b" }, 1],
    [{ name: "c" }, 10],
  ]);
});

const head = "apiVersion: v1\nkind: ConfigMap\n";

test.for([
  { text: `${head}metadata:\n  name: y\n`, problem: "4:9: metadata.name is a boolean. Quote it." },
  { text: `---\n${head}metadata: {name: 0777}`, problem: "4:18: metadata.name is a number. Quote it." },
  { text: `\ufeff${head}metadata:\n  namespace: 1e3\n`, problem: "4:14: metadata.namespace is a number. Quote it." },
  {
    text: `${head}metadata:\n  labels:\n    a: b\n    c/d: yes\n`,
    problem: "6:10: metadata.labels.c/d is a boolean. Quote it.",
  },
  {
    text: `${head}metadata:\n  annotations: {a: [1]}\n`,
    problem: "4:20: metadata.annotations.a is a list. It has to be text.",
  },
  {
    text: `${head}metadata: {name: a}\n---\nkind: Secret\napiVersion: 1\n`,
    problem: "6:13: apiVersion is a number. Quote it.",
  },
  { text: "kind: A\n", problem: "1:1: apiVersion is missing. Every object has one." },
  { text: "- a\n", problem: "1:1: a list stands where an object is expected." },
  { text: "# c\nhello\n", problem: "2:1: a text stands where an object is expected." },
  {
    text: '{"kind":"List","apiVersion":"v1","items":[{"apiVersion":"v1","kind":"A","metadata":{"name":18446744073709551616}}]}',
    problem: "1:92: metadata.name is a number. Quote it.",
  },
  {
    text: `x: &x {name: 1}\n${head}metadata: *x\n`,
    problem: "4:11: metadata.name is a number. Quote it.",
  },
])("$problem", ({ text, problem }) => {
  expect(() => names(text)).toThrow(`f.yaml:${problem}`);
});

test("all of a file at once", () => {
  const text = `${head}metadata: {name: 1}\n---\n${head}metadata: {name: no}\n`;
  expect(() => names(text)).toThrow(
    "f.yaml:3:18: metadata.name is a number. Quote it.\nf.yaml:7:18: metadata.name is a boolean. Quote it.",
  );
});

test("null is as good as absent, and other fields are not looked at", () => {
  expect(names(`${head}metadata: {name: null, labels: {a: null}}\ndata: {a: 1}\n`)).toHaveLength(1);
});

test("documents without anything in them are refused as kubectl does it, or skipped when asked", () => {
  const text = `{}\n---\n[]\n---\n${head}metadata: {name: a}\n`;
  expect(() => names(text)).toThrow("f.yaml:1:1: apiVersion is missing. Every object has one.");
  expect(readManifests(text, { source: "f.yaml", skipEmpty: true }).map(({ line }) => line)).toEqual([5]);
});
