import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { App } from "../app.ts";
import { Chart } from "../chart.ts";
import { Include } from "../include.ts";
import { Yaml } from "../yaml.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";

const isLoaded = (): boolean =>
  Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("/node_modules/yaml/dist/"));

test("the library is loaded when something needs it, and not before", () => {
  const app = new App();
  const chart = new Chart(app, "c");
  withTemporaryFolder("slipway-library-", (folder) => {
    writeFileSync(`${folder}/a.yaml`, Yaml.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }));
    new Include(chart, "a", { url: `${folder}/a.yaml` });
  });
  expect(app.synthYaml()).toBe("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n");
  expect(isLoaded()).toBe(false);
  expect(Yaml.stringify({ at: new Date(0) })).toBe("at: 1970-01-01\n");
  expect(isLoaded()).toBe(true);
});
