import { Construct } from "constructs";
import { describe, expect } from "vitest";
import type { Library } from "./libraries.ts";
import { differentOnPurpose, type Program, sameOnBoth, thrown } from "./same-program.ts";
import { paths } from "./trees.ts";

/** Constructs by id, below a root called `g`. An id with slashes is below the one it begins with. */
type Tree = (id: string) => Construct;

function treeOf(ids: readonly string[]): Tree {
  const byId = new Map<string, Construct>([["g", new Construct(undefined as never, "g")]]);
  const find = (id: string): Construct =>
    byId.get(id) ?? new Construct(undefined as never, `no construct is called ${id}`);
  for (const id of ids) {
    const cut = id.lastIndexOf("/");
    byId.set(id, new Construct(find(cut === -1 ? "g" : id.slice(0, cut)), id.slice(cut + 1)));
  }
  return find;
}

/** Paths in the order of the graph below `root`. An edge is written `o1 -> o2`: o1 depends on o2. */
function order(ids: readonly string[], edges: readonly string[], root = "g"): Program {
  return (lib) => {
    const tree = treeOf(ids);
    depend(tree, edges);
    return paths(new lib.DependencyGraph(tree(root).node).topology());
  };
}

function depend(tree: Tree, edges: readonly string[]): void {
  for (const edge of edges) {
    const [source, ...targets] = edge.split(" -> ") as [string, ...string[]];
    tree(source).node.addDependency(...targets.map(tree));
  }
}

describe("order:", () => {
  sameOnBoth([
    { rule: "of the tree", program: order(["o1", "o1/a", "o2"], []), gives: ["g", "g/o1", "g/o1/a", "g/o2"] },
    {
      rule: "what is depended on goes first",
      program: order(["o1", "o2", "o3", "o4"], ["o3 -> o1", "o4 -> o2 -> o1"]),
      gives: ["g", "g/o1", "g/o3", "g/o2", "g/o4"],
    },
    {
      rule: "in the order in which dependencies were added",
      program: order(["o1", "o2", "o3"], ["o1 -> o3 -> o2"]),
      gives: ["g", "g/o3", "g/o2", "g/o1"],
    },
    {
      rule: "a chain against the order of the tree",
      program: order(["o1", "o2", "o3"], ["o1 -> o2", "o2 -> o3"]),
      gives: ["g", "g/o3", "g/o2", "g/o1"],
    },
    {
      rule: "a construct is not before or after what is in it",
      program: order(["o1", "o1/a", "o2"], ["o1 -> o1/a", "o2 -> o1"]),
      gives: ["g", "g/o1/a", "g/o1", "g/o2"],
    },
    {
      rule: "each once, however many depend on it",
      program: order(["o1", "o2", "o3", "o4"], ["o1 -> o2 -> o3", "o2 -> o4", "o3 -> o4"]),
      gives: ["g", "g/o4", "g/o2", "g/o3", "g/o1"],
    },
    {
      rule: "all on the root",
      program: order(["o1", "o2"], ["o1 -> g", "o2 -> g"]),
      gives: ["g", "g/o1", "g/o2"],
    },
    {
      rule: "the root on all",
      program: order(["o1", "o2"], ["g -> o2 -> o1"]),
      gives: ["g/o2", "g/o1", "g"],
    },
    {
      rule: "of a part: what is outside of it does not count",
      program: order(["a", "a/x", "a/y", "b"], ["a/x -> b -> a/y", "b -> a/x"], "a"),
      gives: ["g/a", "g/a/y", "g/a/x"],
    },
    {
      rule: "paths that are numbers come first, in their order",
      program: (lib) => {
        const root = new Construct(undefined as never, "");
        for (const id of ["b", "10", "a", "2"]) new Construct(root, id);
        return paths(new lib.DependencyGraph(root.node).topology());
      },
      gives: ["2", "10", "", "b", "a"],
    },
    {
      rule: "also before what they are in",
      program: (lib) => {
        const root = new Construct(undefined as never, "");
        const [seven, b] = [new Construct(root, "7"), new Construct(root, "b")];
        b.node.addDependency(seven);
        new Construct(root, "3").node.addDependency(b);
        return paths(new lib.DependencyGraph(root.node).topology());
      },
      gives: ["7", "b", "3", ""],
    },
  ]);
});

describe("cycles:", () => {
  const cycle = (text: string): unknown => thrown(`Dependency cycle detected: ${text}`);
  sameOnBoth([
    {
      rule: "of two",
      program: order(["o1", "o2"], ["o1 -> o2", "o2 -> o1"]),
      gives: cycle("g/o1 => g/o2 => g/o1"),
    },
    {
      rule: "of three",
      program: order(["o1", "o2", "o3"], ["o1 -> o2", "o2 -> o3", "o3 -> o1"]),
      gives: cycle("g/o1 => g/o2 => g/o3 => g/o1"),
    },
    {
      rule: "through the root",
      program: order(["o1"], ["g -> o1", "o1 -> g"]),
      gives: cycle("g => g/o1 => g"),
    },
    {
      rule: "that leave the part are none",
      program: order(["a", "a/x", "b"], ["a/x -> b", "b -> a/x"], "a"),
      gives: ["g/a", "g/a/x"],
    },
  ]);

  differentOnPurpose([
    {
      rule: "of one",
      because: "cdk8s leaves the construct out without a word; nothing may be lost silently",
      program: order(["o1", "o2"], ["o1 -> o1"]),
      cdk8s: ["g", "g/o2"],
      slipway: cycle("g/o1 => g/o1"),
    },
    {
      rule: "of one that another one depends on",
      because: "a cycle is an error that names its path",
      program: order(["o1", "o2"], ["o1 -> o1", "o2 -> o1"]),
      cdk8s: thrown("Maximum call stack size exceeded"),
      slipway: cycle("g/o1 => g/o1"),
    },
    {
      rule: "with other dependencies beside it",
      because: "cdk8s leaves out o3, without which there is none",
      program: order(["o1", "o2", "o3", "o4"], ["o1 -> o2 -> o4", "o2 -> o3", "o3 -> o1"]),
      cdk8s: cycle("g/o1 => g/o2 => g/o1"),
      slipway: cycle("g/o1 => g/o2 => g/o3 => g/o1"),
    },
    {
      rule: "that a construct of the same path in another tree only seems to close",
      because: "a construct is itself, and not whatever has its path elsewhere",
      program: (lib) => {
        const [here, elsewhere] = [treeOf(["o1", "o2"]), treeOf(["o1", "o2"])];
        here("o1").node.addDependency(here("o2"));
        here("o2").node.addDependency(elsewhere("o1"));
        return paths(new lib.DependencyGraph(here("g").node).topology());
      },
      cdk8s: cycle("g/o1 => g/o2 => g/o1"),
      slipway: ["g", "g/o2", "g/o1"],
    },
  ]);
});

describe("the graph:", () => {
  const drawn = (lib: Library): unknown => {
    const tree = treeOf(["o1", "o2", "o3"]);
    depend(tree, ["o2 -> o1", "o3 -> o2 -> o1"]);
    const { root } = new lib.DependencyGraph(tree("g").node);
    const draw = (vertex: typeof root): unknown => [vertex.value?.node.path, ...vertex.outbound.map(draw)];
    return draw(root);
  };
  sameOnBoth([
    {
      rule: "its root has no value, and leads to what nothing depends on",
      program: drawn,
      gives: [undefined, ["g"], ["g/o3", ["g/o2", ["g/o1"]], ["g/o1"]]],
    },
    {
      rule: "vertices know what depends on them",
      program: (lib) => {
        const tree = treeOf(["o1", "o2", "o3"]);
        depend(tree, ["o2 -> o1", "o3 -> o1"]);
        const { root } = new lib.DependencyGraph(tree("g").node);
        const first = root.outbound[1]?.outbound[0];
        return [first?.value?.node.path, first?.inbound.map(({ value }) => value?.node.path), root.inbound];
      },
      gives: ["g/o1", ["g/o2", "g/o3"], []],
    },
    {
      rule: "the root is one that what nothing depends on knows",
      program: (lib) => {
        const { root } = new lib.DependencyGraph(treeOf(["o1"])("g").node);
        return root.outbound.map(({ inbound }) => inbound.map((vertex) => vertex === root));
      },
      gives: [[true], [true]],
    },
  ]);
});

describe("a vertex:", () => {
  const vertices = (lib: Library, count: number): InstanceType<Library["DependencyVertex"]>[] =>
    Array.from(
      { length: count },
      (_, index) => new lib.DependencyVertex(new Construct(undefined as never, `v${index}`)),
    );
  sameOnBoth([
    {
      rule: "without a value",
      program: (lib) => {
        const vertex = new lib.DependencyVertex();
        return [vertex.value, vertex.inbound, vertex.outbound, vertex.topology()];
      },
      gives: [undefined, [], [], []],
    },
    {
      rule: "its lists are copies",
      program: (lib) => {
        const [a, b] = vertices(lib, 2) as [
          InstanceType<Library["DependencyVertex"]>,
          InstanceType<Library["DependencyVertex"]>,
        ];
        a.addChild(b);
        a.outbound.pop();
        b.inbound.pop();
        return [a.outbound.length, b.inbound.length];
      },
      gives: [1, 1],
    },
    {
      rule: "a child is added once",
      program: (lib) => {
        const [a, b] = vertices(lib, 2) as [
          InstanceType<Library["DependencyVertex"]>,
          InstanceType<Library["DependencyVertex"]>,
        ];
        a.addChild(b);
        a.addChild(b);
        return [paths(a.topology()), a.outbound.length, b.inbound.length];
      },
      gives: [["v1", "v0"], 1, 1],
    },
    {
      rule: "refuses a child that leads to it, and stays as it was",
      program: (lib) => {
        const [a, b] = vertices(lib, 2) as [
          InstanceType<Library["DependencyVertex"]>,
          InstanceType<Library["DependencyVertex"]>,
        ];
        a.addChild(b);
        expect(() => b.addChild(a)).toThrow(/^Dependency cycle detected: v0 => v1 => v0$/);
        return paths(b.topology());
      },
      gives: ["v1"],
    },
    {
      rule: "without a value is not named in a cycle",
      program: (lib) => {
        const [a, b] = [new lib.DependencyVertex(), new lib.DependencyVertex()];
        a.addChild(b);
        b.addChild(a);
      },
      gives: thrown("Dependency cycle detected: "),
    },
  ]);

  differentOnPurpose([
    {
      rule: "refuses itself as a child",
      because: "cdk8s then loses the vertex, or recurses for ever",
      program: (lib) => {
        const vertex = new lib.DependencyVertex(new Construct(undefined as never, "v"));
        vertex.addChild(vertex);
        return vertex.outbound.length;
      },
      cdk8s: 1,
      slipway: thrown("Dependency cycle detected: v => v"),
    },
  ]);
});
