import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Chart, Helm, type HelmProps } from "@slipway/core";
import * as cdk8s from "cdk8s";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensurePrograms, runProgram } from "../../testbed/src/index.ts";

let folder: string;
let helmExecutable: string;

beforeAll(async () => {
  ({ helm: helmExecutable } = await ensurePrograms(["helm"]));
  folder = await mkdtemp(join(tmpdir(), "slipway-charts-"));
  await runProgram(helmExecutable, ["create", `${folder}/sample`]);
  await mkdir(`${folder}/sample/crds`);
  await writeFile(
    `${folder}/sample/crds/a.yaml`,
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.example.com}\n",
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function include(props: Partial<HelmProps>): { readonly helm: Helm; readonly yaml: string } {
  const app = new App({ checks: { CHART_HOOK: "ignore" } });
  const helm = new Helm(new Chart(app, "c"), "h", { chart: `${folder}/sample`, helmExecutable, ...props });
  return { helm, yaml: app.synthYaml() };
}

test.for<{ what: string; props: Partial<HelmProps> }>([
  { what: "as it is", props: {} },
  {
    what: "with values",
    props: { namespace: "n", values: { replicaCount: 3, ingress: { enabled: true }, autoscaling: { enabled: true } } },
  },
])("the chart that helm makes, $what, is what cdk8s makes of it", ({ props }) => {
  const { yaml } = include(props);
  const app = new cdk8s.App();
  const theirProps = { chart: `${folder}/sample`, helmExecutable, ...props } as cdk8s.HelmProps;
  new cdk8s.Helm(new cdk8s.Chart(app, "c"), "h", theirProps);
  expect(yaml).toBe(app.synthYaml());
  expect(yaml).toContain("kind: Deployment\n");
});

test("A-33 its test is told from its objects, and left out on demand", () => {
  const names = (helm: Helm): string[] => helm.hooks.map(({ kind }) => kind);
  expect(names(include({}).helm)).toEqual(["Pod"]);
  expect(names(include({ helmFlags: ["--skip-tests"] }).helm)).toEqual([]);
});

test("its crds folder is rendered on demand", () => {
  const kinds = (helm: Helm): string[] => helm.apiObjects.map(({ kind }) => kind);
  expect(kinds(include({}).helm)).not.toContain("CustomResourceDefinition");
  expect(kinds(include({ helmFlags: ["--include-crds"] }).helm)).toContain("CustomResourceDefinition");
});

test("what helm says is the error", () => {
  expect(() => include({ helmFlags: ["--no-such-flag"] })).toThrow("unknown flag: --no-such-flag");
  expect(() => include({ chart: `${folder}/none` })).toThrow(/not found/);
});
