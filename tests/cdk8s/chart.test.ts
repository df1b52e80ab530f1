import type { Chart } from "cdk8s";
import { Construct } from "constructs";
import { describe } from "vitest";
import type { Library } from "./libraries.ts";
import { type Program, sameOnBoth, thrown } from "./same-program.ts";
import { chartIn, objectIn, paths } from "./trees.ts";

/** Names of the objects that the chart renders, which are their ids. */
function names(chart: Chart): string[] {
  return chart.toJson().map(({ metadata }) => metadata.name);
}

function named(lib: Library, scope: Construct, id: string): Construct {
  return objectIn(lib, scope, id, { metadata: { name: id } });
}

describe("fields:", () => {
  sameOnBoth([
    {
      rule: "are empty at first",
      program: (lib) => [chartIn(lib).namespace, chartIn(lib).labels, chartIn(lib).apiObjects, chartIn(lib).toJson()],
      gives: [undefined, {}, [], []],
    },
    {
      rule: "labels are a copy",
      program: (lib) => {
        const chart = chartIn(lib, { labels: { a: "1" } });
        chart.labels.b = "2";
        return chart.labels;
      },
      gives: { a: "1" },
    },
    {
      rule: "apiObjects are the objects right below",
      program: (lib) => {
        const chart = chartIn(lib);
        const first = objectIn(lib, chart, "b");
        objectIn(lib, first, "below");
        objectIn(lib, new Construct(chart, "m"), "x");
        objectIn(lib, new lib.Chart(chart, "inner"), "y");
        objectIn(lib, chart, "1");
        return paths(chart.apiObjects);
      },
      gives: ["test/1", "test/b"],
    },
  ]);
});

describe("Chart.of:", () => {
  const none = thrown("cannot find a parent chart (directly or indirectly)");
  sameOnBoth([
    {
      rule: "a chart itself",
      program: (lib) => {
        const chart = new lib.Chart(chartIn(lib), "inner");
        return lib.Chart.of(chart).node.path;
      },
      gives: "test/inner",
    },
    {
      rule: "the nearest chart above",
      program: (lib) => {
        const inner = new lib.Chart(new Construct(chartIn(lib), "m"), "inner");
        return lib.Chart.of(objectIn(lib, new Construct(inner, "n"), "o")).node.path;
      },
      gives: "test/m/inner",
    },
    { rule: "an app is in none", program: (lib) => lib.Chart.of(new lib.App()), gives: none },
    {
      rule: "nor is a construct below it",
      program: (lib) => lib.Chart.of(new Construct(new lib.App(), "m")),
      gives: none,
    },
  ]);
});

describe("what a chart renders:", () => {
  sameOnBoth([
    {
      rule: "all objects below it",
      program: (lib) => {
        const chart = chartIn(lib);
        const object = named(lib, chart, "a");
        named(lib, new Construct(new Construct(chart, "m"), "n"), "b");
        named(lib, object, "c");
        named(lib, chart, "d");
        return names(chart);
      },
      gives: ["a", "c", "b", "d"],
    },
    {
      rule: "not those of charts below it",
      program: (lib) => {
        const chart = chartIn(lib);
        named(lib, chart, "a");
        const inner = new lib.Chart(new Construct(chart, "m"), "inner");
        named(lib, inner, "b");
        named(lib, new Construct(inner, "n"), "c");
        return [names(chart), names(inner)];
      },
      gives: [["a"], ["b", "c"]],
    },
    {
      rule: "names with a hash, or without",
      program: (lib) =>
        [false, true].map((disableResourceNameHashes) => {
          const chart = chartIn(lib, { disableResourceNameHashes });
          return objectIn(lib, new Construct(chart, "m"), "o").name;
        }),
      gives: ["test-m-o-c82b672b", "test-m-o"],
    },
    {
      rule: "namespace and labels of its own, not of the chart above",
      program: (lib) => {
        const outer = chartIn(lib, { namespace: "s", labels: { a: "1" } });
        const inner = new lib.Chart(outer, "inner", { labels: { b: "2" } });
        named(lib, inner, "o");
        return inner.toJson();
      },
      gives: [{ apiVersion: "v1", kind: "K", metadata: { labels: { b: "2" }, name: "o" } }],
    },
    {
      rule: "tokens of any depth",
      program: (lib) => {
        const chart = chartIn(lib);
        const later = lib.Lazy.any({ produce: () => ({ a: [lib.Lazy.any({ produce: () => 1 })] }) });
        objectIn(lib, chart, "o", { metadata: { name: "o" }, spec: later });
        return chart.toJson();
      },
      gives: [{ apiVersion: "v1", kind: "K", metadata: { name: "o" }, spec: { a: [1] } }],
    },
    {
      rule: "the same each time",
      program: (lib) => {
        const chart = chartIn(lib);
        named(lib, chart, "a").node.addDependency(named(lib, chart, "b"));
        return [names(chart), names(chart)];
      },
      gives: [
        ["b", "a"],
        ["b", "a"],
      ],
    },
    {
      rule: "objects that a Lazy makes only the next time",
      program: (lib) => {
        const chart = chartIn(lib);
        let made = 0;
        const spec = lib.Lazy.any({
          produce: () => {
            if (made === 0) named(lib, chart, "z");
            made += 1;
            return made;
          },
        });
        objectIn(lib, chart, "o", { metadata: { name: "o" }, spec });
        return [names(chart), names(chart)];
      },
      gives: [["o"], ["o", "z"]],
    },
    {
      rule: "nothing, as the root of a tree without objects",
      program: (lib) => new lib.Chart(undefined as never, "c").toJson(),
      gives: [],
    },
  ]);
});

describe("order:", () => {
  /** Objects a, b, c, d of which the first two are below the construct m, the others below n. */
  const groups =
    (depend: (part: Record<"a" | "b" | "c" | "d" | "m" | "n", Construct>) => void): Program =>
    (lib) => {
      const chart = chartIn(lib);
      const m = new Construct(chart, "m");
      const n = new Construct(chart, "n");
      const [a, b] = [named(lib, m, "a"), named(lib, m, "b")];
      depend({ m, n, a, b, c: named(lib, n, "c"), d: named(lib, n, "d") });
      return names(chart);
    };
  sameOnBoth([
    {
      rule: "of the tree, when nothing depends on anything",
      program: groups(() => undefined),
      gives: ["a", "b", "c", "d"],
    },
    {
      rule: "an object on an object",
      program: groups(({ a, d }) => a.node.addDependency(d)),
      gives: ["d", "a", "b", "c"],
    },
    {
      rule: "two objects, in the order they were named",
      program: groups(({ a, c, d }) => a.node.addDependency(d, c)),
      gives: ["d", "c", "a", "b"],
    },
    {
      rule: "a construct on an object",
      program: groups(({ m, d }) => m.node.addDependency(d)),
      gives: ["d", "a", "b", "c"],
    },
    {
      rule: "an object on a construct",
      program: groups(({ a, n }) => a.node.addDependency(n)),
      gives: ["c", "d", "a", "b"],
    },
    {
      rule: "a construct on a construct",
      program: groups(({ m, n }) => m.node.addDependency(n)),
      gives: ["c", "d", "a", "b"],
    },
    {
      rule: "an object on the construct it is in",
      program: groups(({ a, m }) => a.node.addDependency(m)),
      gives: ["b", "a", "c", "d"],
    },
    {
      rule: "a construct on an object in it",
      program: groups(({ n, d }) => n.node.addDependency(d)),
      gives: ["a", "b", "d", "c"],
    },
    {
      rule: "both ways",
      program: groups(({ a, d }) => {
        a.node.addDependency(d);
        d.node.addDependency(a);
      }),
      gives: thrown("Dependency cycle detected: test/m/a => test/n/d => test/m/a"),
    },
    {
      rule: "constructs both ways",
      program: groups(({ m, n }) => {
        m.node.addDependency(n);
        n.node.addDependency(m);
      }),
      gives: thrown("Dependency cycle detected: test/m => test/n => test/m"),
    },
    {
      rule: "objects of another chart do not count",
      program: (lib) => {
        const chart = chartIn(lib);
        const other = new lib.Chart(lib.App.of(chart), "other");
        const [a, b] = [named(lib, chart, "a"), named(lib, chart, "b")];
        const c = named(lib, other, "c");
        a.node.addDependency(c);
        c.node.addDependency(b);
        return [names(chart), names(other)];
      },
      gives: [["a", "b"], ["c"]],
    },
    {
      rule: "but lead through a chart below",
      program: (lib) => {
        const chart = new lib.Chart(new lib.App(), "p");
        const [, second] = ["o1", "o2", "o3"].map((id) => named(lib, chart, id));
        const inner = new lib.Chart(new Construct(chart, "m"), "q");
        named(lib, inner, "n").node.addDependency(second as Construct);
        return [names(chart), names(inner)];
      },
      gives: [["o2", "o1", "o3"], ["n"]],
    },
    {
      rule: "an object of a chart below on an object of the chart above",
      program: (lib) => {
        const chart = new lib.Chart(new lib.App(), "p");
        const object = named(lib, chart, "o");
        named(lib, new lib.Chart(chart, "q"), "n").node.addDependency(object);
        return names(chart);
      },
      gives: thrown("Dependency cycle detected: p => p/q => p"),
    },
    {
      rule: "what it depends on must be in a chart",
      program: (lib) => {
        const chart = chartIn(lib);
        named(lib, chart, "a").node.addDependency(new Construct(lib.App.of(chart), "m"));
        return names(chart);
      },
      gives: thrown("cannot find a parent chart (directly or indirectly)"),
    },
  ]);
});
