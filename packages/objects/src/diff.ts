import {
  formatJson,
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  jsonEquals,
} from "./json.ts";
import { maskSecretPair } from "./mask.ts";
import { compareQuantities, parseQuantity, type Quantity } from "./quantity.ts";
import { normalizeSecret } from "./secret.ts";

/** One thing that differs. A member or item that is only on one side comes as a whole. */
export type Difference =
  | { readonly change: "added"; readonly path: string; readonly after: JsonValue }
  | { readonly change: "removed"; readonly path: string; readonly before: JsonValue }
  | { readonly change: "changed"; readonly path: string; readonly before: JsonValue; readonly after: JsonValue }
  /** The same items in another order; `before` and `after` are the keys of those on both sides. */
  | {
      readonly change: "reordered";
      readonly path: string;
      readonly before: readonly string[];
      readonly after: readonly string[];
    };

export interface DiffOptions {
  /**
   * Show the values of Secrets as they are.
   * @default false
   */
  readonly showSecrets?: boolean | undefined;
}

/**
 * What differs between two states of one object, by meaning: amounts of resources by their value (`1000m` is `1`),
 * lists with a key by that key (containers by name, ports by number and protocol), other lists by position, a Secret as
 * the server keeps it. Null, absent and empty are three things. Values of Secrets are masked.
 *
 * Paths are written like `spec.containers[name="web"].image`.
 */
export function diffObjects(before: JsonObject, after: JsonObject, options: DiffOptions = {}): Difference[] {
  const normal = [normalizeSecret(before), normalizeSecret(after)] as const;
  const [left, right] = options.showSecrets === true ? normal : maskSecretPair(...normal);
  return [...diffMembers(left, right, { path: "", isAmount: false })];
}

interface Place {
  readonly path: string;
  /** Whether a scalar here is an amount of a resource. */
  readonly isAmount: boolean;
}

function* diffValues(before: JsonValue, after: JsonValue, place: Place): Generator<Difference> {
  if (isJsonObject(before) && isJsonObject(after)) {
    yield* diffMembers(before, after, place);
  } else if (isJsonArray(before) && isJsonArray(after)) {
    yield* diffLists(before, after, place);
  } else if (!isSame(before, after, place.isAmount)) {
    yield { change: "changed", path: place.path, before, after };
  }
}

function* diffMembers(before: JsonObject, after: JsonObject, place: Place): Generator<Difference> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const name of names) {
    const inside = member(place, name);
    yield* diffOptional(getMember(before, name), getMember(after, name), inside);
  }
}

function* diffOptional(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  place: Place,
): Generator<Difference> {
  const { path } = place;
  if (before !== undefined && after !== undefined) yield* diffValues(before, after, place);
  else if (before !== undefined) yield { change: "removed", path, before };
  else if (after !== undefined) yield { change: "added", path, after };
}

function* diffLists(before: JsonArray, after: JsonArray, place: Place): Generator<Difference> {
  if (jsonEquals(before, after)) return;
  const [left, right] = [byKey(before, place.path), byKey(after, place.path)];
  if (left !== undefined && right !== undefined) {
    yield* diffKeyedLists(left, right, place);
  } else if ([...before, ...after].every((item) => typeof item !== "object" || item === null)) {
    yield { change: "changed", path: place.path, before, after };
  } else {
    for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
      yield* diffOptional(before[index], after[index], { path: `${place.path}[${index}]`, isAmount: false });
    }
  }
}

type KeyedList = ReadonlyMap<string, JsonValue>;

function* diffKeyedLists(before: KeyedList, after: KeyedList, { path }: Place): Generator<Difference> {
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    yield* diffOptional(before.get(key), after.get(key), { path: `${path}[${key}]`, isAmount: false });
  }
  const [left, right] = [
    [...before.keys()].filter((key) => after.has(key)),
    [...after.keys()].filter((key) => before.has(key)),
  ];
  if (left.some((key, index) => key !== right[index])) yield { change: "reordered", path, before: left, after: right };
}

/** The members that tell the items of a list apart, by the name of the list; several sets where kinds differ. */
const listKeys: Readonly<Record<string, readonly (readonly string[])[]>> = {
  conditions: [["type"]],
  containers: [["name"]],
  env: [["name"]],
  ephemeralContainers: [["name"]],
  hostAliases: [["ip"]],
  imagePullSecrets: [["name"]],
  initContainers: [["name"]],
  ownerReferences: [["uid"]],
  ports: [
    ["containerPort", "protocol"],
    ["port", "protocol"],
  ],
  topologySpreadConstraints: [["topologyKey", "whenUnsatisfiable"]],
  versions: [["name"]],
  volumeDevices: [["devicePath"]],
  volumeMounts: [["mountPath"]],
  volumes: [["name"]],
  webhooks: [["name"]],
};

/** What Kubernetes fills in where a member of a key is missing. */
const keyDefaults: Readonly<Record<string, string>> = { protocol: "TCP" };

/** The items by their keys; `undefined` when the list has no keys, or an item lacks its own, or two have the same. */
function byKey(list: JsonArray, path: string): KeyedList | undefined {
  const name = /[A-Za-z]+$/.exec(path)?.[0] ?? "";
  const candidates = Object.hasOwn(listKeys, name) ? (listKeys[name] ?? []) : [];
  for (const members of candidates) {
    const items = new Map<string, JsonValue>();
    for (const item of list) {
      const key = keyOf(item, members);
      if (key !== undefined) items.set(key, item);
    }
    if (items.size === list.length) return items;
  }
  return undefined;
}

/** `name="web"`, or `port=80,protocol="TCP"`. */
function keyOf(item: JsonValue, members: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const parts: string[] = [];
  for (const name of members) {
    const value = getMember(item, name) ?? keyDefaults[name];
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    parts.push(`${name}=${JSON.stringify(value)}`);
  }
  return parts.join(",");
}

/** Whose members are amounts of resources, whatever they are called. */
const amountParents: ReadonlySet<string> = new Set([
  ..."allocatable capacity default defaultRequest hard limits max maxLimitRequestRatio min podFixed requests used".split(
    " ",
  ),
]);
const amounts: ReadonlySet<string> = new Set(["averageValue", "sizeLimit"]);

function member({ path }: Place, name: string): Place {
  const parent = /[A-Za-z]+$/.exec(path)?.[0] ?? "";
  const step = /^[A-Za-z_][\w-]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  return { path: (path + step).replace(/^\./, ""), isAmount: amountParents.has(parent) || amounts.has(name) };
}

function isSame(before: JsonValue, after: JsonValue, isAmount: boolean): boolean {
  if (jsonEquals(before, after)) return true;
  if (typeof before === "bigint" || typeof after === "bigint") return isSameInteger(before, after);
  if (!isAmount) return false;
  const [left, right] = [readAmount(before), readAmount(after)];
  return left !== undefined && right !== undefined && compareQuantities(left, right) === 0;
}

/** A program may hold as a number what was read as a bigint. */
function isSameInteger(before: JsonValue, after: JsonValue): boolean {
  const [left, right] = [before, after].map((value) =>
    typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value,
  );
  return left === right;
}

function readAmount(value: JsonValue): Quantity | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  try {
    return parseQuantity(value.toString());
  } catch {
    return undefined;
  }
}

/** A line for people: `spec.replicas: 1 → 2`. */
export function formatDifference(difference: Difference): string {
  const { path } = difference;
  switch (difference.change) {
    case "added":
      return `${path}: added ${formatJson(difference.after)}`;
    case "removed":
      return `${path}: removed ${formatJson(difference.before)}`;
    case "changed":
      return `${path}: ${formatJson(difference.before)} → ${formatJson(difference.after)}`;
    case "reordered":
      return `${path}: ${difference.before.join(" ")} → ${difference.after.join(" ")}`;
  }
}
