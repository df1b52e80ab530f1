import { readFileSync } from "node:fs";
import { ApiObject, App, Chart } from "@slipway/core";
import { describe, expect, test } from "vitest";

const configMap = { apiVersion: "v1", kind: "ConfigMap" };

describe("an App that traces", () => {
  test("remembers the line that made each object", () => {
    const app = new App({ trace: true });
    const chart = new Chart(app, "c");
    new ApiObject(chart, "o", configMap);
    const [compiled] = app.compile();
    expect(compiled?.location).toEqual({ file: import.meta.filename, line: expect.any(Number) });
    const line = readFileSync(import.meta.filename, "utf8").split("\n")[(compiled?.location?.line ?? 0) - 1];
    expect(line).toContain('new ApiObject(chart, "o", configMap);');
  });

  test("names it in its errors", () => {
    const app = new App({ trace: true });
    for (const id of ["a", "b"]) new ApiObject(new Chart(app, id), "o", { ...configMap, metadata: { name: "x" } });
    expect(() => app.synthYaml()).toThrow(
      /a\/o by ApiObject, \S*trace\.test\.ts:\d+ and b\/o by ApiObject, \S*trace\.test\.ts:\d+/,
    );
  });

  test("any other does not look", () => {
    const app = new App();
    new ApiObject(new Chart(app, "c"), "o", configMap);
    expect(app.compile()[0]).not.toHaveProperty("location");
  });
});
