import { runInNewContext } from "node:vm";
import type { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { describe, expect } from "vitest";
import { withEnvironment } from "./environment.ts";
import type { Library } from "./libraries.ts";
import { uncheckedApp } from "./output-files.ts";
import { differentOnPurpose, type Program, sameOnBoth, thrown } from "./same-program.ts";
import { chartIn, objectIn, rendered } from "./trees.ts";

describe("fields:", () => {
  const groupOf =
    (apiVersion: unknown): Program =>
    (lib) =>
      objectIn(lib, chartIn(lib), "o", { apiVersion }).apiGroup;
  const noGroup = (apiVersion: string): unknown =>
    thrown(
      `invalid apiVersion ${apiVersion}, expecting GROUP/VERSION. ` +
        "See https://kubernetes.io/docs/reference/using-api/api-overview/#api-groups",
    );
  sameOnBoth([
    {
      rule: "are those of the props",
      program: (lib) => {
        const chart = chartIn(lib);
        const { apiVersion, apiGroup, kind, name, chart: of } = objectIn(lib, chart, "o", { apiVersion: "apps/v1" });
        return [apiVersion, apiGroup, kind, name, of === chart];
      },
      gives: ["apps/v1", "apps", "K", "test-o-c8d712ba", true],
    },
    { rule: "a version alone is in the group core", program: groupOf("v1"), gives: "core" },
    { rule: "so is none", program: groupOf(""), gives: "core" },
    { rule: "group and version", program: groupOf("batch/v1"), gives: "batch" },
    { rule: "an empty group", program: groupOf("/v1"), gives: "" },
    { rule: "three parts", program: groupOf("a/b/c"), gives: noGroup("a/b/c") },
    {
      rule: "no apiVersion",
      program: groupOf(undefined),
      gives: thrown("Cannot read properties of undefined (reading 'split')"),
    },
    {
      rule: "an apiVersion that is computed later",
      program: (lib) => groupOf(lib.Lazy.any({ produce: () => "v1" }))(lib),
      gives: thrown("apiVersion.split is not a function"),
    },
    { rule: "no kind", program: (lib) => objectIn(lib, chartIn(lib), "o", { kind: undefined }).kind, gives: undefined },
    {
      rule: "no props",
      program: (lib) => new lib.ApiObject(chartIn(lib), "o", undefined as never),
      gives: thrown("Cannot read properties of undefined (reading 'kind')"),
    },
  ]);
});

describe("without a chart above it", () => {
  sameOnBoth([
    {
      rule: "an object cannot be made, but is in the tree",
      program: (lib) => {
        const app = new lib.App();
        let message: unknown;
        try {
          objectIn(lib, app, "o");
        } catch (error) {
          message = (error as Error).message;
        }
        return [message, app.node.children.length];
      },
      gives: ["cannot find a parent chart (directly or indirectly)", 1],
    },
  ]);
});

describe("names:", () => {
  const nameOf =
    (metadata: unknown): Program =>
    (lib) => {
      const object = objectIn(lib, chartIn(lib), "o", { metadata });
      return [object.name, object.metadata.name, object.toJson().metadata];
    };
  const generated = "test-o-c8d712ba";
  sameOnBoth([
    { rule: "generated from the path", program: nameOf(undefined), gives: [generated, generated, { name: generated }] },
    { rule: "no metadata at all", program: nameOf(null), gives: [generated, generated, { name: generated }] },
    { rule: "given", program: nameOf({ name: "n" }), gives: ["n", "n", { name: "n" }] },
    { rule: "given as an empty text", program: nameOf({ name: "" }), gives: ["", "", { name: "" }] },
    {
      rule: "the name is lost when it is explicitly none",
      program: nameOf({ name: undefined }),
      gives: [generated, undefined, undefined],
    },
    { rule: "null too", program: nameOf({ name: null }), gives: [generated, null, undefined] },
    {
      rule: "a Lazy is the name until it is rendered",
      program: (lib) => {
        const name = lib.Lazy.any({ produce: () => "n" });
        const object = objectIn(lib, chartIn(lib), "o", { metadata: { name } });
        return [object.name === name, object.toJson().metadata];
      },
      gives: [true, { name: "n" }],
    },
    {
      rule: "the chart may name its objects, which have kind, version, group and chart by then",
      program: (lib) => {
        class Named extends lib.Chart {
          override generateObjectName(object: ApiObject): string {
            const { kind, apiVersion, apiGroup, chart, name, metadata } = object;
            return JSON.stringify([kind, apiVersion, apiGroup, chart === this, name, metadata, object.node.id]);
          }
        }
        const chart = new Named(new lib.App(), "c");
        return [objectIn(lib, chart, "o").name, objectIn(lib, chart, "p", { metadata: { name: "given" } }).name];
      },
      gives: ['["K","v1","core",true,null,null,"o"]', "given"],
    },
    {
      rule: "the nearest chart names them",
      program: (lib) => {
        class Named extends lib.Chart {
          override generateObjectName(): string {
            return `of-${this.node.id}`;
          }
        }
        const outer = new Named(new lib.App(), "outer");
        const inner = new Named(new Construct(outer, "between"), "inner");
        return objectIn(lib, new Construct(inner, "m"), "o").name;
      },
      gives: "of-inner",
    },
  ]);
});

describe("what comes from the chart:", () => {
  const chart = { namespace: "s", labels: { a: "chart", b: "chart" } };
  const metadata =
    (given: object): Program =>
    (lib) =>
      (rendered(lib, { metadata: { name: "o", ...given } }, chart) as { metadata: unknown }).metadata;
  sameOnBoth([
    {
      rule: "namespace and labels",
      program: metadata({}),
      gives: { labels: { a: "chart", b: "chart" }, name: "o", namespace: "s" },
    },
    {
      rule: "those of the object win",
      program: metadata({ namespace: "t", labels: { b: "object", c: "object" } }),
      gives: { labels: { a: "chart", b: "object", c: "object" }, name: "o", namespace: "t" },
    },
    {
      rule: "an empty namespace wins, null does not",
      program: (lib) => [metadata({ namespace: "" })(lib), metadata({ namespace: null })(lib)],
      gives: [
        { labels: { a: "chart", b: "chart" }, name: "o", namespace: "" },
        { labels: { a: "chart", b: "chart" }, name: "o", namespace: "s" },
      ],
    },
    {
      rule: "labels as they were when the object was made",
      program: (lib) => {
        const labels: Record<string, string> = { a: "1" };
        const of = chartIn(lib, { labels });
        const first = objectIn(lib, of, "o", { metadata: { name: "o" } });
        labels.b = "2";
        return [first, objectIn(lib, of, "p", { metadata: { name: "p" } })].map(
          (object) => object.toJson().metadata.labels,
        );
      },
      gives: [{ a: "1" }, { a: "1", b: "2" }],
    },
  ]);
});

describe("ApiObject.of:", () => {
  sameOnBoth([
    {
      rule: "an object",
      program: (lib) => {
        const object = objectIn(lib, chartIn(lib), "o");
        return lib.ApiObject.of(object) === object;
      },
      gives: true,
    },
    ...["Default", "Resource"].map((id) => ({
      rule: `the child with id ${id}`,
      program: (lib: Library): unknown => {
        const construct = new Construct(chartIn(lib), "m");
        const object = objectIn(lib, construct, id);
        return lib.ApiObject.of(construct) === object;
      },
      gives: true,
    })),
    {
      rule: "a child of that child",
      program: (lib) => {
        const construct = new Construct(chartIn(lib), "m");
        const object = objectIn(lib, new Construct(construct, "Default"), "Resource");
        return lib.ApiObject.of(construct) === object;
      },
      gives: true,
    },
    {
      rule: "the child that was said to be it",
      program: (lib) => {
        const construct = new Construct(chartIn(lib), "m");
        const object = objectIn(lib, construct, "x");
        construct.node.defaultChild = object;
        return lib.ApiObject.of(construct) === object;
      },
      gives: true,
    },
    {
      rule: "none",
      program: (lib) => {
        const construct = new Construct(chartIn(lib), "m");
        objectIn(lib, construct, "x");
        return lib.ApiObject.of(construct);
      },
      gives: thrown("cannot find a (direct or indirect) child of type ApiObject for construct test/m"),
    },
    {
      rule: "none below the child",
      program: (lib) => {
        const construct = new Construct(chartIn(lib), "m");
        new Construct(construct, "Resource");
        return lib.ApiObject.of(construct);
      },
      gives: thrown("cannot find a (direct or indirect) child of type ApiObject for construct test/m/Resource"),
    },
    {
      rule: "two",
      program: (lib) => {
        const construct = new Construct(chartIn(lib), "m");
        objectIn(lib, construct, "Default");
        objectIn(lib, construct, "Resource");
        return lib.ApiObject.of(construct);
      },
      gives: thrown(
        'Cannot determine default child for test/m. There is both a child with id "Resource" and id "Default"',
      ),
    },
  ]);
});

describe("toJson:", () => {
  const json =
    (props: object): Program =>
    (lib) =>
      rendered(lib, props);
  const text =
    (props: object): Program =>
    (lib) =>
      JSON.stringify(rendered(lib, props));
  const head = { apiVersion: "v1", kind: "K", metadata: { name: "o" } };
  sameOnBoth([
    { rule: "the least there is", program: json({}), gives: head },
    { rule: "spec", program: json({ spec: { a: 1 } }), gives: { ...head, spec: { a: 1 } } },
    { rule: "data", program: json({ data: { a: "1" } }), gives: { ...head, data: { a: "1" } } },
    {
      rule: "apiVersion, kind and metadata come first, then the keys in order",
      program: text({ zzz: 1, aaa: { b: 1, a: 2 }, spec: { "2": 1, "10": 2, b: 3, a: 4 } }),
      gives:
        '{"apiVersion":"v1","kind":"K","metadata":{"name":"o"},' +
        '"aaa":{"a":2,"b":1},"spec":{"2":1,"10":2,"a":4,"b":3},"zzz":1}',
    },
    {
      rule: "order is by code unit",
      program: text({ spec: { é: 1, z: 2, Z: 3, _: 4, "\ud83d\ude00": 5, "\uff5e": 6 } }),
      gives:
        '{"apiVersion":"v1","kind":"K","metadata":{"name":"o"},' +
        '"spec":{"Z":3,"_":4,"z":2,"é":1,"\ud83d\ude00":5,"\uff5e":6}}',
    },
    {
      rule: "nothing but null and undefined is left out",
      program: json({ a: null, b: undefined, c: false, d: 0, e: "", f: [], g: {}, h: { i: null } }),
      gives: { ...head, c: false, d: 0, e: "", f: [], g: {}, h: {} },
    },
    {
      rule: "in lists they leave holes",
      program: json({ a: [null, undefined, 1, [], {}, [null]] }),
      gives: { ...head, a: [undefined, undefined, 1, [], {}, [undefined]] },
    },
    {
      rule: "in lists with gaps these stay",
      program: json({ a: Object.assign([1], { 2: null }) }),
      gives: { ...head, a: Object.assign([1], { 2: undefined }) },
    },
    {
      rule: "dictionaries of another realm, as tests in jest have them",
      program: json({ spec: runInNewContext("({ b: { d: 1, c: null }, a: null })") }),
      gives: { ...head, spec: { b: { d: 1 } } },
    },
    {
      rule: "a dictionary with another one as its prototype, without what it inherits",
      program: json({ spec: Object.assign(Object.create({ inherited: 1 }), { own: 2 }) }),
      gives: { ...head, spec: { own: 2 } },
    },
    {
      rule: "numbers of any kind",
      program: json({ a: [Number.NaN, Number.POSITIVE_INFINITY, -0, 1e21, 2n ** 64n] }),
      gives: { ...head, a: [Number.NaN, Number.POSITIVE_INFINITY, -0, 1e21, 2n ** 64n] },
    },
    {
      rule: "metadata that is empty",
      program: (lib) => objectIn(lib, chartIn(lib), "o", { metadata: { name: null } }).toJson(),
      gives: { apiVersion: "v1", kind: "K" },
    },
    {
      rule: "an empty kind and version",
      program: (lib) =>
        objectIn(lib, chartIn(lib), "o", { apiVersion: "", kind: null, metadata: { name: "o" } }).toJson(),
      gives: { apiVersion: "", metadata: { name: "o" } },
    },
    {
      rule: "from fresh data at each call",
      program: (lib) => {
        const object = objectIn(lib, chartIn(lib), "o", { metadata: { name: "o" }, spec: { a: [1] } });
        object.toJson().spec.a.push(2);
        return object.toJson();
      },
      gives: { ...head, spec: { a: [1] } },
    },
    {
      rule: "of props as they are then; the fields are as they were",
      program: (lib) => {
        const props = { apiVersion: "v1", kind: "K", metadata: { name: "o" }, spec: { a: 1 } };
        const object = new lib.ApiObject(chartIn(lib), "o", props);
        Object.assign(props, { kind: "L", apiVersion: "v2", spec: { a: 2 } });
        return [object.toJson(), object.kind, object.apiVersion];
      },
      gives: [{ ...head, apiVersion: "v2", kind: "L", spec: { a: 2 } }, "K", "v1"],
    },
    {
      rule: "CDK8S_DISABLE_SORT keeps the order of the props",
      program: (lib) =>
        withEnvironment({ CDK8S_DISABLE_SORT: "0" }, () =>
          JSON.stringify(
            rendered(lib, {
              z: 1,
              metadata: { name: "o", b: 1, a: 2 },
              kind: "K",
              a: { d: 1, c: 2 },
              apiVersion: "v1",
            }),
          ),
        ),
      gives: '{"apiVersion":"v1","kind":"K","metadata":{"a":2,"b":1,"name":"o"},"z":1,"a":{"d":1,"c":2}}',
    },
    {
      rule: "not when it is empty",
      program: (lib) =>
        withEnvironment({ CDK8S_DISABLE_SORT: "" }, () => JSON.stringify(rendered(lib, { z: 1, a: 2 }))),
      gives: '{"apiVersion":"v1","kind":"K","metadata":{"name":"o"},"a":2,"z":1}',
    },
    {
      rule: "a subclass may add to it",
      program: (lib) => {
        class Twice extends lib.ApiObject {
          override toJson(): unknown {
            return { ...super.toJson(), more: 1 };
          }
        }
        const chart = chartIn(lib);
        new Twice(chart, "o", { apiVersion: "v1", kind: "K", metadata: { name: "o" } });
        return chart.toJson();
      },
      gives: [{ ...head, more: 1 }],
    },
  ]);
});

describe("patches:", () => {
  const patched =
    (patch: (lib: Library, object: ApiObject) => void, props: object = { spec: { a: 1 } }): Program =>
    (lib) => {
      const object = objectIn(lib, chartIn(lib), "o", { metadata: { name: "o" }, ...props });
      patch(lib, object);
      return JSON.stringify(object.toJson());
    };
  const start = '{"apiVersion":"v1","kind":"K","metadata":{"name":"o"}';
  sameOnBoth([
    {
      rule: "are applied in the order they were added",
      program: patched(({ JsonPatch }, object) => {
        object.addJsonPatch(JsonPatch.add("/spec/b", 2), JsonPatch.replace("/spec/b", 3));
        object.addJsonPatch(JsonPatch.copy("/spec/b", "/spec/c"), JsonPatch.move("/spec/a", "/spec/d"));
        object.addJsonPatch(JsonPatch.remove("/spec/b"), JsonPatch.test("/spec/c", 3));
      }),
      gives: `${start},"spec":{"c":3,"d":1}}`,
    },
    {
      rule: "see keys in order, and no nulls",
      program: patched(({ JsonPatch }, object) => object.addJsonPatch(JsonPatch.test("/spec", { a: 1 })), {
        spec: { b: null, a: 1 },
      }),
      gives: `${start},"spec":{"a":1}}`,
    },
    {
      rule: "can add null, and keys out of order",
      program: patched(({ JsonPatch }, object) =>
        object.addJsonPatch(JsonPatch.add("/spec/0", { z: 1, a: null }), JsonPatch.add("/aaa", null)),
      ),
      gives: `${start},"spec":{"0":{"z":1,"a":null},"a":1},"aaa":null}`,
    },
    {
      rule: "can change apiVersion, kind and metadata, which come first all the same",
      program: patched(({ JsonPatch }, object) =>
        object.addJsonPatch(
          JsonPatch.remove("/kind"),
          JsonPatch.add("/kind", "L"),
          JsonPatch.replace("/metadata/name", "p"),
          JsonPatch.remove("/apiVersion"),
        ),
      ),
      gives: '{"kind":"L","metadata":{"name":"p"},"spec":{"a":1}}',
    },
    {
      rule: "are not resolved",
      program: patched((lib, object) =>
        object.addJsonPatch(lib.JsonPatch.add("/lazy", lib.Lazy.any({ produce: () => 1 }))),
      ),
      gives: `${start},"spec":{"a":1},"lazy":{"producer":{}}}`,
    },
    {
      rule: "are applied to each rendering, and not used up",
      program: (lib) => {
        const object = objectIn(lib, chartIn(lib), "o", { metadata: { name: "o" }, spec: { list: [1] } });
        object.addJsonPatch(lib.JsonPatch.add("/spec/list/-", { deep: [2] }));
        object.toJson().spec.list[1].deep.push(3);
        return object.toJson().spec;
      },
      gives: { list: [1, { deep: [2] }] },
    },
  ]);
});

describe("an object that cannot be rendered", () => {
  const failing =
    (props: (lib: Library) => object): Program =>
    (lib) =>
      objectIn(lib, new Construct(chartIn(lib), "m"), "o", { metadata: { name: "n" }, ...props(lib) }).toJson();
  const failed = (text: string): unknown =>
    thrown(`Failed serializing construct at path 'test/m/o' with name 'n': ${text}`);
  class Money {}
  const thrower =
    (value: unknown) =>
    (lib: Library): object => ({
      spec: lib.Lazy.any({
        produce: () => {
          throw value;
        },
      }),
    });
  sameOnBoth([
    {
      rule: "a class of its own",
      program: failing(() => ({ spec: { price: new Money() } })),
      gives: failed("Error: can't render non-simple object of type 'Money'"),
    },
    {
      rule: "a date in metadata",
      program: failing(() => ({ metadata: { name: "n", at: new Date(0) } })),
      gives: failed("Error: can't render non-simple object of type 'Date'"),
    },
    {
      rule: "a map",
      program: failing(() => ({ spec: new Map() })),
      gives: failed("Error: can't render non-simple object of type 'Map'"),
    },
    {
      rule: "a class without a name",
      program: failing(() => ({ spec: [new (class {})()] })),
      gives: failed("Error: can't render non-simple object of type ''"),
    },
    {
      rule: "an error of a Lazy",
      program: failing(thrower(new RangeError("too far"))),
      gives: failed("RangeError: too far"),
    },
    { rule: "a text thrown by a Lazy", program: failing(thrower("too far")), gives: failed("too far") },
    {
      rule: "a patch without a target",
      program: (lib) => {
        const object = objectIn(lib, chartIn(lib), "o", { metadata: { name: "n" } });
        object.addJsonPatch(lib.JsonPatch.add("/spec/a", 1));
        object.toJson();
      },
      gives: thrown(
        "Failed serializing construct at path 'test/o' with name 'n': " +
          "TypeError: Cannot set properties of undefined (setting 'a')",
      ),
    },
    {
      rule: "a patch whose test fails",
      program: (lib) => {
        const object = objectIn(lib, chartIn(lib), "o", { metadata: { name: "n" } });
        object.addJsonPatch(lib.JsonPatch.test("/kind", "L"));
        object.toJson();
      },
      gives: thrown(
        expect.stringMatching(
          /^Failed serializing construct at path 'test\/o' with name 'n': TEST_OPERATION_FAILED: Test operation failed\n/,
        ),
      ),
    },
    {
      rule: "a root that has no resolvers",
      program: (lib) => {
        const root = new lib.Chart(undefined as never, "c");
        return objectIn(lib, root, "o", { metadata: { name: "n" } }).toJson();
      },
      gives: thrown("Failed serializing construct at path 'c/o' with name 'n': TypeError: resolvers is not iterable"),
    },
  ]);

  differentOnPurpose([
    {
      rule: "a dictionary with a key called constructor is one",
      because: "it is a name like any other in data and labels",
      program: failing(() => ({ spec: { constructor: "c" } })),
      cdk8s: failed("Error: can't render non-simple object of type 'undefined'"),
      slipway: { apiVersion: "v1", kind: "K", metadata: { name: "n" }, spec: { constructor: "c" } },
    },
    {
      rule: "so is a dictionary without a prototype",
      because: "that is how parsers make dictionaries whose keys may be anything",
      program: failing(() => ({ spec: Object.assign(Object.create(null), { a: 1 }) })),
      cdk8s: failed("TypeError: Cannot read properties of undefined (reading 'name')"),
      slipway: { apiVersion: "v1", kind: "K", metadata: { name: "n" }, spec: { a: 1 } },
    },
    {
      rule: "a key called __proto__ is one",
      because: "it is a name like any other in data and labels, and nothing is lost silently",
      program: (lib) => JSON.stringify(rendered(lib, { spec: JSON.parse('{"__proto__":{"a":1},"b":2}') })),
      cdk8s: '{"apiVersion":"v1","kind":"K","metadata":{"name":"o"},"spec":{"b":2}}',
      slipway: '{"apiVersion":"v1","kind":"K","metadata":{"name":"o"},"spec":{"__proto__":{"a":1},"b":2}}',
    },
    {
      rule: "a value that contains itself is named",
      because: "the size of a stack says nothing about the value",
      program: failing(() => {
        const circle: Record<string, unknown> = {};
        circle.list = [circle];
        return { spec: { circle } };
      }),
      cdk8s: failed("RangeError: Maximum call stack size exceeded"),
      slipway: failed("spec.circle.list[0]: it contains itself"),
    },
    {
      rule: "a function is named when it is written",
      because: "cdk8s does not say which object it is in",
      program: (lib) => {
        const chart = new lib.Chart(uncheckedApp(lib), "c");
        objectIn(lib, chart, "o", { metadata: { name: "n" }, spec: { call: () => 1 } });
        return lib.App.of(chart).synthYaml();
      },
      cdk8s: thrown("Tag not resolved for Function value"),
      slipway: thrown("K/n: spec.call: a function cannot be written as YAML. Put data there."),
    },
  ]);
});
