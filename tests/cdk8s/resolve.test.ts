import type { AppProps, IResolver, ResolutionContext } from "cdk8s";
import { describe } from "vitest";
import type { Library } from "./libraries.ts";
import { differentOnPurpose, type Program, sameOnBoth, thrown } from "./same-program.ts";
import { chartIn, objectIn, rendered } from "./trees.ts";

const head = { apiVersion: "v1", kind: "K", metadata: { name: "o" } };

/** An app whose only own resolver is `resolve`. */
function resolving(resolve: (context: ResolutionContext) => void): AppProps {
  return { resolvers: [{ resolve }] };
}

/** What becomes of `spec`. */
function spec(make: (lib: Library) => unknown, ...resolvers: readonly IResolver[]): Program {
  return (lib) =>
    (rendered(lib, { spec: make(lib) }, undefined, { resolvers: [...resolvers] }) as { readonly spec: unknown }).spec;
}

describe("order in which values are seen:", () => {
  /** Paths of all values that a resolver is asked about while `props` are rendered. */
  const seen =
    (props: object): Program =>
    (lib) => {
      const keys: string[] = [];
      rendered(
        lib,
        props,
        undefined,
        resolving(({ key }) => void keys.push(key.join("/"))),
      );
      return keys;
    };
  sameOnBoth([
    {
      rule: "metadata by itself, then all of the object; containers before what is in them; no nulls",
      program: seen({ metadata: { name: "o", annotations: { q: "1" } }, spec: { a: [1, { b: null, c: 2 }] } }),
      gives: [
        ...["", "name", "annotations", "annotations/q", "labels", "finalizers", "ownerReferences"],
        ...["", "apiVersion", "kind", "metadata", "metadata/annotations", "metadata/annotations/q", "metadata/name"],
        ...["spec", "spec/a", "spec/a/0", "spec/a/1", "spec/a/1/c"],
      ],
    },
    {
      rule: "the parts of metadata in the order of the props, a namespace only when there is one",
      program: seen({
        metadata: { name: "o", foo: { bar: 1 }, namespace: "s", labels: { l: "1" }, finalizers: ["f"] },
      }),
      gives: [
        ...[
          "",
          "name",
          "foo",
          "foo/bar",
          "namespace",
          "labels",
          "labels/l",
          "finalizers",
          "finalizers/0",
          "annotations",
        ],
        ...["ownerReferences", "", "apiVersion", "kind", "metadata", "metadata/finalizers", "metadata/finalizers/0"],
        ...["metadata/foo", "metadata/foo/bar", "metadata/labels", "metadata/labels/l", "metadata/name"],
        "metadata/namespace",
      ],
    },
    {
      rule: "what was added to metadata after namespace and labels",
      program: (lib) => {
        const keys: string[] = [];
        const chart = chartIn(
          lib,
          undefined,
          resolving(({ key }) => void keys.push(key.join("/"))),
        );
        const object = objectIn(lib, chart, "o", { metadata: { name: "o", a: 1, namespace: "s" } });
        for (const key of ["more", "finalizers", "a"]) object.metadata.add(key, 2);
        object.metadata.toJson();
        return keys;
      },
      gives: ["", "name", "a", "namespace", "labels", "more", "finalizers", "annotations", "ownerReferences"],
    },
    {
      rule: "in the order of the props, with metadata where it stands in them",
      program: (lib) => {
        const keys: string[] = [];
        const props = { z: 1, kind: "K", metadata: { name: "o" }, a: { d: 1, c: 2 }, apiVersion: "v1" };
        const chart = chartIn(
          lib,
          undefined,
          resolving(({ key }) => void keys.push(key.join("/"))),
        );
        new lib.ApiObject(chart, "o", props).toJson();
        return keys.slice(keys.lastIndexOf(""));
      },
      gives: ["", "z", "kind", "metadata", "metadata/name", "a", "a/d", "a/c", "apiVersion"],
    },
    {
      rule: "with the object they are in",
      program: (lib) => {
        const ids = new Set<string>();
        rendered(
          lib,
          { spec: { a: 1 } },
          undefined,
          resolving(({ obj }) => void ids.add(obj.node.path)),
        );
        return [...ids];
      },
      gives: ["test/o"],
    },
  ]);
});

describe("replaced values:", () => {
  const prefix: IResolver = {
    resolve(context) {
      if (typeof context.value === "string" && !context.value.startsWith("p-"))
        context.replaceValue(`p-${context.value}`);
    },
  };
  const when = (
    isMeant: (context: ResolutionContext) => boolean,
    replace: (context: ResolutionContext) => unknown,
  ): IResolver => ({
    resolve(context) {
      if (isMeant(context)) context.replaceValue(replace(context));
    },
  });
  const secret = when(
    ({ key, value }) => key.at(-1) === "secret" && value !== "hidden",
    () => "hidden",
  );
  sameOnBoth([
    { rule: "scalars", program: spec(() => ({ a: "x", b: [1, "y"] }), prefix), gives: { a: "p-x", b: [1, "p-y"] } },
    {
      rule: "apiVersion, kind and metadata too",
      program: (lib) => rendered(lib, { spec: 1 }, undefined, { resolvers: [prefix] }),
      gives: { apiVersion: "p-v1", kind: "p-K", metadata: { name: "p-o" }, spec: 1 },
    },
    {
      rule: "containers",
      program: spec(() => ({ secret: { a: [1] }, b: { secret: [1] } }), secret),
      gives: { secret: "hidden", b: { secret: "hidden" } },
    },
    {
      rule: "anonymous objects",
      program: spec(
        () => ({ a: { from: "x" } }),
        when(
          ({ value }) => value.from !== undefined,
          ({ value }) => ({ to: value.from }),
        ),
      ),
      gives: { a: { to: "x" } },
    },
    {
      rule: "the first resolver that replaces is the last one asked",
      program: (lib) => {
        const asked: string[] = [];
        const log = (name: string): IResolver => ({
          resolve: ({ key }) => void (key[0] === "spec" && asked.push(name)),
        });
        const once = when(
          ({ value }) => value === "x",
          () => "y",
        );
        rendered(lib, { spec: "x" }, undefined, { resolvers: [log("a"), once, log("b")] });
        return asked;
      },
      gives: ["a", "a", "b"],
    },
    {
      rule: "what replaces is resolved again with the same key",
      program: (lib) => {
        const keys: string[] = [];
        const deeper = when(
          ({ value }) => value === "x",
          () => ({ a: "y" }),
        );
        const log: IResolver = {
          resolve: ({ key, value }) =>
            void (key[0] === "spec" && keys.push(`${key.join("/")}=${JSON.stringify(value)}`)),
        };
        rendered(lib, { spec: ["x"] }, undefined, { resolvers: [log, deeper] });
        return keys;
      },
      gives: ['spec=["x"]', 'spec/0="x"', 'spec/0={"a":"y"}', 'spec/0/a="y"'],
    },
    {
      rule: "the last of two replacements counts",
      program: spec(() => 1, {
        resolve(context) {
          if (context.value !== 1) return;
          context.replaceValue(2);
          context.replaceValue(3);
        },
      }),
      gives: 3,
    },
    {
      rule: "undefined takes a key away, and leaves a hole in a list",
      program: spec(
        () => ({ a: "x", b: ["x", 1] }),
        when(
          ({ value }) => value === "x",
          () => undefined,
        ),
      ),
      gives: { b: [undefined, 1] },
    },
    {
      rule: "a Lazy or a token of a resolver is computed",
      program: (lib) =>
        spec(
          () => ({ a: 1, b: 2 }),
          when(
            ({ value }) => value === 1,
            () => lib.Lazy.any({ produce: () => ({ resolve: () => "x" }) }),
          ),
        )(lib),
      gives: { a: "x", b: 2 },
    },
    {
      rule: "resolvers see what a Lazy gives",
      program: spec((lib) => lib.Lazy.any({ produce: () => ["x"] }), prefix),
      gives: ["p-x"],
    },
    {
      rule: "the list of resolvers is read each time",
      program: (lib) => {
        const chart = chartIn(lib);
        const object = objectIn(lib, chart, "o", { metadata: { name: "o" }, spec: "x" });
        const before = object.toJson().spec;
        lib.App.of(chart).resolvers.unshift(prefix);
        return [before, object.toJson().spec];
      },
      gives: ["x", "p-x"],
    },
  ]);
});

describe("tokens:", () => {
  class Token {
    readonly #value: unknown;
    constructor(value: unknown) {
      this.#value = value;
    }
    resolve(): unknown {
      return this.#value;
    }
  }
  const looksLikeOne = "$".concat("{Token[TOKEN.1]}");
  const hidden = Object.defineProperty({ a: 1 }, "resolve", { value: () => "x", enumerable: false });
  sameOnBoth([
    {
      rule: "of a class",
      program: spec(() => ({ a: new Token("x"), b: [new Token({ c: new Token(1) })] })),
      gives: { a: "x", b: [{ c: 1 }] },
    },
    { rule: "a dictionary", program: spec(() => ({ a: { resolve: () => ["x"] } })), gives: { a: ["x"] } },
    { rule: "one whose method is not enumerable", program: spec(() => hidden), gives: "x" },
    {
      rule: "are called as a method, without arguments",
      program: spec(() => ({
        secret: 7,
        resolve(this: { readonly secret: number }, ...args: unknown[]): unknown {
          return [this.secret, args.length];
        },
      })),
      gives: [7, 0],
    },
    {
      rule: "a key called resolve that is no function",
      program: spec(() => ({ resolve: "x" })),
      gives: { resolve: "x" },
    },
    { rule: "text that looks like one", program: spec(() => looksLikeOne), gives: looksLikeOne },
    {
      rule: "in metadata",
      program: (lib) => rendered(lib, { metadata: { name: "o", labels: { a: new Token("x") } } }),
      gives: { ...head, metadata: { labels: { a: "x" }, name: "o" } },
    },
    { rule: "that give nothing", program: spec(() => ({ a: new Token(null), b: new Token(undefined) })), gives: {} },
  ]);
});

describe("unions of number and text:", () => {
  class IntOrString {
    readonly value: unknown;
    constructor(value: unknown) {
      this.value = value;
    }
  }
  class Port extends IntOrString {
    readonly more = 1;
  }
  sameOnBoth([
    {
      rule: "become dictionaries",
      program: spec(() => [new IntOrString(80), new IntOrString("http")]),
      gives: [{ value: 80 }, { value: "http" }],
    },
    { rule: "of a subclass, without its other fields", program: spec(() => new Port(0)), gives: { value: 0 } },
    { rule: "a dictionary stays as it is", program: spec(() => ({ value: 1, more: 2 })), gives: { more: 2, value: 1 } },
    {
      rule: "of anything else are classes like any other",
      program: (lib) => rendered(lib, { spec: new IntOrString(true) }),
      gives: thrown(
        "Failed serializing construct at path 'test/o' with name 'o': Error: can't render non-simple object of type 'IntOrString'",
      ),
    },
    {
      rule: "in metadata",
      program: (lib) => rendered(lib, { metadata: { name: "o", a: new IntOrString("x") } }),
      gives: { ...head, metadata: { a: { value: "x" }, name: "o" } },
    },
  ]);

  differentOnPurpose([
    {
      rule: "a list with a value of its own is a list",
      because: "its elements would be lost",
      program: spec(() => Object.assign([1, 2], { value: 3 })),
      cdk8s: { value: 3 },
      slipway: [1, 2],
    },
  ]);
});

describe("the function resolve:", () => {
  class Three {
    readonly value = 3;
  }
  sameOnBoth([
    {
      rule: "resolves with the resolvers of the app, and leaves nothing out",
      program: (lib) => {
        const object = objectIn(lib, chartIn(lib), "o");
        const value = { b: lib.Lazy.any({ produce: () => [null, undefined] }), a: undefined, c: new Date(0) };
        return lib.resolve(["key"], value, object);
      },
      gives: { b: [null, undefined], a: undefined, c: new Date(0) },
    },
    {
      rule: "nothing is nothing",
      program: (lib) => [null, undefined].map((value) => lib.resolve([], value, objectIn(lib, chartIn(lib), "o"))),
      gives: [null, undefined],
    },
    {
      rule: "not without an app",
      program: (lib) => lib.resolve([], 1, objectIn(lib, new lib.Chart(undefined as never, "c"), "o")),
      gives: thrown("resolvers is not iterable"),
    },
    {
      rule: "a context that was not used",
      program: (lib) => {
        const object = objectIn(lib, chartIn(lib), "o");
        const { obj, key, value, replaced, replacedValue } = new lib.ResolutionContext(object, ["a"], 1);
        return [obj === object, key, value, replaced, replacedValue];
      },
      gives: [true, ["a"], 1, false, undefined],
    },
    {
      rule: "each built-in resolver works alone",
      program: (lib) => {
        const object = objectIn(lib, chartIn(lib), "o");
        const [lazy, token, union] = [lib.Lazy.any({ produce: () => 1 }), { resolve: () => 2 }, new Three()];
        const by = (resolver: IResolver, ...values: readonly unknown[]): unknown[] =>
          values.map((value) => {
            const context = new lib.ResolutionContext(object, [], value);
            resolver.resolve(context);
            return context.replaced ? context.replacedValue : "left";
          });
        return [
          by(new lib.LazyResolver(), lazy, token, union),
          by(new lib.ImplicitTokenResolver(), token, union),
          by(new lib.NumberStringUnionResolver(), lazy, token, union),
        ];
      },
      gives: [
        [1, "left", "left"],
        [2, "left"],
        ["left", "left", { value: 3 }],
      ],
    },
  ]);

  differentOnPurpose([
    {
      rule: "a Lazy is a token as well",
      because: "that is how it works in an app of another copy of the library, cdk8s included",
      program: (lib) => {
        const context = new lib.ResolutionContext(
          objectIn(lib, chartIn(lib), "o"),
          [],
          lib.Lazy.any({ produce: () => 1 }),
        );
        new lib.ImplicitTokenResolver().resolve(context);
        return context.replacedValue;
      },
      cdk8s: undefined,
      slipway: 1,
    },
  ]);
});
