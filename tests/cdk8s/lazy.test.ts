import { describe, expect } from "vitest";
import type { Library } from "./libraries.ts";
import { type Program, sameOnBoth } from "./same-program.ts";
import { chartIn, objectIn, rendered } from "./trees.ts";

function spec(make: (lib: Library) => unknown): Program {
  return (lib) => (rendered(lib, { spec: make(lib) }) as { readonly spec: unknown }).spec;
}

describe("a Lazy:", () => {
  sameOnBoth([
    {
      rule: "holds its producer",
      program: (lib) => Object.keys(lib.Lazy.any({ produce: () => 1 })),
      gives: ["producer"],
    },
    { rule: "produces", program: (lib) => lib.Lazy.any({ produce: () => 7 }).produce(), gives: 7 },
    {
      rule: "asks its producer as a method",
      program: (lib) => {
        const producer = {
          value: 7,
          produce(): number {
            return this.value;
          },
        };
        return lib.Lazy.any(producer).produce();
      },
      gives: 7,
    },
    {
      rule: "is instanceof Lazy",
      program: (lib) => (lib.Lazy.any({ produce: () => 1 }) as unknown) instanceof lib.Lazy,
      gives: true,
    },
    {
      rule: "may give another one, tokens, lists and dictionaries",
      program: spec(({ Lazy }) =>
        Lazy.any({
          produce: () =>
            Lazy.any({
              produce: () => ({
                a: [Lazy.any({ produce: () => ({ resolve: () => "x" }) })],
                b: Lazy.any({ produce: () => [1] }),
              }),
            }),
        }),
      ),
      gives: { a: ["x"], b: [1] },
    },
    {
      rule: "that gives nothing is left out",
      program: spec(({ Lazy }) => ({
        a: Lazy.any({ produce: () => null }),
        b: Lazy.any({ produce: () => undefined }),
        c: 1,
      })),
      gives: { c: 1 },
    },
    {
      rule: "that gives nothing leaves a hole in a list",
      program: spec(({ Lazy }) => [Lazy.any({ produce: () => undefined }), 1]),
      gives: [undefined, 1],
    },
    {
      rule: "is computed once per rendering, in props and in metadata",
      program: (lib) => {
        let count = 0;
        const produce = (): string => {
          count += 1;
          return String(count);
        };
        const next = lib.Lazy.any({ produce });
        const object = objectIn(lib, chartIn(lib), "o", {
          metadata: { name: "o", labels: { a: next } },
          spec: { a: next },
        });
        const labelAndSpec = (): unknown => {
          const { metadata, spec } = object.toJson();
          return [metadata.labels.a, spec.a];
        };
        return [labelAndSpec(), labelAndSpec()];
      },
      gives: [
        ["1", "2"],
        ["3", "4"],
      ],
    },
    {
      rule: "may be the kind",
      program: (lib) => rendered(lib, { kind: lib.Lazy.any({ produce: () => "L" }) }),
      gives: { apiVersion: "v1", kind: "L", metadata: { name: "o" } },
    },
    {
      rule: "may be a namespace, an annotation, a finalizer",
      program: (lib) => {
        const later = (value: unknown): never => lib.Lazy.any({ produce: () => value }) as never;
        return rendered(lib, {
          metadata: { name: "o", namespace: later("s"), annotations: { a: later("x") }, finalizers: [later("f")] },
        });
      },
      gives: {
        apiVersion: "v1",
        kind: "K",
        metadata: { annotations: { a: "x" }, finalizers: ["f"], name: "o", namespace: "s" },
      },
    },
    {
      rule: "cannot be all labels",
      program: (lib) =>
        rendered(lib, { metadata: { name: "o", labels: lib.Lazy.any({ produce: () => ({ a: "x" }) }) } }),
      gives: {
        apiVersion: "v1",
        kind: "K",
        metadata: { labels: { producer: { produce: expect.any(Function) } }, name: "o" },
      },
    },
  ]);
});
