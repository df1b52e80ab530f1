import type { App, Chart } from "cdk8s";
import { expect, test } from "vitest";
import { ours, peer } from "./libraries.ts";
import { uncheckedApp } from "./output-files.ts";
import { objectIn } from "./trees.ts";

/** Names of the objects of each chart are their ids. */
function namesOf(chart: Chart): string[] {
  return chart.toJson().map(({ metadata }) => metadata.name);
}

/** Objects `o0`, `o1`, … each of which needs the ones that `needs` names, in one chart. */
function objects(count: number, needs: (index: number) => readonly number[], lib = ours): Chart {
  const chart = new lib.Chart(uncheckedApp(lib), "c");
  const made = Array.from({ length: count }, (_, index) =>
    objectIn(lib, chart, `o${index}`, { metadata: { name: `o${index}` } }),
  );
  for (const [index, object] of made.entries()) {
    object.addDependency(...needs(index).flatMap((need) => made[need] ?? []));
  }
  return chart;
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

test("100,000 objects in a chain, the last one first", { timeout: 120_000 }, () => {
  const chart = objects(100_000, (index) => (index < 99_999 ? [index + 1] : []));
  expect(namesOf(chart)).toEqual(numbers(100_000).map((index) => `o${99_999 - index}`));
});

test("100,000 objects in a chain, in the order of the tree", { timeout: 120_000 }, () => {
  const chart = objects(100_000, (index) => [index - 1]);
  expect(namesOf(chart)).toEqual(numbers(100_000).map((index) => `o${index}`));
});

test("a cycle of 20,000 objects is named in full", { timeout: 120_000 }, () => {
  const chart = objects(20_000, (index) => [(index + 1) % 20_000]);
  const ids = [...numbers(20_000), 0].map((index) => `c/o${index}`);
  let message = "";
  try {
    ours.App.of(chart).synthYaml();
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toBe(`Dependency cycle detected: ${ids.join(" => ")}`);
});

test("2,000 objects that each need the 20 before, where cdk8s walks every route", { timeout: 120_000 }, () => {
  const before = (index: number): number[] => numbers(20).map((step) => index - 1 - step);
  expect(namesOf(objects(2_000, before))).toEqual(numbers(2_000).map((index) => `o${index}`));
  expect(namesOf(objects(14, before))).toEqual(namesOf(objects(14, before, peer)));
});

/** Charts in a row, each needing the next one, of objects in a chain. */
function row(charts: number, objectsInEach: number, lib = ours): App {
  const app = uncheckedApp(lib);
  const made = numbers(charts).map((index) => {
    const chart = new lib.Chart(app, `c${index}`);
    const chain = numbers(objectsInEach).map((place) => objectIn(lib, chart, `o${place}`));
    for (const [place, object] of chain.entries()) if (place > 0) chain[place - 1]?.addDependency(object);
    return chart;
  });
  for (const [index, chart] of made.entries()) if (index > 0) made[index - 1]?.addDependency(chart);
  return app;
}

test("300 charts in a row with chains of 100 objects, where cdk8s takes a minute for 4 of 20", {
  timeout: 120_000,
}, () => {
  const names = (app: App): string[] =>
    [...app.synthYaml().matchAll(/^ {2}name: (.*)$/gm)].map(([, name]) => name ?? "");
  const app = row(300, 100);
  const expected = numbers(30_000).map((index) => [299 - Math.floor(index / 100), 99 - (index % 100)] as const);
  expect(names(app).map((name) => name.replace(/-[0-9a-z]+$/, ""))).toEqual(expected.map(([c, o]) => `c${c}-o${o}`));
  expect(row(3, 5).synthYaml()).toBe(row(3, 5, peer).synthYaml());
});
