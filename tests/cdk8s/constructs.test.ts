import { Construct, DependencyGroup, type IConstruct } from "constructs";
import { describe } from "vitest";
import type { Library } from "./libraries.ts";
import { uncheckedApp } from "./output-files.ts";
import { sameOnBoth, thrown } from "./same-program.ts";
import { chartIn, objectIn, paths } from "./trees.ts";

/** The tree itself is the package `constructs`; these are the parts of it that programs see through an app. */
describe("an app is the root of its tree:", () => {
  sameOnBoth([
    {
      rule: "its id and path are empty",
      program: (lib) => [new lib.App().node.id, new lib.App().node.path],
      gives: ["", ""],
    },
    { rule: "it prints as <root>", program: (lib) => String(new lib.App()), gives: "<root>" },
    { rule: "a chart prints as its path", program: (lib) => String(chartIn(lib)), gives: "test" },
    {
      rule: "addresses hash all ids from it down",
      program: (lib) => objectIn(lib, new lib.Chart(new lib.App(), "c"), "o").node.addr,
      gives: "c89fde971ddeef3f07a4f65be6570adbc4ea6e48cd",
    },
  ]);
});

describe("ids:", () => {
  const idOf = (id: string) => (lib: Library) => new lib.Chart(new lib.App(), id).node.id;
  sameOnBoth([
    { rule: "a slash becomes two hyphens", program: idOf("a/b"), gives: "a--b" },
    { rule: "so does the end of a line", program: idOf("a\nb"), gives: "a--b" },
    { rule: "none", program: idOf(""), gives: thrown("Only root constructs may have an empty ID") },
    {
      rule: "one that is taken",
      program: (lib) => {
        const chart = chartIn(lib);
        objectIn(lib, chart, "o");
        objectIn(lib, chart, "o");
      },
      gives: thrown("There is already a Construct with name 'o' in Chart [test]"),
    },
    {
      rule: "one that is taken below the app",
      program: (lib) => {
        const app = new lib.App();
        new lib.Chart(app, "c");
        new lib.Chart(app, "c");
      },
      gives: thrown("There is already a Construct with name 'c' in App"),
    },
    {
      rule: "one that every object has",
      program: (lib) => objectIn(lib, chartIn(lib), "toString"),
      gives: thrown("There is already a Construct with name 'toString' in Chart [test]"),
    },
    {
      rule: "children with numbers come first, in their order",
      program: (lib) => {
        const app = new lib.App();
        for (const id of ["10", "2", "b", "a", "01", "-1"]) new lib.Chart(app, id);
        return [paths(app.node.children), paths(app.charts)];
      },
      gives: [
        ["2", "10", "b", "a", "01", "-1"],
        ["2", "10", "b", "a", "01", "-1"],
      ],
    },
    {
      rule: "a number below a chart does not come first in the order of the app",
      program: (lib) => {
        const app = new lib.App();
        const chart = new lib.Chart(app, "c");
        for (const id of ["b", "10", "2"]) objectIn(lib, chart, id, { metadata: { name: id } });
        return chart.toJson().map(({ metadata }) => metadata.name);
      },
      gives: ["2", "10", "b"],
    },
  ]);
});

describe("dependencies:", () => {
  const rendered = (lib: Library, depend: (first: Construct, second: Construct, third: Construct) => void): unknown => {
    const chart = chartIn(lib);
    const [first, second, third] = ["a", "b", "c"].map((id) => objectIn(lib, chart, id, { metadata: { name: id } }));
    depend(first as Construct, second as Construct, third as Construct);
    return chart.toJson().map(({ metadata }) => metadata.name);
  };
  sameOnBoth([
    {
      rule: "of the node are those of the object",
      program: (lib) => rendered(lib, (a, _, c) => a.node.addDependency(c)),
      gives: ["c", "a", "b"],
    },
    {
      rule: "on a group are on each of its members",
      program: (lib) => rendered(lib, (a, b, c) => a.node.addDependency(new DependencyGroup(c, b))),
      gives: ["c", "b", "a"],
    },
    {
      rule: "on anything else are found when they are read",
      program: (lib) => rendered(lib, (a) => a.node.addDependency({} as IConstruct)),
      gives: thrown('[object Object] does not implement IDependable. Use "Dependable.implement()" to implement'),
    },
  ]);
});

describe("validations:", () => {
  const failing = (lib: Library, ...results: readonly unknown[]): Construct => {
    const app = uncheckedApp(lib);
    const chart = new lib.Chart(app, "c");
    const construct = new Construct(chart, "m");
    for (const result of results) construct.node.addValidation({ validate: () => result as string[] });
    new lib.Chart(app, "d").node.addValidation({ validate: () => ["from another chart"] });
    app.node.addValidation({ validate: () => ["from the app"] });
    return chart;
  };
  const text = (...lines: readonly string[]): unknown =>
    thrown(`Validation failed with the following errors:\n  ${lines.join("\n  ")}`);
  const failed = text("[] from the app", "[c/m] one", "[c/m] two", "[c/m] three", "[d] from another chart");
  const messages = [["one", "two"], [], ["three"]];
  sameOnBoth([
    {
      rule: "synth names all failures of the app, parents first",
      program: (lib) => lib.App.of(failing(lib, ...messages)).synth(),
      gives: failed,
    },
    { rule: "so does synthYaml", program: (lib) => lib.App.of(failing(lib, ...messages)).synthYaml(), gives: failed },
    {
      rule: "so does one chart",
      program: (lib) => (failing(lib, ...messages) as InstanceType<typeof lib.Chart>).toJson(),
      gives: failed,
    },
    {
      rule: "so does Testing.synth",
      program: (lib) => lib.Testing.synth(failing(lib, ...messages) as InstanceType<typeof lib.Chart>),
      gives: failed,
    },
    {
      rule: "nothing and a bare text are failures too",
      program: (lib) => lib.App.of(failing(lib, undefined, "text")).synthYaml(),
      gives: text("[] from the app", "[c/m] undefined", "[c/m] text", "[d] from another chart"),
    },
  ]);
});
