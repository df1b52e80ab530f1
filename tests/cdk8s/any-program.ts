import fc from "fast-check";
import { anyMembers, anyName, anyPlainValue, anyText, anyValue, replacedTexts } from "./any-value.ts";
import {
  type ChartPart,
  type ConstructPart,
  type Dependency,
  type Members,
  type MetadataCall,
  type ObjectPart,
  type Part,
  type Patch,
  type Place,
  type PlainValue,
  type Program,
  placesOf,
  type Resolver,
  type Run,
  type Value,
} from "./program.ts";

/** cdk8s walks all routes through its graph: the number of parts bounds what a program may take. */
const MAX_PARTS = 18;

/** `undefined` members are left out, so that a printed program shows what matters. */
function record<T extends object>(arbitraries: { [K in keyof T]: fc.Arbitrary<T[K] | undefined> }): fc.Arbitrary<T> {
  return fc
    .record<Record<string, unknown>>(arbitraries)
    .map((members) => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T);
}

/** `1` in `every` is a value, the rest is left out. */
function rarely<T>(every: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: every - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

const anyId: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("a", "b", "c", "web", "db", "api") },
  { weight: 3, arbitrary: fc.constantFrom("10", "2", "0", "007", "4294967294", "4294967295", "-1") },
  { weight: 3, arbitrary: fc.constantFrom("Default", "Resource", "default", "my-resource") },
  {
    weight: 2,
    arbitrary: fc.constantFrom("a/b", "a--b", "Hello", "a.b", "_a", "-", "x".repeat(70), "日本", "ünï", "a b", "~"),
  },
);

const anyResourceName: fc.Arbitrary<Value> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("n1", "n2", "n3", "system:x", "a.b") },
  { weight: 1, arbitrary: fc.constantFrom<Value>("", null, { special: "undefined" }, "10", "na me") },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Value>({ lazy: "later" }, { token: "token", as: "class" }, { lazy: { lazy: null } }),
  },
);

const anyLabels = anyMembers(anyValue(0), 3).map((map) => ({ map }));

const anyOwner: Value = {
  map: [
    ["uid", "u"],
    ["kind", "Pod"],
    ["name", "p"],
    ["apiVersion", "v1"],
    ["controller", true],
  ],
};

const metadataMembers: { readonly [name: string]: fc.Arbitrary<Value> } = {
  name: anyResourceName,
  namespace: fc.constantFrom<Value>("s", "t", "", null, { lazy: "later" }),
  labels: anyLabels,
  annotations: anyLabels,
  finalizers: fc.array(anyText, { maxLength: 2 }),
  ownerReferences: fc.constantFrom<Value>([], [anyOwner], [anyOwner, anyOwner]),
  generateName: anyText,
  custom: anyValue(2),
};

/** In any order, which is the one in which resolvers see them. */
const anyMetadata: fc.Arbitrary<Value> = fc
  .shuffledSubarray(Object.keys(metadataMembers))
  .chain((names) =>
    fc.tuple(...names.map((name) => fc.tuple(fc.constant(name), metadataMembers[name] as fc.Arbitrary<Value>))),
  )
  .map((map) => ({ map }));

const anyApiVersion = fc.oneof(
  { weight: 400, arbitrary: fc.constantFrom("v1", "apps/v1", "batch/v1", "example.com/v1beta1", "/v1", "") },
  { weight: 1, arbitrary: fc.constantFrom("a/b/c") },
);

const anyKind = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom("ConfigMap", "Deployment", "CronJob", "K") },
  { weight: 1, arbitrary: fc.constantFrom<Value>("we:ird", "", { lazy: "Later" }, { special: "undefined" }) },
);

const anyProps: fc.Arbitrary<Members> = fc
  .tuple(
    anyApiVersion,
    anyKind,
    rarely(3, fc.constant(null)).chain((nothing) => (nothing === null ? fc.constant(undefined) : anyMetadata)),
    rarely(2, anyValue(3)),
    fc.uniqueArray(fc.tuple(fc.constantFrom("data", "zzz", "aaa", "10", "2", "immutable", "type"), anyValue(2)), {
      selector: ([name]) => name,
      maxLength: 2,
    }),
    fc.nat(4),
  )
  .map(([apiVersion, kind, metadata, spec, more, turn]) => {
    const members: [string, Value | undefined][] = [
      ["apiVersion", apiVersion],
      ["kind", kind],
      ["metadata", metadata],
      ["spec", spec],
      ...more,
    ];
    const present = members.filter((member): member is [string, Value] => member[1] !== undefined);
    return [...present.slice(turn), ...present.slice(0, turn)];
  });

const anyCall: fc.Arbitrary<MetadataCall> = fc.oneof(
  fc.record({ call: fc.constantFrom("addLabel", "addAnnotation", "add"), key: anyName, value: anyValue(1) }),
  fc.record({
    call: fc.constant("add"),
    key: fc.constantFrom("name", "labels", "custom", "finalizers"),
    value: anyValue(1),
  }),
  fc.record({ call: fc.constant("addFinalizers"), finalizers: fc.array(anyText, { maxLength: 2 }) }),
  fc.record({ call: fc.constant("addOwnerReference"), name: anyText }),
  fc.record({ call: fc.constant("addLabelOf"), key: anyName, from: fc.constantFrom("a", "b", "image") }),
) as fc.Arbitrary<MetadataCall>;

const anyPatch: fc.Arbitrary<Patch> = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record({
      op: fc.constantFrom("add", "replace"),
      path: fc.constantFrom("/extra", "/spec", "/data", "/0", "/a~1b~0c", "/aaa"),
      value: anyPlainValue,
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      op: fc.constantFrom("add", "replace"),
      path: fc.constantFrom("/kind", "/metadata/name"),
      value: fc.constantFrom<PlainValue>("patched", "we:ird", "", 7, null),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant("replace"),
      path: fc.constant("/metadata"),
      value: fc.constantFrom<PlainValue>({}, { name: "patched" }, null),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({ op: fc.constant("remove"), path: fc.constantFrom("/spec", "/data", "/kind", "/none") }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      op: fc.constantFrom("copy", "move"),
      from: fc.constantFrom("/metadata/name", "/apiVersion", "/kind"),
      path: fc.constantFrom("/copied", "/spec", "/10"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constantFrom("add", "test"),
      path: fc.constantFrom("/spec/list/-", "/spec/a/b", "/metadata/labels/a", "/apiVersion"),
      value: anyPlainValue,
    }),
  },
) as fc.Arbitrary<Patch>;

const invalid = rarely(400, fc.array(anyText, { minLength: 1, maxLength: 2 }));

function anyPart(depth: number): fc.Arbitrary<Part> {
  const children = anyChildren(depth - 1, depth > 0 ? 3 : 0);
  const object = record<ObjectPart>({
    is: fc.constant("object"),
    id: anyId,
    props: anyProps,
    calls: fc.array(anyCall, { maxLength: 2 }),
    patches: rarely(4, fc.array(anyPatch, { maxLength: 3 })).map((patches) => patches ?? []),
    toJson: rarely(15, fc.constantFrom("more", "less")),
    invalid,
    children: rarely(5, children).map((below) => below ?? []),
  });
  if (depth === 0) return object;
  return fc.oneof(
    { weight: 5, arbitrary: object },
    { weight: 2, arbitrary: record<ConstructPart>({ is: fc.constant("construct"), id: anyId, invalid, children }) },
    { weight: 2, arbitrary: anyChart(children) },
  );
}

function anyChart(children: fc.Arbitrary<readonly Part[]>): fc.Arbitrary<ChartPart> {
  return record<ChartPart>({
    is: fc.constant("chart"),
    id: anyId,
    namespace: rarely(3, fc.constantFrom("s", "prod", "")),
    labels: rarely(3, anyMembers(anyValue(0), 2)),
    disableResourceNameHashes: rarely(4, fc.boolean()),
    toJson: rarely(12, fc.constantFrom("more", "map", "first", "gap", "removing")),
    generateObjectName: rarely(12, fc.constantFrom("prefixed", "by kind")),
    invalid,
    children,
  });
}

/** Ids that are one after constructs has cleaned them would be refused. */
function anyChildren(depth: number, maxLength: number): fc.Arbitrary<readonly Part[]> {
  if (maxLength === 0) return fc.constant([]);
  return fc.uniqueArray(anyPart(depth), { selector: ({ id }) => id.replaceAll("/", "--"), maxLength });
}

const anyTree: fc.Arbitrary<readonly Part[]> = fc
  .uniqueArray(
    fc.oneof(
      { weight: 12, arbitrary: anyChart(anyChildren(2, 4)) },
      {
        weight: 1,
        arbitrary: record<ConstructPart>({ is: fc.constant("construct"), id: anyId, children: fc.constant([]) }),
      },
    ),
    { selector: ({ id }) => id.replaceAll("/", "--"), maxLength: 4 },
  )
  .map((children) => firstOf(children, MAX_PARTS));

/** The first `count` parts of a tree, each before what is below it. */
function firstOf(children: readonly Part[], count: number): readonly Part[] {
  let left = count;
  const take = (part: Part): Part[] => {
    if (left === 0) return [];
    left -= 1;
    return [{ ...part, children: part.children.flatMap(take) }];
  };
  return children.flatMap(take);
}

const anyResolver: fc.Arbitrary<Resolver> = fc.oneof(
  fc.record({
    replaces: fc.constant("text"),
    text: fc.constantFrom(...replacedTexts),
    by: fc.constantFrom<Value>(
      "swapped",
      1,
      null,
      ["a", 2],
      {
        map: [
          ["b", 1],
          ["a", "c"],
        ],
      },
      { lazy: "late" },
      { union: 8 },
    ),
  }),
  fc.record({ replaces: fc.constant("number"), below: fc.constant(100), plus: fc.constant(1000) }),
  fc.record({
    replaces: fc.constant("container"),
    member: fc.constantFrom("secret", "ports", "spec", "0"),
    by: fc.constantFrom<Value>("hidden", [], { token: { map: [] }, as: "map" }),
  }),
  fc.record({
    replaces: fc.constant("key"),
    suffix: fc.constantFrom("image", "name"),
    prefix: fc.constantFrom("registry/"),
  }),
  fc.constant({ replaces: "nothing" }),
) as fc.Arbitrary<Resolver>;

const anyRuns: fc.Arbitrary<readonly Run[]> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<readonly Run[]>(["synth"]) },
  { weight: 2, arbitrary: fc.constantFrom<readonly Run[]>(["synthYaml"]) },
  { weight: 1, arbitrary: fc.constantFrom<readonly Run[]>(["toJson"]) },
  { weight: 1, arbitrary: fc.constantFrom<readonly Run[]>(["charts", "objects"]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<readonly Run[]>(
      ["synth", "synth"],
      ["synthYaml", "synth"],
      ["toJson", "synthYaml"],
      ["charts", "toJson", "synth"],
    ),
  },
);

interface Wish extends Dependency {
  readonly isWild: boolean;
}

/** Numbers of parts are taken modulo the number of all parts. */
const anyWish: fc.Arbitrary<Wish> = fc.record({
  source: fc.nat(MAX_PARTS - 1),
  target: fc.nat(MAX_PARTS - 1),
  on: fc.constantFrom("node", "construct"),
  isWild: rarely(10, fc.constant(true)).map((isWild) => isWild === true),
});

/**
 * Programs of all that the specification knows. Dependencies of a construct on itself are left out: cdk8s loses the
 * construct without a word, and we refuse it.
 */
export const anyProgram: fc.Arbitrary<Program> = fc
  .record({
    environment: record<Program["environment"]>({
      CDK8S_DISABLE_SORT: rarely(10, fc.constantFrom("1", "")),
      CDK8S_LEGACY_HASH: rarely(10, fc.constantFrom("1", "")),
      CDK8S_RECORD_CONSTRUCT_METADATA: rarely(10, fc.constantFrom("true", "false")),
    }),
    app: record<Program["app"]>({
      yamlOutputType: rarely(2, fc.constantFrom(0, 1, 2, 3)) as fc.Arbitrary<0 | 1 | 2 | 3 | undefined>,
      outputFileExtension: rarely(10, fc.constantFrom(".yaml", ".x", ".k8s.yml")),
      recordConstructMetadata: rarely(5, fc.boolean()),
      resolvers: rarely(3, fc.array(anyResolver, { maxLength: 3 })).map((resolvers) => resolvers ?? []),
    }),
    children: anyTree,
    wishes: fc.array(anyWish, { maxLength: 10 }),
    runs: anyRuns,
  })
  .map(({ wishes, ...program }) => {
    const places = placesOf(program.children);
    const whole = { ...program, dependencies: grant(wishes, places) };
    return places.some(({ part }) => part.is === "chart" && part.toJson === "removing") ? onceOnly(whole) : whole;
  });

/**
 * A program whose charts take objects out of the tree while they are rendered. What these needed stays behind in cdk8s,
 * which makes a second run, and the order of construct metadata, those of another program.
 */
function onceOnly({ app, runs, ...program }: Program): Program {
  return { ...program, app: { ...app, recordConstructMetadata: false }, runs: runs.slice(0, 1) };
}

/** Most wishes are turned so that what is needed comes first: a program with a cycle says little else. */
function grant(wishes: readonly Wish[], places: readonly Place[]): readonly Dependency[] {
  if (places.length === 0) return [];
  return wishes.flatMap(({ isWild, on, ...ends }): Dependency[] => {
    const [source, target] = [ends.source % places.length, ends.target % places.length];
    if (source === target) return [];
    if (isWild) return [{ source, target, on }];
    const [from, to] =
      (places[source] as Place).after > (places[target] as Place).after ? [source, target] : [target, source];
    return isOrderly(places, from, to) ? [{ source: from, target: to, on }] : [];
  });
}

/**
 * Both are in charts, the source is not around the target (what is in it would need the target, which may need that),
 * and its chart is not inside that of the target, which would come after it.
 */
function isOrderly(places: readonly Place[], source: number, target: number): boolean {
  const [from, to] = [places[source]?.chart, places[target]?.chart];
  if (from === undefined || to === undefined || isWithin(places, target, source)) return false;
  return from === to || !isWithin(places, from, to);
}

function isWithin(places: readonly Place[], inner: number, outer: number): boolean {
  let at: number | undefined = inner;
  while (at !== undefined && at !== outer) at = places[at]?.parent;
  return at === outer;
}
