import type { Environment } from "./environment.ts";

/** A program as a value, to be run on either library: made at random, printed and shrunk when the two disagree. */
export interface Program {
  readonly environment: Environment;
  readonly app: AppOptions;
  readonly children: readonly Part[];
  readonly dependencies: readonly Dependency[];
  /** What is asked of the app, in this order. */
  readonly runs: readonly Run[];
}

interface AppOptions {
  readonly yamlOutputType?: 0 | 1 | 2 | 3;
  readonly outputFileExtension?: string;
  readonly recordConstructMetadata?: boolean;
  readonly resolvers: readonly Resolver[];
}

/**
 * - `charts`: paths in order;
 * - `synth`: names and bytes of all files;
 * - `synthYaml`: the text;
 * - `toJson`: what each chart renders;
 * - `objects`: what each object renders.
 */
export type Run = "charts" | "synth" | "synthYaml" | "toJson" | "objects";

/** A construct with what is below it. */
export type Part = ChartPart | ConstructPart | ObjectPart;

interface AnyPart {
  readonly id: string;
  readonly children: readonly Part[];
  /** What its validation says. */
  readonly invalid?: readonly string[];
}

export interface ChartPart extends AnyPart {
  readonly is: "chart";
  readonly namespace?: string;
  readonly labels?: Members;
  readonly disableResourceNameHashes?: boolean;
  /** How its class changes what it renders. */
  readonly toJson?: "more" | "map" | "first" | "gap" | "removing";
  /** How its class names objects. */
  readonly generateObjectName?: "prefixed" | "by kind";
}

export interface ConstructPart extends AnyPart {
  readonly is: "construct";
}

export interface ObjectPart extends AnyPart {
  readonly is: "object";
  /** `metadata`, `apiVersion` and `kind` among them. */
  readonly props: Members;
  readonly calls: readonly MetadataCall[];
  readonly patches: readonly Patch[];
  readonly toJson?: "more" | "less";
}

export type Members = readonly (readonly [name: string, value: Value])[];

/** Scalars and lists stand for themselves, everything else is named. */
export type Value = null | boolean | number | string | readonly Value[] | SpecialValue;

type SpecialValue =
  | { readonly map: Members }
  | { readonly lazy: Value }
  /** Something with a method `resolve`. */
  | { readonly token: Value; readonly as: "class" | "map" | "hidden" }
  /** An instance of a generated class that holds a number or a string. */
  | { readonly union: number | string }
  | { readonly special: "undefined" | "instance" | "failing" };

export type MetadataCall =
  | { readonly call: "addLabel" | "addAnnotation" | "add"; readonly key: string; readonly value: Value }
  | { readonly call: "addFinalizers"; readonly finalizers: readonly string[] }
  | { readonly call: "addOwnerReference"; readonly name: string }
  | { readonly call: "addLabelOf"; readonly key: string; readonly from: string };

export type Patch =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: PlainValue }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "copy" | "move"; readonly from: string; readonly path: string };

export type PlainValue =
  | null
  | boolean
  | number
  | string
  | readonly PlainValue[]
  | { readonly [name: string]: PlainValue };

/** Each replaces only what it does not put in place, or it would go on for ever. */
export type Resolver =
  | { readonly replaces: "text"; readonly text: string; readonly by: Value }
  | { readonly replaces: "number"; readonly below: number; readonly plus: number }
  | { readonly replaces: "container"; readonly member: string; readonly by: Value }
  | { readonly replaces: "key"; readonly suffix: string; readonly prefix: string }
  | { readonly replaces: "nothing" };

/** Parts by their place in {@link placesOf}. */
export interface Dependency {
  readonly source: number;
  readonly target: number;
  /** On the node, or on the chart or object itself where it has the method. */
  readonly on: "node" | "construct";
}

/** A part where it stands in its tree. Places are numbers in the list of all parts, each before what is below it. */
export interface Place {
  readonly part: Part;
  readonly parent: number | undefined;
  /** The nearest chart at or above. */
  readonly chart: number | undefined;
  /** Its number when each part comes after what is below it. */
  readonly after: number;
}

export function placesOf(children: readonly Part[]): readonly Place[] {
  const places: Place[] = [];
  let finished = 0;
  const visit = (part: Part, parent: number | undefined, around: number | undefined): void => {
    const at = places.length;
    const chart = part.is === "chart" ? at : around;
    places.push({ part, parent, chart, after: 0 });
    for (const child of part.children) visit(child, at, chart);
    places[at] = { part, parent, chart, after: finished };
    finished += 1;
  };
  for (const part of children) visit(part, undefined, undefined);
  return places;
}
