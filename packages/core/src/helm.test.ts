import type { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cdk8s from "cdk8s";
import { _child_process as theirChildProcess } from "cdk8s/lib/_child_process.js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { App } from "./app.ts";
import { Chart } from "./chart.ts";
import { Helm, type HelmProps } from "./helm.ts";
import { _child_process } from "./node/child-process.ts";

let folder = "";
const temporary = process.env.TMPDIR;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "slipway-helm-test-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Temporary files go where they can be counted. */
beforeEach(() => {
  process.env.TMPDIR = mkdtempSync(join(folder, "tmp-"));
});
afterEach(() => {
  if (temporary === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = temporary;
});

/** A program in place of helm. */
function program(script: string): string {
  const path = join(mkdtempSync(join(folder, "bin-")), "helm");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

function render(props: Partial<HelmProps>, id = "sample"): { helm: Helm; chart: Chart } {
  const chart = new Chart(new App({ checks: { CHART_HOOK: "ignore" } }), "test");
  return { helm: new Helm(chart, id, { chart: "./sample", ...props }), chart };
}

function renderTheirs(props: Partial<HelmProps>, id = "sample"): cdk8s.Chart {
  const chart = new cdk8s.Chart(new cdk8s.App(), "test");
  new cdk8s.Helm(chart, id, { chart: "./sample", ...(props as Partial<cdk8s.HelmProps>) });
  return chart;
}

const leftovers = (): string[] => readdirSync(tmpdir());

const manifests = `
echo '# Source: sample/templates/a.yaml'
echo 'apiVersion: v1'
echo 'kind: ConfigMap'
echo 'metadata: {name: a, labels: {at: "12:30"}}'
echo 'data: {window: 10:00}'
`;

describe("the command line is that of cdk8s, and looked up at the call:", () => {
  const { spawnSync: ours } = _child_process;
  const { spawnSync: theirs } = theirChildProcess;
  afterEach(() => {
    _child_process.spawnSync = ours;
    theirChildProcess.spawnSync = theirs;
  });

  /** The call that `make` makes, with the folder of the values left out of it. */
  function recordCall(calls: unknown[][], make: () => unknown): unknown[] {
    make();
    expect(calls).toHaveLength(1);
    return JSON.parse(JSON.stringify(calls[0]).replace(/"[^"]*\/cdk8s-helm-\w{6}\//g, '"TMP/'));
  }

  function record(seam: { spawnSync: typeof spawnSync }): unknown[][] {
    const calls: unknown[][] = [];
    const result = { status: 0, stdout: Buffer.from(""), stderr: Buffer.from(""), pid: 1, output: [], signal: null };
    seam.spawnSync = ((...call: unknown[]) => {
      const [, args] = call as [string, string[]];
      const values = args.indexOf("-f") + 1;
      calls.push(values === 0 ? call : [...call, readFileSync(args[values] as string, "utf8")]);
      return result;
    }) as unknown as typeof spawnSync;
    return calls;
  }

  test.for<{ props: Partial<HelmProps>; call: unknown[] }>([
    { props: {}, call: ["helm", ["template", "test-sample-c8e2763d", "./sample"]] },
    {
      props: { repo: "r", version: "v", namespace: "n", helmFlags: ["--no-hooks", "--x", "y z"] },
      call: [
        "helm",
        "template --repo r --version v --namespace n --no-hooks --x"
          .split(" ")
          .concat("y z", "test-sample-c8e2763d", "./sample"),
      ],
    },
    {
      props: { values: { a: undefined, on: "off", b: [1] }, releaseName: "mine", helmExecutable: "/bin/helm3" },
      call: [
        "/bin/helm3",
        ["template", "-f", "TMP/overrides.yaml", "mine", "./sample"],
        'a: null\n"on": "off"\nb:\n  - 1\n',
      ],
    },
    { props: { values: {}, repo: "", releaseName: "" }, call: ["helm", ["template", "", "./sample"]] },
  ])("$call", ({ props, call: [name, args, ...values] }) => {
    const call = [name, args, { maxBuffer: 10485760 }, ...values];
    const calls = record(_child_process);
    expect(recordCall(calls, () => render(props))).toEqual(call);
    const theirCalls = record(theirChildProcess);
    expect(recordCall(theirCalls, () => renderTheirs(props))).toEqual(call);
  });

  test("the name of a release has at most 53 characters", () => {
    record(_child_process);
    record(theirChildProcess);
    const chart = new Chart(new App(), "c".repeat(40));
    const { releaseName } = new Helm(chart, "i".repeat(40), { chart: "x" });
    expect(releaseName).toBe(`ccc-${"i".repeat(40)}-c8e3ec53`);
    const theirChart = new cdk8s.Chart(new cdk8s.App(), "c".repeat(40));
    expect(new cdk8s.Helm(theirChart, "i".repeat(40), { chart: "x" }).releaseName).toBe(releaseName);
  });
});

test("what it prints is included, read as kubectl reads it, and leaves no file behind", () => {
  const helmExecutable = program(`${manifests}cat "$3" >&2`);
  const { helm, chart } = render({ helmExecutable, values: { a: 1 } });
  expect(helm.releaseName).toBe("test-sample-c8e2763d");
  expect(helm.apiObjects.map(({ node }) => node.id)).toEqual(["a-configmap"]);
  expect(chart.toJson()).toEqual([
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", labels: { at: "12:30" } },
      data: { window: "10:00" },
    },
  ]);
  expect(leftovers()).toEqual([]);
  expect(renderTheirs({ helmExecutable, values: { a: 1 } }).toJson()[0].data).toEqual({ window: 600 });
  expect(leftovers()).not.toEqual([]);
});

test("values reach helm in a file that is there while it runs", () => {
  const helmExecutable = program(
    `printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: a}\\ndata:\\n  values: |\\n'; sed 's/^/    /' "$3"`,
  );
  const { chart } = render({ helmExecutable, values: { image: { tag: "1e3" } } });
  expect(chart.toJson()[0].data).toEqual({ values: 'image:\n  tag: "1e3"\n' });
});

describe("errors in the words of cdk8s, and no file left behind:", () => {
  const values = { a: 1 };
  test.for([
    {
      rule: "there is no such program",
      helmExecutable: () => "no-such-helm",
      message: "unable to execute 'no-such-helm' to render Helm chart. Is it installed on your system?",
    },
    {
      rule: "it fails",
      helmExecutable: () => program("echo 'Error: unknown flag: --x' >&2; exit 1"),
      message: "Error: unknown flag: --x\n",
    },
  ])("$rule", ({ helmExecutable, message }) => {
    const props = { helmExecutable: helmExecutable(), values };
    expect(() => renderTheirs(props)).toThrow(expect.objectContaining({ message }));
    rmSync(tmpdir(), { recursive: true });
    process.env.TMPDIR = mkdtempSync(join(folder, "tmp-"));
    expect(() => render(props)).toThrow(expect.objectContaining({ code: "READ_FAILED", message }));
    expect(leftovers()).toEqual([]);
  });

  test("it must not be run", () => {
    const helmExecutable = program("");
    chmodSync(helmExecutable, 0o644);
    const message = /^error while rendering a helm chart: spawnSync .* EACCES$/;
    expect(() => renderTheirs({ helmExecutable })).toThrow(message);
    expect(() => render({ helmExecutable })).toThrow(message);
  });

  test("it is killed, or fails without a word: cdk8s has an empty message", () => {
    for (const [script, end] of [
      ["kill -9 $$", "was ended by SIGKILL"],
      ["exit 3", "ended with 3"],
    ] as const) {
      const helmExecutable = program(script);
      expect(() => renderTheirs({ helmExecutable })).toThrow(expect.objectContaining({ message: "" }));
      expect(() => render({ helmExecutable })).toThrow(`error while rendering a helm chart: ${helmExecutable} ${end}`);
    }
  });

  test("values that cannot be written", () => {
    expect(() => render({ values: { a: [() => 1] } })).toThrow("a[0]: a function cannot be written as YAML.");
    expect(leftovers()).toEqual([]);
  });

  test("what it prints is no YAML", () => {
    const helmExecutable = program(`echo 'kind: ConfigMap'; echo 'a: "b'`);
    expect(() => render({ helmExecutable, chart: "./web" })).toThrow(
      "./web (rendered by helm):2:4: this quote is not closed.",
    );
    const twice = program(`${manifests}echo 'data: {}'`);
    expect(() => render({ helmExecutable: twice })).toThrow("allowDuplicateKeys: true takes the last of equal keys");
    expect(render({ helmExecutable: twice, allowDuplicateKeys: true }).chart.toJson()[0].data).toEqual({});
    const latin = program(`printf 'a: \\351\\n'`);
    expect(() => render({ helmExecutable: latin })).toThrow("./sample (rendered by helm): this is not UTF-8.");
  });
});

test("more than 10 MiB is asked for again, where cdk8s gives up", { timeout: 60_000 }, () => {
  const ran = join(folder, "ran");
  const helmExecutable = program(`echo x >> '${ran}'${manifests}head -c 11000000 /dev/zero | tr '\\0' '#'`);
  expect(() => renderTheirs({ helmExecutable })).toThrow("ENOBUFS");
  rmSync(ran);
  expect(render({ helmExecutable }).helm.apiObjects).toHaveLength(1);
  expect(readFileSync(ran, "utf8")).toBe("x\nx\n");
});

test("A-33 hooks and tests are among the objects, and told from them", () => {
  const helmExecutable = program(`${manifests}
echo '---'
echo '{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "wipe", "annotations": {"helm.sh/hook": "pre-delete"}}}'
echo '---'
echo '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "t", "annotations": {"helm.sh/hook": "test-success"}}}'
`);
  const { helm } = render({ helmExecutable });
  expect(helm.apiObjects.map(({ name }) => name)).toEqual(["a", "wipe", "t"]);
  expect(helm.hooks.map(({ name }) => name)).toEqual(["wipe", "t"]);
  helm.apiObjects[0]?.metadata.addAnnotation("helm.sh/hook", "post-install");
  expect(helm.hooks).toHaveLength(3);
});
