import type { App, AppProps, Chart } from "cdk8s";
import { Construct } from "constructs";
import { describe, expect } from "vitest";
import type { Library } from "./libraries.ts";
import { type Files, inTemporaryFolder, readFiles, synthFiles, uncheckedApp } from "./output-files.ts";
import { differentOnPurpose, type Program, sameOnBoth, thrown } from "./same-program.ts";
import { objectIn, paths } from "./trees.ts";

/** An object whose text is the two lines of `manifest`. */
function named(lib: Library, scope: Construct, name: string): Construct {
  return objectIn(lib, scope, name, { metadata: { name } });
}

function manifest(...names: readonly string[]): string {
  return names.map((name) => `apiVersion: v1\nkind: K\nmetadata:\n  name: ${name}\n`).join("---\n");
}

const FILE_PER_APP = 0;
const FILE_PER_CHART = 1;
const FILE_PER_RESOURCE = 2;
const FOLDER_PER_CHART_FILE_PER_RESOURCE = 3;

function files(build: (lib: Library, app: App) => void, props?: AppProps): Program {
  return (lib) => synthFiles(lib, (app) => build(lib, app), props);
}

/** Names of the files without their extension, and nothing of what is in them. */
function fileNames(build: (lib: Library, app: App) => void, props?: AppProps): Program {
  return (lib) => Object.keys(files(build, props)(lib) as Files).map((name) => name.replace(/\.k8s\.yaml$/, ""));
}

describe("defaults:", () => {
  sameOnBoth([
    {
      rule: "of an app",
      program: (lib) => {
        const { outdir, outputFileExtension, yamlOutputType, resolvers, charts } = new lib.App();
        return [
          outdir,
          outputFileExtension,
          yamlOutputType,
          resolvers.map((resolver) => resolver.constructor.name),
          charts,
        ];
      },
      gives: ["dist", ".k8s.yaml", 1, ["LazyResolver", "ImplicitTokenResolver", "NumberStringUnionResolver"], []],
    },
    {
      rule: "null is as good as none",
      program: (lib) => {
        const none = { outdir: null, outputFileExtension: null, yamlOutputType: null, resolvers: null };
        const { outdir, outputFileExtension, yamlOutputType, resolvers } = new lib.App(none as unknown as AppProps);
        return [outdir, outputFileExtension, yamlOutputType, resolvers.length];
      },
      gives: ["dist", ".k8s.yaml", 1, 3],
    },
    {
      rule: "the kinds of output, both ways",
      program: (lib) => ({ ...lib.YamlOutputType }),
      gives: {
        0: "FILE_PER_APP",
        1: "FILE_PER_CHART",
        2: "FILE_PER_RESOURCE",
        3: "FOLDER_PER_CHART_FILE_PER_RESOURCE",
        FILE_PER_APP,
        FILE_PER_CHART,
        FILE_PER_RESOURCE,
        FOLDER_PER_CHART_FILE_PER_RESOURCE,
      },
    },
    {
      rule: "resolvers of the user come first",
      program: (lib) => {
        const mine = { resolve: () => undefined };
        return new lib.App({ resolvers: [mine] }).resolvers.indexOf(mine);
      },
      gives: 0,
    },
    {
      rule: "props that are null",
      program: (lib) => new lib.App(null as never),
      gives: thrown("Cannot read properties of null (reading 'outdir')"),
    },
    {
      rule: "App.of is the root, whatever it is",
      program: (lib) => {
        const app = new lib.App();
        const root = new Construct(undefined as never, "root");
        return [
          lib.App.of(app) === app,
          lib.App.of(new Construct(new lib.Chart(app, "c"), "m")) === app,
          (lib.App.of(new Construct(root, "m")) as Construct) === root,
        ];
      },
      gives: [true, true, true],
    },
  ]);
});

describe("no charts:", () => {
  const none = (): void => undefined;
  sameOnBoth([
    { rule: "a file per app", program: files(none, { yamlOutputType: FILE_PER_APP }), gives: {} },
    { rule: "a file per chart", program: files(none), gives: {} },
    { rule: "a file per resource", program: files(none, { yamlOutputType: FILE_PER_RESOURCE }), gives: {} },
    {
      rule: "a folder per chart",
      program: files(none, { yamlOutputType: FOLDER_PER_CHART_FILE_PER_RESOURCE }),
      gives: {},
    },
    { rule: "as text", program: (lib) => new lib.App().synthYaml(), gives: "" },
    {
      rule: "construct metadata is written all the same",
      program: files(none, { recordConstructMetadata: true }),
      gives: { "construct-metadata.json": '{"version":"1.0.0","resources":{}}' },
    },
    { rule: "constructs alone make no file", program: files((_, app) => void new Construct(app, "m")), gives: {} },
  ]);
});

describe("charts without objects:", () => {
  const empty = (lib: Library, app: App): void => void new lib.Chart(app, "c");
  sameOnBoth([
    { rule: "a file per app", program: files(empty, { yamlOutputType: FILE_PER_APP }), gives: { "app.k8s.yaml": "" } },
    { rule: "a file per chart", program: files(empty), gives: { "c.k8s.yaml": "" } },
    { rule: "a file per resource", program: files(empty, { yamlOutputType: FILE_PER_RESOURCE }), gives: {} },
    {
      rule: "a folder per chart",
      program: files(empty, { yamlOutputType: FOLDER_PER_CHART_FILE_PER_RESOURCE }),
      gives: { "c/": "" },
    },
  ]);
});

/** Two charts, the first depending on the second if asked to. */
function twoCharts(isDependent: boolean): (lib: Library, app: App) => void {
  return (lib, app) => {
    const first = new lib.Chart(app, "chart1", { namespace: "n" });
    const second = new lib.Chart(app, "Chart Two");
    named(lib, first, "a");
    named(lib, second, "b");
    named(lib, second, "c");
    if (isDependent) first.addDependency(second);
  };
}

const inNamespace = 'apiVersion: v1\nkind: K\nmetadata:\n  name: a\n  namespace: "n"\n';

describe("two charts:", () => {
  sameOnBoth([
    {
      rule: "a file per chart",
      program: files(twoCharts(false)),
      gives: { "chart1.k8s.yaml": inNamespace, "charttwo-c806f14b.k8s.yaml": manifest("b", "c") },
    },
    {
      rule: "numbered when one depends on another",
      program: files(twoCharts(true)),
      gives: { "0000-charttwo-c806f14b.k8s.yaml": manifest("b", "c"), "0001-chart1.k8s.yaml": inNamespace },
    },
    {
      rule: "a file per app",
      program: files(twoCharts(false), { yamlOutputType: FILE_PER_APP }),
      gives: { "app.k8s.yaml": `${inNamespace}---\n${manifest("b", "c")}` },
    },
    {
      rule: "in the order of the charts",
      program: files(twoCharts(true), { yamlOutputType: FILE_PER_APP }),
      gives: { "app.k8s.yaml": `${manifest("b", "c")}---\n${inNamespace}` },
    },
    {
      rule: "a file per resource has no number",
      program: files(twoCharts(true), { yamlOutputType: FILE_PER_RESOURCE }),
      gives: { "K.a.k8s.yaml": inNamespace, "K.b.k8s.yaml": manifest("b"), "K.c.k8s.yaml": manifest("c") },
    },
    {
      rule: "a folder per chart",
      program: files(twoCharts(false), { yamlOutputType: FOLDER_PER_CHART_FILE_PER_RESOURCE }),
      gives: {
        "chart1/K.a.k8s.yaml": inNamespace,
        "charttwo-c806f14b/K.b.k8s.yaml": manifest("b"),
        "charttwo-c806f14b/K.c.k8s.yaml": manifest("c"),
      },
    },
    {
      rule: "numbered as well",
      program: files(twoCharts(true), { yamlOutputType: FOLDER_PER_CHART_FILE_PER_RESOURCE }),
      gives: {
        "0000-charttwo-c806f14b/K.b.k8s.yaml": manifest("b"),
        "0000-charttwo-c806f14b/K.c.k8s.yaml": manifest("c"),
        "0001-chart1/K.a.k8s.yaml": inNamespace,
      },
    },
    {
      rule: "as text",
      program: (lib) =>
        [false, true].map((isDependent) => {
          const app = uncheckedApp(lib);
          twoCharts(isDependent)(lib, app);
          return app.synthYaml();
        }),
      gives: [`${inNamespace}---\n${manifest("b", "c")}`, `${manifest("b", "c")}---\n${inNamespace}`],
    },
    {
      rule: "another extension",
      program: (lib) =>
        [FILE_PER_APP, FILE_PER_CHART, FILE_PER_RESOURCE, FOLDER_PER_CHART_FILE_PER_RESOURCE].map((yamlOutputType) =>
          Object.keys(
            synthFiles(lib, (app) => twoCharts(true)(lib, app), { yamlOutputType, outputFileExtension: ".yml" }),
          ),
        ),
      gives: [
        ["app.yml"],
        ["0000-charttwo-c806f14b.yml", "0001-chart1.yml"],
        ["K.a.yml", "K.b.yml", "K.c.yml"],
        ["0000-charttwo-c806f14b/K.b.yml", "0000-charttwo-c806f14b/K.c.yml", "0001-chart1/K.a.yml"],
      ],
    },
    {
      rule: "an empty extension",
      program: fileNames(twoCharts(false), { outputFileExtension: "" }),
      gives: ["chart1", "charttwo-c806f14b"],
    },
    {
      rule: "an unknown kind of output writes nothing",
      program: files(twoCharts(false), { yamlOutputType: 7 as never }),
      gives: {},
    },
  ]);
});

describe("order of charts:", () => {
  const charts =
    (build: (lib: Library, app: App) => void): Program =>
    (lib) => {
      const app = uncheckedApp(lib);
      build(lib, app);
      return paths(app.charts);
    };
  const chain = (lib: Library, app: App): void => {
    const [c1, c2, c3] = ["c1", "c2", "c3"].map((id) => new lib.Chart(app, id)) as [Chart, Chart, Chart];
    c1.addDependency(c2);
    c2.addDependency(c3);
  };
  const four =
    (depend: (lib: Library, c1: Chart, c2: Chart) => void) =>
    (lib: Library, app: App): void => {
      const [c1, , c2, c3] = ["c1", "c0", "c2", "c3"].map((id) => new lib.Chart(app, id)) as [
        Chart,
        Chart,
        Chart,
        Chart,
      ];
      depend(lib, c1, c2);
      c3.addDependency(c1);
    };
  const throughObject = four((lib, c1, c2) => named(lib, c1, "o").node.addDependency(c2));
  const nested = (lib: Library, app: App): void => {
    const parent = new lib.Chart(app, "p");
    new lib.Chart(parent, "z");
    new lib.Chart(parent, "a");
    new lib.Chart(app, "o");
  };
  sameOnBoth([
    {
      rule: "of the tree",
      program: charts((lib, app) => ["b", "a"].forEach((id) => void new lib.Chart(app, id))),
      gives: ["b", "a"],
    },
    { rule: "a chain", program: charts(chain), gives: ["c3", "c2", "c1"] },
    { rule: "a chain, in files", program: fileNames(chain), gives: ["0000-c3", "0001-c2", "0002-c1"] },
    {
      rule: "an object on a chart pulls that chart forward",
      program: charts(throughObject),
      gives: ["c2", "c0", "c1", "c3"],
    },
    { rule: "in files", program: fileNames(throughObject), gives: ["0000-c2", "0001-c0", "0002-c1", "0003-c3"] },
    {
      rule: "a chart on a chart does not",
      program: fileNames(four((_, c1, c2) => c1.addDependency(c2))),
      gives: ["0000-c0", "0001-c2", "0002-c1", "0003-c3"],
    },
    { rule: "charts in charts, before synthesis", program: charts(nested), gives: ["p", "p/z", "p/a", "o"] },
    {
      rule: "charts in charts go first",
      program: fileNames(nested),
      gives: ["0000-p-z-c8ae3765", "0001-p-a-c8dbc662", "0002-p", "0003-o"],
    },
    {
      rule: "not through a construct between them",
      program: fileNames((lib, app) => void new lib.Chart(new Construct(new lib.Chart(app, "p"), "m"), "q")),
      gives: ["p-m-q-c8e7ed0e", "p"],
    },
    {
      rule: "an object on an object of another chart",
      program: fileNames((lib, app) => {
        const first = named(lib, new lib.Chart(app, "first"), "a");
        const second = named(lib, new Construct(new lib.Chart(app, "second"), "m"), "b");
        first.node.addDependency(second);
      }),
      gives: ["0000-second", "0001-first"],
    },
    {
      rule: "a construct on a construct of another chart",
      program: fileNames((lib, app) => {
        const first = new Construct(new lib.Chart(app, "first"), "m");
        const second = new Construct(new lib.Chart(app, "second"), "n");
        first.node.addDependency(second);
      }),
      gives: ["0000-second", "0001-first"],
    },
    {
      rule: "a construct on a chart below it",
      program: fileNames((lib, app) => {
        const group = new Construct(new lib.Chart(app, "outer"), "m");
        group.node.addDependency(new lib.Chart(group, "inner"));
      }),
      gives: ["0000-outer-m-inner-c8721b5e", "0001-outer"],
    },
    {
      rule: "an object on one that is no longer in the tree",
      program: fileNames((lib, app) => {
        const first = named(lib, new lib.Chart(app, "first"), "a");
        const second = new lib.Chart(app, "second");
        first.node.addDependency(named(lib, second, "b"));
        second.node.tryRemoveChild("b");
      }),
      gives: ["0000-second", "0001-first"],
    },
    {
      rule: "charts that depend on one another",
      program: files((lib, app) => {
        const [a, b] = [new lib.Chart(app, "a"), new lib.Chart(app, "b")];
        a.addDependency(b);
        b.addDependency(a);
      }),
      gives: thrown("Dependency cycle detected: a => b => a"),
    },
    {
      rule: "charts whose objects depend on one another",
      program: files((lib, app) => {
        const [a, b] = [new lib.Chart(app, "a"), new lib.Chart(app, "b")];
        const [a1, a2, b1, b2] = [named(lib, a, "a1"), named(lib, a, "a2"), named(lib, b, "b1"), named(lib, b, "b2")];
        a1.node.addDependency(b1);
        b2.node.addDependency(a2);
      }),
      gives: thrown(expect.stringMatching(/^Dependency cycle detected: /)),
    },
    {
      rule: "which each of them does not notice",
      program: (lib) => {
        const app = uncheckedApp(lib);
        const [a, b] = [new lib.Chart(app, "a"), new lib.Chart(app, "b")];
        a.addDependency(b);
        b.addDependency(a);
        named(lib, a, "o");
        return [a.toJson().length, b.toJson().length];
      },
      gives: [1, 0],
    },
  ]);

  differentOnPurpose([
    {
      rule: "a chart that depends on itself",
      because: "cdk8s leaves the chart out without a word",
      program: fileNames((lib, app) => {
        const chart = new lib.Chart(app, "a");
        chart.addDependency(chart);
      }),
      cdk8s: [],
      slipway: thrown("Dependency cycle detected: a => a"),
    },
    {
      rule: "charts asked for again after synthesis",
      because: "what synthesis finds out is not added to the dependencies that the program has declared",
      program: (lib) => {
        const app = uncheckedApp(lib);
        nested(lib, app);
        app.synthYaml();
        return paths(app.charts);
      },
      cdk8s: ["p/z", "p/a", "p", "o"],
      slipway: ["p", "p/z", "p/a", "o"],
    },
    {
      rule: "an object that depends on itself",
      because: "cdk8s leaves the object out without a word",
      program: files((lib, app) => {
        const object = named(lib, new lib.Chart(app, "c"), "a");
        object.node.addDependency(object);
      }),
      cdk8s: { "c.k8s.yaml": "" },
      slipway: thrown("Dependency cycle detected: c/a => c/a"),
    },
  ]);
});

describe("names of files:", () => {
  const perResource = { yamlOutputType: FILE_PER_RESOURCE };
  const inFolders = { yamlOutputType: FOLDER_PER_CHART_FILE_PER_RESOURCE };
  const one =
    (props: object, change: (lib: Library, object: ReturnType<typeof objectIn>) => void = () => undefined) =>
    (lib: Library, app: App): void =>
      change(lib, objectIn(lib, new lib.Chart(app, "c"), "o", props));
  const odd = one({ kind: "we:ird", metadata: { name: "na me*_.x" } });
  const patched = one({ metadata: { name: "o" } }, ({ JsonPatch }, object) =>
    object.addJsonPatch(JsonPatch.replace("/kind", "L"), JsonPatch.replace("/metadata/name", "p")),
  );
  const unnamed = one({ metadata: { name: undefined } });
  const lazy = (lib: Library, app: App): void =>
    one({ metadata: { name: lib.Lazy.any({ produce: () => "later" }) } })(lib, app);
  sameOnBoth([
    { rule: "lose what a path should not have", program: fileNames(odd, perResource), gives: ["weird.name_.x"] },
    { rule: "in folders too", program: fileNames(odd, inFolders), gives: ["c/weird.name_.x"] },
    { rule: "per resource follow patches", program: fileNames(patched, perResource), gives: ["L.p"] },
    { rule: "in folders do not", program: fileNames(patched, inFolders), gives: ["c/K.o"] },
    { rule: "per resource follow what is computed later", program: fileNames(lazy, perResource), gives: ["K.later"] },
    { rule: "in folders do not", program: fileNames(lazy, inFolders), gives: ["c/K.objectObject"] },
    { rule: "in folders, without metadata", program: fileNames(unnamed, inFolders), gives: ["c/K.undefined"] },
    {
      rule: "per resource, without metadata",
      program: fileNames(unnamed, perResource),
      gives: thrown("Cannot read properties of undefined (reading 'name')"),
    },
    {
      rule: "per resource, with metadata but no name",
      program: fileNames(one({ metadata: { name: null, namespace: "s" } }), perResource),
      gives: ["K.undefined"],
    },
  ]);
});

describe("folders:", () => {
  sameOnBoth([
    {
      rule: "are made as deep as needed",
      program: (lib) =>
        inTemporaryFolder((folder) => {
          const app = uncheckedApp(lib, { outdir: `${folder}/a/b` });
          new lib.Chart(app, "c");
          app.synth();
          return readFiles(folder);
        }),
      gives: { "a/b/c.k8s.yaml": "" },
    },
    {
      rule: "files of the same name are replaced, others are left alone",
      program: (lib) =>
        inTemporaryFolder((outdir) => {
          for (const ids of [["a", "b"], ["b"]]) {
            const app = uncheckedApp(lib, { outdir });
            for (const id of ids) named(lib, new lib.Chart(app, id), `${id}${ids.length}`);
            app.synth();
          }
          return readFiles(outdir);
        }),
      gives: { "a.k8s.yaml": manifest("a2"), "b.k8s.yaml": manifest("b1") },
    },
    {
      rule: "synthYaml makes none",
      program: (lib) =>
        inTemporaryFolder((folder) => {
          const app = uncheckedApp(lib, { outdir: `${folder}/a` });
          new lib.Chart(app, "c");
          app.synthYaml();
          return readFiles(folder);
        }),
      gives: {},
    },
  ]);
});

describe("overridden toJson of a chart:", () => {
  const overriding =
    (toJson: (rendered: unknown[], chart: Chart) => unknown) =>
    (lib: Library, app: App): void => {
      class Overriding extends lib.Chart {
        override toJson(): never {
          return toJson(super.toJson(), this) as never;
        }
      }
      const chart = new Overriding(app, "c");
      named(lib, chart, "a");
      named(lib, chart, "b");
    };
  const more = overriding((rendered) => [{ apiVersion: "v1", kind: "K", metadata: { name: "x" } }, ...rendered]);
  const map = overriding((rendered) => ({ second: rendered[1], 1: rendered[0] }));
  const gap = overriding((rendered) => [rendered[0], undefined]);
  const nothing = overriding((rendered) => [rendered[0], null]);
  const text =
    (build: (lib: Library, app: App) => void): Program =>
    (lib) => {
      const app = uncheckedApp(lib);
      build(lib, app);
      return app.synthYaml();
    };
  sameOnBoth([
    { rule: "is written", program: files(more), gives: { "c.k8s.yaml": manifest("x", "a", "b") } },
    {
      rule: "per app too",
      program: files(more, { yamlOutputType: FILE_PER_APP }),
      gives: { "app.k8s.yaml": manifest("x", "a", "b") },
    },
    {
      rule: "per resource too",
      program: fileNames(more, { yamlOutputType: FILE_PER_RESOURCE }),
      gives: ["K.a", "K.b", "K.x"],
    },
    { rule: "not in folders", program: fileNames(more, { yamlOutputType: 3 }), gives: ["c/K.a", "c/K.b"] },
    { rule: "as text too", program: text(more), gives: manifest("x", "a", "b") },
    { rule: "may be a map", program: text(map), gives: manifest("a", "b") },
    { rule: "undefined is an empty document", program: text(gap), gives: `${manifest("a")}---\n\n` },
    {
      rule: "undefined is no resource",
      program: fileNames(gap, { yamlOutputType: FILE_PER_RESOURCE }),
      gives: ["K.a"],
    },
    { rule: "null is null", program: text(nothing), gives: `${manifest("a")}---\nnull\n` },
    {
      rule: "null is no resource",
      program: files(nothing, { yamlOutputType: FILE_PER_RESOURCE }),
      gives: thrown(expect.stringMatching(/^Cannot .*null/)),
    },
    {
      rule: "may take a child away before",
      program: (lib) => {
        class Removing extends lib.Chart {
          override toJson(): unknown[] {
            this.node.tryRemoveChild("a");
            return super.toJson();
          }
        }
        const build = (app: App): void => {
          const chart = new Removing(app, "c");
          for (const name of ["a", "b"]) named(lib, chart, name);
        };
        const app = uncheckedApp(lib);
        build(app);
        return [app.synthYaml(), synthFiles(lib, build)];
      },
      gives: [manifest("b"), { "c.k8s.yaml": manifest("b") }],
    },
  ]);
});

describe("construct metadata:", () => {
  const build = (lib: Library, app: App): void => {
    const [first, second] = [new lib.Chart(app, "first"), new lib.Chart(app, "second")];
    named(lib, first, "a");
    named(lib, new Construct(first, "m"), "7");
    named(lib, second, "same");
    named(lib, new Construct(second, "n"), "same");
    objectIn(lib, second, "generated");
    first.addDependency(second);
  };
  const resources = {
    7: { path: "first/m/7" },
    same: { path: "second/n/same" },
    "second-generated-c8a0b558": { path: "second/generated" },
    a: { path: "first/a" },
  };
  const recorded =
    (props: AppProps): Program =>
    (lib) =>
      (files(build, props)(lib) as Files)["construct-metadata.json"];
  const text = JSON.stringify({ version: "1.0.0", resources });
  sameOnBoth([
    {
      rule: "names and paths, in the order of charts and objects",
      program: recorded({ recordConstructMetadata: true }),
      gives: text,
    },
    {
      rule: "in each kind of output",
      program: (lib) =>
        [0, 1, 2, 3, 7].map((type) => recorded({ recordConstructMetadata: true, yamlOutputType: type as never })(lib)),
      gives: [text, text, text, text, text],
    },
    { rule: "not unless it is asked for", program: recorded({}), gives: undefined },
  ]);
});

describe("how often things happen:", () => {
  const counted =
    (work: (app: App) => unknown): Program =>
    (lib) =>
      inTemporaryFolder((outdir) => {
        let produced = 0;
        const app = uncheckedApp(lib, { outdir });
        const produce = (): number => {
          produced += 1;
          return produced;
        };
        for (const id of ["a", "b"]) objectIn(lib, new lib.Chart(app, id), "o", { spec: lib.Lazy.any({ produce }) });
        work(app);
        return produced;
      });
  sameOnBoth([
    { rule: "synth computes each Lazy once", program: counted((app) => app.synth()), gives: 2 },
    { rule: "so does synthYaml", program: counted((app) => app.synthYaml()), gives: 2 },
    { rule: "and again the next time", program: counted((app) => [app.synth(), app.synth()]), gives: 4 },
    { rule: "charts computes none", program: counted((app) => app.charts), gives: 0 },
  ]);
});

describe("what cannot be written", () => {
  sameOnBoth([
    {
      rule: "validation comes before dependencies in synth",
      program: files((lib, app) => {
        const object = named(lib, new lib.Chart(app, "c"), "o");
        object.node.addDependency(new Construct(app, "outside"));
        object.node.addValidation({ validate: () => ["no"] });
      }),
      gives: thrown("Validation failed with the following errors:\n  [c/o] no"),
    },
    {
      rule: "and after them in synthYaml",
      program: (lib) => {
        const app = uncheckedApp(lib);
        const object = named(lib, new lib.Chart(app, "c"), "o");
        object.node.addDependency(new Construct(app, "outside"));
        object.node.addValidation({ validate: () => ["no"] });
        return app.synthYaml();
      },
      gives: thrown("cannot find a parent chart (directly or indirectly)"),
    },
    {
      rule: "a folder whose place is taken by a file",
      program: (lib) =>
        inTemporaryFolder((folder) => {
          const first = uncheckedApp(lib, { outdir: folder, outputFileExtension: "" });
          new lib.Chart(first, "c");
          first.synth();
          uncheckedApp(lib, { outdir: `${folder}/c` }).synth();
        }),
      gives: thrown("EEXIST: file already exists, mkdir 'OUT/c'"),
    },
  ]);

  differentOnPurpose([
    {
      rule: "per resource, the first object with an error is the one that is named",
      because: "each object is written before the next one is rendered",
      program: files(
        (lib, app) => {
          const chart = new lib.Chart(app, "c");
          objectIn(lib, chart, "a", { metadata: { name: undefined } });
          objectIn(lib, chart, "b", { metadata: { name: "b" }, spec: new Date(0) });
        },
        { yamlOutputType: FILE_PER_RESOURCE },
      ),
      cdk8s: thrown(expect.stringMatching(/^Failed serializing construct at path 'c\/b'/)),
      slipway: thrown("Cannot read properties of undefined (reading 'name')"),
    },
    {
      rule: "when an object cannot be rendered, no file is written",
      because: "half of the files of one run and half of another are worse than all of the last one",
      program: (lib) =>
        inTemporaryFolder((outdir) => {
          const app = uncheckedApp(lib, { outdir });
          named(lib, new lib.Chart(app, "first"), "a");
          objectIn(lib, new lib.Chart(app, "second"), "o", { spec: new Date(0) });
          expect(() => app.synth()).toThrow("can't render non-simple object of type 'Date'");
          return Object.keys(readFiles(outdir));
        }),
      cdk8s: ["first.k8s.yaml"],
      slipway: [],
    },
  ]);
});

describe("what would be lost", () => {
  /** With the checks that an app of ours has by default. */
  const checked =
    (props: AppProps, build: (lib: Library, app: App) => void): Program =>
    (lib) =>
      inTemporaryFolder((outdir) => {
        const app = new lib.App({ outdir, ...props });
        build(lib, app);
        app.synth();
        return readFiles(outdir);
      });
  differentOnPurpose([
    {
      rule: "two constructs for one object of the cluster",
      because: "the one that is applied last would win, and the other one is lost",
      program: checked({}, (lib, app) => {
        const chart = new lib.Chart(app, "c");
        objectIn(lib, chart, "a", { metadata: { name: "same" } });
        objectIn(lib, chart, "b", { metadata: { name: "same" } });
      }),
      cdk8s: { "c.k8s.yaml": manifest("same", "same") },
      slipway: thrown(expect.stringMatching(/K\/same.*c\/a.*c\/b/s)),
    },
    {
      rule: "two objects for one file",
      because: "the object that is written first is lost",
      program: checked({ yamlOutputType: FILE_PER_RESOURCE }, (lib, app) => {
        const chart = new lib.Chart(app, "c");
        objectIn(lib, chart, "a", { apiVersion: "rbac/v1", metadata: { name: "system:x" } });
        objectIn(lib, chart, "b", { apiVersion: "rbac/v1", metadata: { name: "systemx" } });
      }),
      cdk8s: { "K.systemx.k8s.yaml": "apiVersion: rbac/v1\nkind: K\nmetadata:\n  name: systemx\n" },
      slipway: thrown(expect.stringContaining("K.systemx.k8s.yaml")),
    },
    {
      rule: "two charts for one file",
      because: "the chart that is written first is lost",
      program: checked({}, (lib, app) => {
        const group = new Construct(app, "m");
        named(lib, new lib.Chart(new Construct(group, "Default"), "c"), "a");
        named(lib, new lib.Chart(group, "c"), "b");
      }),
      cdk8s: { "m-c-c82504d5.k8s.yaml": manifest("b") },
      slipway: thrown(expect.stringContaining("m-c-c82504d5.k8s.yaml")),
    },
  ]);
});
