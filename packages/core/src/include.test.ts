import { writeFileSync } from "node:fs";
import * as cdk8s from "cdk8s";
import { beforeEach, describe, expect, test } from "vitest";
import { App } from "./app.ts";
import { Chart, type ChartProps } from "./chart.ts";
import { Include } from "./include.ts";
import { withTemporaryFolder } from "./node/temporary-folder.ts";

interface Outcome {
  readonly ids: readonly string[];
  readonly yaml: string;
}

/** What both libraries make of one file. */
function includeBoth(text: string, props?: ChartProps): { ours: Outcome; theirs: Outcome } {
  return withTemporaryFolder("slipway-include-", (folder) => {
    const url = `${folder}/f.yaml`;
    writeFileSync(url, text);
    return { ours: include(url, props), theirs: includeTheirs(url, props) };
  });
}

function include(url: string, props?: ChartProps): Outcome {
  const app = new App({ checks: { INVALID_NAME: "ignore" } });
  const included = new Include(new Chart(app, "c", props), "inc", { url });
  expect(included.apiObjects).toEqual(included.node.children);
  return { ids: included.node.children.map(({ node }) => node.id), yaml: app.synthYaml() };
}

function includeTheirs(url: string, props?: ChartProps): Outcome {
  const app = new cdk8s.App();
  const included = new cdk8s.Include(new cdk8s.Chart(app, "c", props), "inc", { url });
  return { ids: included.node.children.map(({ node }) => node.id), yaml: app.synthYaml() };
}

/** What an `Include` says about a text, without the folder of the file. */
function refusal(text: string, by: (url: string) => unknown = include): string {
  return withTemporaryFolder("slipway-include-", (folder) => {
    writeFileSync(`${folder}/f.yaml`, text);
    try {
      by(`${folder}/f.yaml`);
    } catch (error) {
      return (error as Error).message.replaceAll(`${folder}/`, "");
    }
    return "included";
  });
}

const configMap = "apiVersion: v1\nkind: ConfigMap\n";

describe("as in cdk8s:", () => {
  test("ids, names, namespaces and labels", () => {
    const text = [
      `${configMap}metadata: {name: a, namespace: ns, creationTimestamp: null}\ndata: {k: v}`,
      `${configMap}metadata: {name: a}`,
      "{}",
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, labels: {}, annotations: null}\nspec: {replicas: 0}",
      `${configMap}data: {k: "1"}`,
      "# nothing",
      `${configMap}metadata: {generateName: g-, namespace: other}`,
      `${configMap}metadata: {name: ""}`,
      "[]",
      `${configMap}metadata: null`,
    ].join("\n---\n");
    const { ours, theirs } = includeBoth(text, { namespace: "chart-ns", labels: { app: "x" } });
    expect(ours).toEqual(theirs);
    expect(ours.ids).toEqual([
      "a-configmap-ns",
      "a-configmap",
      "a-deployment",
      "object0-configmap",
      "object1-configmap-other",
      "configmap",
      "object2-configmap",
    ]);
  });

  test("old octal, JSON, CRLF and a byte order mark", () => {
    const json = '{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "eQ=="}}';
    const { ours, theirs } = includeBoth(
      `\ufeffapiVersion: v1\r\nkind: Pod\r\nmetadata:\r\n  name: p\r\nspec:\r\n  mode: 0777\r\n---\r\n${json}\r\n`,
    );
    expect(ours).toEqual(theirs);
    expect(ours.yaml).toContain("mode: 511\n");
  });

  test("A-17 merges, single, listed and repeated", () => {
    const { ours, theirs } = includeBoth(
      `${configMap}x: &x {p: "1", q: "1"}\nz: &z {q: "2"}\na: {<<: [*x, *z]}\nb: {<<: *z, <<: {r: "3"}}\n`,
    );
    expect(ours).toEqual(theirs);
    expect(ours.yaml).toContain('a:\n  p: "1"\n  q: "1"\nb:\n  q: "2"\n  r: "3"\n');
  });

  test("two objects of one name, kind and namespace", () => {
    const text = `${configMap}metadata: {name: a}\n---\napiVersion: v2\nkind: ConfigMap\nmetadata: {name: a}\n`;
    const message = "There is already a Construct with name 'a-configmap' in Include [inc]";
    expect(() => includeBoth(text)).toThrow(message);
    withTemporaryFolder("slipway-include-", (folder) => {
      writeFileSync(`${folder}/f.yaml`, text);
      expect(() => includeTheirs(`${folder}/f.yaml`)).toThrow(message);
    });
  });

  test("a chart is needed above", () => {
    withTemporaryFolder("slipway-include-", (folder) => {
      writeFileSync(`${folder}/f.yaml`, configMap);
      const url = `${folder}/f.yaml`;
      const message = "cannot find a parent chart (directly or indirectly)";
      expect(() => new Include(new App(), "inc", { url })).toThrow(message);
      expect(() => new cdk8s.Include(new cdk8s.App(), "inc", { url })).toThrow(message);
    });
  });
});

describe("otherwise than in cdk8s, as kubectl reads it:", () => {
  const spec = (text: string): string => `${configMap}metadata: {name: a}\nspec: ${text}\n`;

  test.for([
    {
      rule: "A-07 times of day are text",
      text: spec("{window: 10:00, at: 12:30:45}"),
      has: 'at: "12:30:45"\n  window: "10:00"',
    },
    { rule: "A-09 integers keep their digits", text: spec("{id: 9007199254740993}"), has: "id: 9007199254740993" },
    { rule: "A-11 1e400 is text", text: spec("{v: 1e400}"), has: 'v: "1e400"' },
    { rule: "times are text as they stand", text: spec("{at: 2001-12-14}"), has: 'at: "2001-12-14"' },
    {
      rule: "A-17 what a second << merges wins",
      text: `${configMap}metadata: {name: a}\nx: &x {p: "1"}\nz: &z {p: "2"}\ndata: {<<: *x, <<: *z}\n`,
      has: 'data:\n  p: "2"\n',
    },
    {
      rule: "A-21 Lists are opened",
      text: `apiVersion: v1\nkind: List\nitems:\n- ${JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } })}\n- {apiVersion: v1, kind: List, items: null}\n`,
      has: "kind: ConfigMap\nmetadata:\n  name: a\n",
    },
  ])("$rule", ({ text, has }) => {
    const { ours, theirs } = includeBoth(text);
    expect(ours.yaml).toContain(has);
    expect(theirs.yaml).not.toContain(has);
  });

  test("a custom kind that ends in List and has no items is one object", () => {
    const { ours, theirs } = includeBoth("apiVersion: example.com/v1\nkind: WishList\nmetadata: {name: w}\n");
    expect(ours).toEqual(theirs);
  });
});

describe("refused with its place, where cdk8s takes it in part, otherwise or not at all:", () => {
  test.for([
    {
      rule: "A-15 broken quoting",
      text: `${configMap}metadata: {name: a}\ndata:\n  s: "a\nb"\n`,
      message: "f.yaml:5:6: this quote is not closed.",
      theirs: "included",
    },
    {
      rule: "A-23 a name that is no text",
      text: `${configMap}metadata:\n  name: y\n`,
      message: "f.yaml:4:9: metadata.name is a boolean. Quote it.",
      theirs: "included",
    },
    {
      rule: "a label that is no text",
      text: `${configMap}metadata: {name: a, labels: {v: 1.0}}\n`,
      message: "f.yaml:3:33: metadata.labels.v is a number. Quote it.",
      theirs: "included",
    },
    {
      rule: "a kind that is missing",
      text: "apiVersion: v1\n",
      message: "f.yaml:1:1: kind is missing.",
      theirs: "included",
    },
    {
      rule: "text",
      text: "hello\n",
      message: "f.yaml:1:1: a text stands where an object is expected.",
      theirs: "reading 'split'",
    },
    {
      rule: "A-19 an alias that contains itself",
      text: `${configMap}data: &d {self: *d}\n`,
      message: "f.yaml:3:17: the anchor &d contains itself.",
      theirs: "Maximum call stack size exceeded",
    },
    {
      rule: "a key that stands twice",
      text: `${configMap}data: {a: "1", a: "2"}\n`,
      message: 'f.yaml:3:16: the key "a" stands twice in one mapping, first in line 3. Remove one of them.',
      theirs: "included",
    },
  ])("$rule", ({ text, message, theirs }) => {
    expect(refusal(text)).toContain(message);
    expect(refusal(text, includeTheirs)).toContain(theirs);
  });

  test("a file that is not there, and a folder", () => {
    expect(() => include("no/such.yaml")).toThrow("unable to determine protocol from url: no/such.yaml");
    withTemporaryFolder("slipway-include-", (folder) => {
      expect(() => include(folder)).toThrow("this is a folder");
    });
  });
});

describe("equal keys", () => {
  const text = `${configMap}metadata: {name: a}\ndata: {k: "1", k: "2"}\n`;
  let yaml: string | undefined;

  beforeEach(() => {
    yaml = undefined;
  });

  test("the error says how to have the last of them", () => {
    expect(refusal(text)).toMatch(/\nallowDuplicateKeys: true takes the last of equal keys, as kubectl does\.$/);
    expect(refusal("a: 'b")).not.toContain("allowDuplicateKeys");
  });

  test("and then it is what cdk8s gives", () => {
    withTemporaryFolder("slipway-include-", (folder) => {
      const url = `${folder}/f.yaml`;
      writeFileSync(url, text);
      const app = new App();
      new Include(new Chart(app, "c"), "inc", { url, allowDuplicateKeys: true });
      yaml = app.synthYaml();
      expect(yaml).toBe(includeTheirs(url).yaml);
    });
    expect(yaml).toContain('k: "2"');
  });
});
