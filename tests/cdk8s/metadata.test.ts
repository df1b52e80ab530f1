import type { ApiObjectMetadataDefinition, ApiObjectMetadataDefinitionOptions } from "cdk8s";
import { describe } from "vitest";
import { withEnvironment } from "./environment.ts";
import type { Library } from "./libraries.ts";
import { differentOnPurpose, type Program, sameOnBoth, thrown } from "./same-program.ts";
import { chartIn, objectIn } from "./trees.ts";

type Options = Omit<ApiObjectMetadataDefinitionOptions, "apiObject"> & { readonly [key: string]: unknown };

function definition(lib: Library, options: Options = {}): ApiObjectMetadataDefinition {
  const apiObject = objectIn(lib, chartIn(lib), "o");
  return new lib.ApiObjectMetadataDefinition({ apiObject, ...options });
}

/** The definition as JSON, after `change`. */
function json(options: Options, change: (metadata: ApiObjectMetadataDefinition) => void = () => undefined): Program {
  return (lib) => {
    const metadata = definition(lib, options);
    change(metadata);
    return metadata.toJson();
  };
}

const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };

describe("what is rendered:", () => {
  sameOnBoth([
    { rule: "nothing of nothing", program: json({}), gives: undefined },
    {
      rule: "nothing of empty parts",
      program: json({ labels: {}, annotations: {}, finalizers: [] }),
      gives: undefined,
    },
    { rule: "an empty text", program: json({ namespace: "" }), gives: { namespace: "" } },
    { rule: "zero and false", program: json({ a: 0, b: false }), gives: { a: 0, b: false } },
    {
      rule: "keys in order, at every depth",
      program: json({
        name: "n",
        z: { b: 1, a: 2 },
        labels: { y: "1", x: "2" },
        namespace: "s",
        annotations: { q: "1" },
      }),
      gives: { annotations: { q: "1" }, labels: { x: "2", y: "1" }, name: "n", namespace: "s", z: { a: 2, b: 1 } },
    },
    { rule: "no empty parts, at any depth", program: json({ a: { b: { c: {} }, d: [] }, e: 1 }), gives: { e: 1 } },
    {
      rule: "a hole where an element is empty",
      program: json({ a: [{}, 1, []] }),
      gives: { a: [undefined, 1, undefined] },
    },
    { rule: "no null", program: json({ a: null, b: { c: undefined, d: 1 } }), gives: { b: { d: 1 } } },
    {
      rule: "labels of any type",
      program: json({ labels: { a: 1 as unknown as string } }),
      gives: { labels: { a: 1 } },
    },
    {
      rule: "a Lazy in annotations",
      program: (lib) => definition(lib, { annotations: { key: lib.Lazy.any({ produce: () => "value" }) } }).toJson(),
      gives: { annotations: { key: "value" } },
    },
    {
      rule: "a Lazy in a custom key",
      program: (lib) => definition(lib, { foo: { key: lib.Lazy.any({ produce: () => "value" }) } }).toJson(),
      gives: { foo: { key: "value" } },
    },
    {
      rule: "anything but a class",
      program: json({ created: new Date(0) }),
      gives: thrown("can't render non-simple object of type 'Date'"),
    },
  ]);
});

describe("additions:", () => {
  sameOnBoth([
    {
      rule: "a label of the same key is replaced",
      program: json({ labels: { a: "1", b: "1" } }, (metadata) => {
        metadata.addLabel("a", "2");
        metadata.addLabel("c", "3");
      }),
      gives: { labels: { a: "2", b: "1", c: "3" } },
    },
    {
      rule: "so is an annotation",
      program: json({ annotations: { a: "1" } }, (metadata) => {
        metadata.addAnnotation("a", "2");
        metadata.addAnnotation("b", "3");
      }),
      gives: { annotations: { a: "2", b: "3" } },
    },
    {
      rule: "finalizers are appended, as often as they are added",
      program: json({ finalizers: ["a"] }, (metadata) => metadata.addFinalizers("b", "a")),
      gives: { finalizers: ["a", "b", "a"] },
    },
    {
      rule: "so are owner references",
      program: json({ ownerReferences: [owner] }, (metadata) => metadata.addOwnerReference({ ...owner, name: "q" })),
      gives: { ownerReferences: [owner, { ...owner, name: "q" }] },
    },
    {
      rule: "any other key",
      program: json({ foo: "bar" }, (metadata) => {
        metadata.add("foo", { b: 1, a: 2 });
        metadata.add("hello", 7);
      }),
      gives: { foo: { a: 2, b: 1 }, hello: 7 },
    },
    {
      rule: "keys with methods of their own are not added that way",
      program: json({ name: "n", namespace: "s", labels: { a: "1" } }, (metadata) => {
        for (const key of ["name", "namespace", "labels", "annotations", "finalizers", "ownerReferences"]) {
          metadata.add(key, "other");
        }
      }),
      gives: { labels: { a: "1" }, name: "n", namespace: "s" },
    },
    {
      rule: "name and namespace can be assigned",
      program: json({ name: "n" }, (metadata) => Object.assign(metadata, { name: "m", namespace: "s" })),
      gives: { name: "m", namespace: "s" },
    },
  ]);
});

describe("getLabel:", () => {
  const label =
    (key: string): Program =>
    (lib) =>
      definition(lib, { labels: { a: "1" } }).getLabel(key);
  sameOnBoth([
    { rule: "a label", program: label("a"), gives: "1" },
    { rule: "none", program: label("b"), gives: undefined },
    {
      rule: "a Lazy as it is",
      program: (lib) => {
        const lazy = lib.Lazy.any({ produce: () => "value" });
        return definition(lib, { labels: { a: lazy } }).getLabel("a") === lazy;
      },
      gives: true,
    },
  ]);
});

describe("what the caller passed in:", () => {
  sameOnBoth([
    {
      rule: "collections are copied",
      program: (lib) => {
        const options = { labels: { a: "1" }, annotations: { a: "1" }, finalizers: ["a"], ownerReferences: [owner] };
        const metadata = definition(lib, options);
        options.labels.a = "2";
        options.annotations.a = "2";
        options.finalizers.push("b");
        options.ownerReferences.push(owner);
        return metadata.toJson();
      },
      gives: { annotations: { a: "1" }, finalizers: ["a"], labels: { a: "1" }, ownerReferences: [owner] },
    },
    {
      rule: "and not changed",
      program: (lib) => {
        const options = { labels: { a: "1" }, annotations: { a: "1" }, finalizers: ["a"], ownerReferences: [owner] };
        const metadata = definition(lib, options);
        metadata.addLabel("b", "2");
        metadata.addAnnotation("b", "2");
        metadata.addFinalizers("b");
        metadata.addOwnerReference(owner);
        return options;
      },
      gives: { labels: { a: "1" }, annotations: { a: "1" }, finalizers: ["a"], ownerReferences: [owner] },
    },
    {
      rule: "what is added to it later does not count, whatever resolves it",
      program: (lib) =>
        [[], [{ resolve: () => undefined }]].map((resolvers) => {
          const metadata: Record<string, unknown> = { name: "n" };
          const object = objectIn(lib, chartIn(lib, undefined, { resolvers }), "o", { metadata });
          Object.assign(metadata, { name: "m", labels: { a: "1" }, more: 1 });
          return object.toJson().metadata;
        }),
      gives: [{ name: "n" }, { name: "n" }],
    },
    {
      rule: "values of custom keys are shared",
      program: (lib) => {
        const custom = { a: 1 };
        const metadata = definition(lib, { custom });
        custom.a = 2;
        return metadata.toJson();
      },
      gives: { custom: { a: 2 } },
    },
    {
      rule: "the props of an object are not changed",
      program: (lib) => {
        const metadata = Object.freeze({ name: "n", labels: Object.freeze({ a: "1" }) });
        const object = objectIn(lib, chartIn(lib), "o", Object.freeze({ metadata }));
        object.metadata.addLabel("b", "2");
        object.metadata.add("c", "3");
        return [metadata, object.toJson().metadata];
      },
      gives: [
        { name: "n", labels: { a: "1" } },
        { c: "3", labels: { a: "1", b: "2" }, name: "n" },
      ],
    },
  ]);

  differentOnPurpose([
    {
      rule: "the options keep their apiObject",
      because: "an options object belongs to its caller, who may use it again",
      program: (lib) => {
        const options = { apiObject: objectIn(lib, chartIn(lib), "o"), a: 1 };
        new lib.ApiObjectMetadataDefinition(options).add("b", 2);
        return Object.keys(options);
      },
      cdk8s: ["a", "b"],
      slipway: ["apiObject", "a"],
    },
    {
      rule: "the options may be frozen",
      because: "an options object belongs to its caller, who may have frozen it",
      program: (lib) => {
        const options = Object.freeze({ apiObject: objectIn(lib, chartIn(lib), "o"), name: "n" });
        return new lib.ApiObjectMetadataDefinition(options).toJson();
      },
      cdk8s: thrown("Cannot delete property 'apiObject' of #<Object>"),
      slipway: { name: "n" },
    },
  ]);
});

describe("the environment:", () => {
  sameOnBoth([
    {
      rule: "CDK8S_DISABLE_SORT leaves metadata sorted",
      program: (lib) => withEnvironment({ CDK8S_DISABLE_SORT: "1" }, () => json({ z: 1, a: { y: 1, b: 2 } })(lib)),
      gives: { a: { b: 2, y: 1 }, z: 1 },
    },
  ]);
});

describe("without an object", () => {
  sameOnBoth([
    {
      rule: "nothing can be rendered",
      program: (lib) => new lib.ApiObjectMetadataDefinition({ name: "n" } as never).toJson(),
      gives: thrown("Cannot read properties of undefined (reading 'node')"),
    },
  ]);
});
