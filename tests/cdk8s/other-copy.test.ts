import { createRequire } from "node:module";
import { Construct } from "constructs";
import { describe, expect, test } from "vitest";
import type { Library } from "./libraries.ts";
import { libraries, ours, peer } from "./libraries.ts";
import { uncheckedApp } from "./output-files.ts";
import { differentOnPurpose, type Program, sameOnBoth } from "./same-program.ts";
import { chartIn, objectIn, rendered } from "./trees.ts";

describe("what a construct is:", () => {
  const kinds: Program = (lib) => {
    const chart = chartIn(lib);
    const all = [chart, objectIn(lib, chart, "o"), lib.App.of(chart), new Construct(chart, "m"), {}, null, "text"];
    return all.map((value) => [lib.Chart.isChart(value), lib.ApiObject.isApiObject(value)]);
  };
  const marks =
    (make: (lib: Library) => object): Program =>
    (lib) =>
      Object.entries(Object.getOwnPropertyDescriptors(make(lib)))
        .concat(
          Object.getOwnPropertySymbols(make(lib)).map((symbol) => [
            String(symbol),
            Object.getOwnPropertyDescriptor(make(lib), symbol) ?? {},
          ]),
        )
        .filter(([name]) => name.startsWith("Symbol(cdk8s."));
  const mark = { value: true, writable: false, enumerable: false, configurable: false };
  sameOnBoth([
    {
      rule: "charts and objects are told from anything else",
      program: kinds,
      gives: [
        [true, false],
        [false, true],
        [false, false],
        [false, false],
        [false, false],
        [false, false],
        [false, false],
      ],
    },
    {
      rule: "instanceof agrees",
      program: (lib) => {
        const chart = chartIn(lib);
        return [chart, objectIn(lib, chart, "o"), {}].map((value) => [
          value instanceof lib.Chart,
          value instanceof lib.ApiObject,
        ]);
      },
      gives: [
        [true, false],
        [false, true],
        [false, false],
      ],
    },
    { rule: "by a mark on each chart", program: marks(chartIn), gives: [["Symbol(cdk8s.Chart)", mark]] },
    {
      rule: "by a mark on each object",
      program: marks((lib) => objectIn(lib, chartIn(lib), "o")),
      gives: [["Symbol(cdk8s.ApiObject)", mark]],
    },
    {
      rule: "whatever has the mark is one",
      program: (lib) => {
        const marked = { [Symbol.for("cdk8s.Chart")]: undefined, [Symbol.for("cdk8s.ApiObject")]: undefined };
        return [lib.Chart.isChart(marked), lib.ApiObject.isApiObject(marked)];
      },
      gives: [true, true],
    },
    {
      rule: "the mark comes last: an object that could not be made is none",
      program: (lib) => {
        const chart = chartIn(lib);
        expect(() => objectIn(lib, chart, "o", { apiVersion: "a/b/c" })).toThrow();
        return [chart.node.children.length, chart.apiObjects.length];
      },
      gives: [1, 0],
    },
  ]);

  differentOnPurpose([
    {
      rule: "an object is no instance of a subclass that it is not made with",
      because: "in cdk8s every object is an instance of every subclass, every chart of every chart class",
      program: (lib) => {
        class Deployment extends lib.ApiObject {}
        class Platform extends lib.Chart {}
        const chart = chartIn(lib);
        const deployment = new Deployment(chart, "d", { apiVersion: "v1", kind: "K" });
        return [
          objectIn(lib, chart, "o") instanceof Deployment,
          chart instanceof Platform,
          deployment instanceof Deployment,
        ];
      },
      cdk8s: [true, true, true],
      slipway: [false, false, true],
    },
  ]);
});

/** A second copy of cdk8s: the same files, loaded once more. */
function loadAgain(): Library {
  const require = createRequire(import.meta.url);
  const loaded = { ...require.cache };
  const isOfCdk8s = (file: string): boolean => /[/\\]node_modules[/\\]cdk8s[/\\]/.test(file);
  for (const file of Object.keys(require.cache).filter(isOfCdk8s)) delete require.cache[file];
  const copy = require("cdk8s") as Library;
  for (const file of Object.keys(require.cache).filter(isOfCdk8s)) delete require.cache[file];
  for (const file of Object.keys(loaded).filter(isOfCdk8s)) require.cache[file] = loaded[file];
  return copy;
}

describe("two copies of the library in one program:", () => {
  const copies: readonly (readonly [string, Library, Library])[] = [
    ["our objects in charts of cdk8s", peer, ours],
    ["objects of cdk8s in our charts", ours, peer],
  ];

  test("the second copy of cdk8s is one", () => {
    expect(loadAgain().Lazy).not.toBe(peer.Lazy);
    expect(loadAgain().Chart.isChart(chartIn(peer))).toBe(true);
  });

  test.for(copies)("%s are rendered as if there were one library", ([, outer, inner]) => {
    const build = (chartLib: Library, objectLib: Library): string => {
      const app = uncheckedApp(chartLib);
      const chart = new chartLib.Chart(app, "c", { namespace: "s", labels: { a: "1" } });
      const later = new objectLib.Chart(app, "d");
      const first = objectIn(objectLib, chart, "first", {
        spec: { b: objectLib.Lazy.any({ produce: () => [1] }), a: null },
      });
      const second = objectIn(chartLib, chart, "second", { spec: chartLib.Lazy.any({ produce: () => "x" }) });
      const third = objectIn(objectLib, later, "third");
      first.addJsonPatch(objectLib.JsonPatch.add("/spec/c", 2));
      first.addDependency(second);
      second.addDependency(third);
      return app.synthYaml();
    };
    expect(build(outer, inner)).toBe(build(peer, peer));
    expect(build(inner, outer)).toBe(build(peer, peer));
  });

  test.for(copies)("%s belong to the chart, and are found by it", ([, outer, inner]) => {
    const chart = chartIn(outer);
    const object = objectIn(inner, new Construct(chart, "m"), "Default");
    expect(inner.Chart.of(object)).toBe(chart);
    expect(object.chart).toBe(chart);
    expect(outer.ApiObject.of(new Construct(chart, "n").node.scope?.node.tryFindChild("m") as Construct)).toBe(object);
    expect(object.name).toBe("test-m-c84a7e75");
  });

  test.for(libraries)("a Lazy of another copy is computed by ours and by %s", ([, lib]) => {
    const lazy = lib.Lazy.any({ produce: () => ({ a: lib.Lazy.any({ produce: () => 1 }) }) });
    expect(rendered(ours, { spec: lazy })).toMatchObject({ spec: { a: 1 } });
  });

  test("a Lazy of another copy of cdk8s is not computed by cdk8s, and is by ours", () => {
    const lazy = loadAgain().Lazy.any({ produce: () => 1 });
    expect(() => rendered(peer, { spec: lazy })).toThrow("can't render non-simple object of type 'Lazy'");
    expect(rendered(ours, { spec: lazy })).toMatchObject({ spec: 1 });
  });
});
