import type { App } from "cdk8s";
import { Construct } from "constructs";
import { describe, expect, test } from "vitest";
import { libraries, ours, peer } from "./libraries.ts";
import { inTemporaryFolder, uncheckedApp } from "./output-files.ts";
import { objectIn, paths } from "./trees.ts";

type Work = (app: App) => unknown;

const synthesis: readonly (readonly [name: string, work: Work])[] = [
  ["synth", (app) => app.synth()],
  ["synthYaml", (app) => app.synthYaml()],
  ["charts", (app) => app.charts],
  ["toJson", (app) => app.charts.map((chart) => chart.toJson())],
];

/** Nested charts, plain constructs and objects that need one another across them. */
function build(app: App, lib = ours): { readonly constructs: readonly Construct[] } {
  const outer = new lib.Chart(app, "outer");
  const inner = new lib.Chart(outer, "inner");
  const other = new lib.Chart(app, "other");
  const group = new Construct(other, "group");
  const [a, b] = [objectIn(lib, inner, "a"), objectIn(lib, outer, "b")];
  const [c, d] = [objectIn(lib, group, "c"), objectIn(lib, group, "d")];
  outer.node.addDependency(group);
  b.addDependency(c);
  d.addDependency(c);
  return { constructs: [app, outer, inner, other, group, a, b, c, d] };
}

function inFolder<Result>(work: (app: App) => Result, lib = ours): Result {
  return inTemporaryFolder((outdir) => work(uncheckedApp(lib, { outdir })));
}

describe("dependencies are those that the program has declared, after", () => {
  const declared = ({ constructs }: ReturnType<typeof build>): (readonly [string, readonly string[]])[] =>
    constructs.map(({ node }) => [node.path, paths(node.dependencies)]);

  test.for(synthesis)("%s", ([, work]) => {
    inFolder((app) => {
      const tree = build(app);
      const before = declared(tree);
      work(app);
      expect(declared(tree)).toEqual(before);
    });
  });

  test("and not those with what cdk8s adds to them", () => {
    inFolder((app) => {
      const tree = build(app, peer);
      const before = declared(tree);
      app.synth();
      expect(declared(tree)).not.toEqual(before);
    }, peer);
  });
});

describe("validations run once, in", () => {
  const counted = (work: Work, yamlOutputType: 0 | 1 | 2 | 3, lib = ours): number[] =>
    inTemporaryFolder((outdir) => {
      const app = uncheckedApp(lib, { outdir, yamlOutputType });
      const counts = build(app, lib).constructs.map(({ node }) => {
        const count = { runs: 0 };
        node.addValidation({
          validate: () => {
            count.runs += 1;
            return [];
          },
        });
        return count;
      });
      work(app);
      return [...new Set(counts.map(({ runs }) => runs))];
    });

  test.for([0, 1, 2, 3] as const)("synth, files of kind %i", (yamlOutputType) => {
    expect(counted((app) => app.synth(), yamlOutputType)).toEqual([1]);
  });

  test("synthYaml", () => {
    expect(counted((app) => app.synthYaml(), 1)).toEqual([1]);
  });

  test("toJson of a chart", () => {
    expect(counted((app) => app.charts[0]?.toJson(), 1)).toEqual([1]);
  });

  test("synth of charts that render themselves", () => {
    class Own extends ours.Chart {
      override toJson(): unknown[] {
        return [...super.toJson()];
      }
    }
    const lib = { ...ours, Chart: Own };
    expect(counted((app) => app.synth(), 1, lib)).toEqual([1]);
  });

  test("synth of cdk8s they run once more for each chart", () => {
    expect(counted((app) => app.synth(), 1, peer)).toEqual([4]);
  });
});

test.for(libraries)("what a program hands in may be frozen: %s", ([, lib]) => {
  inFolder((app) => {
    const props = deepFreeze({
      metadata: {
        name: "o",
        labels: { b: "1", a: "2" },
        annotations: { a: "1" },
        finalizers: ["f"],
        custom: { z: [{}], a: 1 },
      },
      spec: { z: [{ b: 1, a: null }], a: { c: undefined } },
    });
    const chart = new lib.Chart(app, "c", deepFreeze({ namespace: "s", labels: { c: "3" } }));
    const object = objectIn(lib, chart, "o", props);
    object.metadata.addLabel("d", "4");
    object.metadata.addFinalizers("g");
    object.metadata.add("more", 1);
    object.addJsonPatch(lib.JsonPatch.add("/spec/z/0/d", deepFreeze({ e: [1] })));
    app.synth();
    expect(app.synthYaml()).toContain("d:\n        e:\n          - 1\n");
    expect(props.metadata.labels).toEqual({ b: "1", a: "2" });
  }, lib);
});

test.for(libraries)("what toJson gives belongs to its caller, after and between synthesis: %s", ([, lib]) => {
  inFolder((app) => {
    const props = { metadata: { name: "o", labels: { a: "1" } }, spec: { list: [{ a: 1 }], map: { b: 2 } } };
    const chart = new lib.Chart(app, "c");
    const object = objectIn(lib, chart, "o", props);
    const before = app.synthYaml();
    for (const json of [object.toJson(), chart.toJson()[0], lib.Testing.synth(chart)[0]]) {
      json.spec.list[0].a = 2;
      json.spec.list.push("x");
      json.spec.map.c = 3;
      json.metadata.labels.a = "2";
    }
    expect(app.synthYaml()).toBe(before);
    expect(props.spec).toEqual({ list: [{ a: 1 }], map: { b: 2 } });
  }, lib);
});

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === "object" && member !== null) deepFreeze(member);
  return Object.freeze(value);
}
