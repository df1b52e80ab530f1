import { Construct, type IConstruct } from "constructs";
import { describe, expect, test } from "vitest";
import { ApiObject, App, Chart } from "./index.ts";
import { impliedDependencies, orderConstructs } from "./order.ts";
import { findAll } from "./tree.ts";

/** Objects `o0`, `o1`, … in one chart `c`. */
function chain(count: number, needs: (index: number) => readonly number[]): { app: App; objects: ApiObject[] } {
  const app = new App();
  const chart = new Chart(app, "c");
  const objects = Array.from({ length: count }, (_, index) => {
    return new ApiObject(chart, `o${index}`, { apiVersion: "v1", kind: "ConfigMap" });
  });
  for (const [index, object] of objects.entries()) {
    for (const need of needs(index)) object.addDependency(objects[need] as ApiObject);
  }
  return { app, objects };
}

function orderOf(scope: IConstruct): string[] {
  return orderConstructs(impliedDependencies(findAll(scope))).map(({ node }) => node.path);
}

describe("a cycle is named in full, as cdk8s names it where it has no side branches:", () => {
  test.for<{ rule: string; needs: Record<number, readonly number[]>; cycle: string }>([
    { rule: "of two", needs: { 0: [1], 1: [0] }, cycle: "c/o0 => c/o1 => c/o0" },
    { rule: "of three", needs: { 0: [1], 1: [2], 2: [0] }, cycle: "c/o0 => c/o1 => c/o2 => c/o0" },
    { rule: "against the order of the tree", needs: { 0: [2], 1: [0], 2: [1] }, cycle: "c/o1 => c/o0 => c/o2 => c/o1" },
    { rule: "below what leads to it", needs: { 0: [1], 1: [2], 2: [3], 3: [2] }, cycle: "c/o2 => c/o3 => c/o2" },
    {
      rule: "with side branches, which are left out",
      needs: { 0: [3, 1], 1: [4, 2], 2: [0, 5] },
      cycle: "c/o0 => c/o1 => c/o2 => c/o0",
    },
    { rule: "of an object with itself", needs: { 1: [1] }, cycle: "c/o1 => c/o1" },
    { rule: "of an object with itself that another needs", needs: { 0: [1], 1: [1] }, cycle: "c/o1 => c/o1" },
  ])("$rule", ({ needs, cycle }) => {
    const { app } = chain(6, (index) => needs[index] ?? []);
    const refusal = { code: "DEPENDENCY_CYCLE", message: `Dependency cycle detected: ${cycle}` };
    expect(() => app.synthYaml()).toThrow(expect.objectContaining(refusal));
  });

  test("of a chart and an object of the chart around it", () => {
    const app = new App();
    const outer = new Chart(app, "p");
    const object = new ApiObject(outer, "o", { apiVersion: "v1", kind: "ConfigMap" });
    const inner = new Chart(outer, "q");
    new ApiObject(inner, "n", { apiVersion: "v1", kind: "ConfigMap" }).addDependency(object);
    expect(() => app.synthYaml()).toThrow("Dependency cycle detected: p => p/q => p");
  });
});

test("an object that needs itself is written all the same when the App allows it", () => {
  const app = new App({ checks: { DEPENDENCY_CYCLE: "ignore" } });
  const object = new ApiObject(new Chart(app, "c"), "o", { apiVersion: "v1", kind: "ConfigMap" });
  object.addDependency(object);
  expect(app.synthYaml()).toContain("name: c-o-");
});

test("a cycle of several stays an error whatever the App allows: there is no order", () => {
  const app = new App({ checks: { DEPENDENCY_CYCLE: "ignore" } });
  const [a, b] = [new Chart(app, "a"), new Chart(app, "b")];
  a.addDependency(b);
  b.addDependency(a);
  expect(() => app.synthYaml()).toThrow("Dependency cycle detected: a => b => a");
});

test("what is in another chart comes first, and so does its chart", () => {
  const app = new App();
  const [first, second] = [new Chart(app, "first"), new Chart(app, "second")];
  const a = new ApiObject(first, "a", { apiVersion: "v1", kind: "ConfigMap" });
  const b = new ApiObject(second, "b", { apiVersion: "v1", kind: "ConfigMap" });
  a.addDependency(b);
  expect(orderOf(app)).toEqual(["", "second/b", "second", "first/a", "first"].toSorted(byPlace(orderOf(app))));
  expect(orderOf(app).indexOf("second/b")).toBeLessThan(orderOf(app).indexOf("first/a"));
  expect(orderOf(app).indexOf("second")).toBeLessThan(orderOf(app).indexOf("first"));
});

function byPlace(order: readonly string[]): (a: string, b: string) => number {
  return (a, b) => order.indexOf(a) - order.indexOf(b);
}

test("all objects of a construct come after all objects of what it needs", () => {
  const app = new App();
  const chart = new Chart(app, "c");
  const [web, database] = [new Construct(chart, "web"), new Construct(chart, "database")];
  for (const id of ["a", "b"]) new ApiObject(web, id, { apiVersion: "v1", kind: "ConfigMap" });
  for (const id of ["a", "b"]) new ApiObject(database, id, { apiVersion: "v1", kind: "ConfigMap" });
  web.node.addDependency(database);
  const objects = orderOf(chart).filter((path) => /\/[ab]$/.test(path));
  expect(objects).toEqual(["c/database/a", "c/database/b", "c/web/a", "c/web/b"]);
});

describe("size does not matter:", { timeout: 20_000 }, () => {
  test("a chain of 100,000 objects comes in its order", () => {
    const { objects } = chain(100_000, (index) => (index === 99_999 ? [] : [index + 1]));
    const order = orderConstructs(impliedDependencies(findAll((objects[0] as ApiObject).chart)));
    expect(order.filter((construct) => ApiObject.isApiObject(construct))).toEqual(objects.toReversed());
  });

  test("a cycle of 20,000 objects is named", () => {
    const { app } = chain(20_000, (index) => [(index + 1) % 20_000]);
    expect(() => app.synthYaml()).toThrow(/^Dependency cycle detected: c\/o0 => c\/o1 => .* => c\/o19999 => c\/o0$/);
  });

  test("objects that all need all earlier ones", () => {
    const { objects } = chain(400, (index) => Array.from({ length: index }, (_, need) => need));
    const order = orderConstructs(impliedDependencies(findAll((objects[0] as ApiObject).chart)));
    expect(order.filter((construct) => ApiObject.isApiObject(construct))).toEqual(objects);
  });

  test("charts in a row with many objects each", () => {
    const app = new App();
    const charts = Array.from({ length: 40 }, (_, index) => new Chart(app, `c${index}`));
    for (const chart of charts) {
      for (let index = 0; index < 100; index += 1)
        new ApiObject(chart, `o${index}`, { apiVersion: "v1", kind: "ConfigMap" });
    }
    for (const [index, chart] of charts.slice(1).entries()) chart.addDependency(charts[index] as Chart);
    const order = orderConstructs(impliedDependencies(findAll(app)));
    expect(order.filter((construct) => Chart.isChart(construct))).toEqual(charts);
  });

  test("charts in a chart that has many objects itself", () => {
    const { app, chart } = nested({ charts: 10_000, objects: 10_000 });
    expect(chartsOf(app).slice(0, 2)).toEqual(["c/inner0", "c/inner1"]);
    expect(chartsOf(app).at(-1)).toBe("c");
    expect(chart.toJson()).toHaveLength(10_000);
  });

  test("charts in a chart that all come before another", () => {
    const { app, chart } = nested({ charts: 10_000, objects: 10_000 });
    const last = new Chart(app, "last");
    last.addDependency(chart);
    expect(chartsOf(app).slice(-2)).toEqual(["c", "last"]);
  });

  test("charts in charts in charts", () => {
    const app = new App();
    let around: Construct = app;
    for (let depth = 0; depth < 300; depth += 1) {
      around = new Chart(around, "c");
      new ApiObject(around, "o", { apiVersion: "v1", kind: "ConfigMap" });
    }
    expect(chartsOf(app).slice(-2)).toEqual(["c/c", "c"]);
    expect(app.synthYaml().split("---\n")).toHaveLength(300);
  });
});

function chartsOf(app: App): string[] {
  const constructs = orderConstructs(impliedDependencies(findAll(app)));
  return constructs.filter((construct) => Chart.isChart(construct)).map(({ node }) => node.path);
}

/** A chart of objects with charts of one object each in it. */
function nested(count: { readonly charts: number; readonly objects: number }): { app: App; chart: Chart } {
  const app = new App();
  const chart = new Chart(app, "c");
  for (let index = 0; index < count.charts; index += 1) {
    new ApiObject(new Chart(chart, `inner${index}`), "o", { apiVersion: "v1", kind: "ConfigMap" });
  }
  for (let index = 0; index < count.objects; index += 1) {
    new ApiObject(chart, `o${index}`, { apiVersion: "v1", kind: "ConfigMap" });
  }
  return { app, chart };
}
