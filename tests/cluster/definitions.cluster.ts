import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { allDefinitions, type RealCluster, startRealCluster } from "../../testbed/src/index.ts";

let cluster: RealCluster;
beforeAll(async () => {
  cluster = await startRealCluster();
});
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

interface Condition {
  readonly type: string;
  readonly status: string;
}

async function definitionNames(path: string): Promise<string[]> {
  const documents = parseAllDocuments(await readFile(path, "utf8")).map((document) => document.toJS());
  return documents
    .filter((object) => object?.kind === "CustomResourceDefinition")
    .map((object) => object.metadata.name as string);
}

const paths = await allDefinitions();

describe("the real server accepts", () => {
  test.for(paths.map((path) => ({ name: basename(path), path })))("$name", async ({ path }) => {
    await cluster.run(["create", "-f", path]);
    for (const name of await definitionNames(path)) {
      await cluster.run(["wait", "--for=condition=Established", "--timeout=30s", `crd/${name}`]);
      const { status } = JSON.parse(await cluster.run(["get", "crd", name, "-o", "json"]));
      const states = status.conditions.map(({ type, status }: Condition) => `${type}=${status}`);
      expect(states).toEqual(expect.arrayContaining(["Established=True", "NamesAccepted=True"]));
      expect(states).not.toContain("NonStructuralSchema=True");
    }
  });
});

test("there were definitions of applications, of Flux and of public projects, and kubectl knows their kinds", async () => {
  expect(paths.length).toBeGreaterThan(20);
  const kinds = (await cluster.run(["api-resources", "--no-headers", "-o", "name"])).split("\n");
  expect(kinds).toEqual(
    expect.arrayContaining([
      "applicationdefinitions.cozystack.io",
      "certificates.cert-manager.io",
      "helmreleases.helm.toolkit.fluxcd.io",
      "helmrepositories.source.toolkit.fluxcd.io",
      "httproutes.gateway.networking.k8s.io",
      "prometheuses.monitoring.coreos.com",
    ]),
  );
});
