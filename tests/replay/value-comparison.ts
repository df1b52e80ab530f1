import { getMember, isJsonArray, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from "@slipway/objects";
import type { Bindings } from "./bindings.ts";
import { matchContinueToken } from "./continue-token.ts";
import { type Difference, shown } from "./difference.ts";
import { matchProblems } from "./problems.ts";
import { isAge, matchText, matchTime } from "./text-comparison.ts";

export interface ComparisonOptions {
  readonly bindings: Bindings;
  /** The API groups that the recording is about: lists of others are not compared. */
  readonly groups: readonly string[];
  /** Compare `metadata.managedFields` too. @default false */
  readonly withManagers?: boolean | undefined;
  /** Every version found is one of the store, as in bookmarks. @default those of lists are */
  readonly isBookmark?: boolean | undefined;
}

/** Tables of one answer or one watch; a watch names its columns only once. */
export interface TableState {
  ageColumns?: ReadonlySet<number>;
}

/**
 * What of `ours` is not as `recorded`. Left out is only what the READMEs of the recordings name as varying; versions,
 * uids and the like are bound to each other, so that equal stays equal and different stays different.
 */
export function compareValues(
  recorded: JsonValue,
  ours: JsonValue,
  path: string,
  options: ComparisonOptions,
  tables: TableState = {},
): Difference[] {
  const comparison = new Comparison(options, tables);
  comparison.compare(recorded, ours, path, isList(recorded));
  return comparison.differences;
}

const times: ReadonlySet<string> = new Set(["creationTimestamp", "deletionTimestamp", "time", "lastTransitionTime"]);

/** Members whose lists have no order, and what names an entry. */
const unordered: Readonly<Record<string, (entry: JsonValue) => string | undefined>> = {
  "APIResourceList/resources": (entry) => text(entry, "name"),
  "APIGroupList/groups": (entry) => text(entry, "name"),
  "APIGroupDiscoveryList/items": (entry) => text(isJsonObject(entry) ? entry.metadata : undefined, "name") ?? "",
  "APIGroupDiscoveryList/resources": (entry) => text(entry, "resource"),
  "APIGroupDiscoveryList/subresources": (entry) => text(entry, "subresource"),
};

class Comparison {
  readonly differences: Difference[] = [];
  readonly #options: ComparisonOptions;
  readonly #bindings: Bindings;
  readonly #tables: TableState;
  /** The kind of the outermost object: members of discovery have no kind of their own. */
  #kind = "";

  constructor(options: ComparisonOptions, tables: TableState) {
    this.#options = options;
    this.#bindings = options.bindings;
    this.#tables = tables;
  }

  /** `isStore`: whether a resourceVersion found here is one of the whole store. */
  compare(recorded: JsonValue, ours: JsonValue, path: string, isStore: boolean): void {
    if (isJsonObject(recorded) && isJsonObject(ours)) this.#compareObjects(recorded, ours, path, isStore);
    else if (isJsonArray(recorded) && isJsonArray(ours)) this.#compareLists(recorded, ours, path);
    else if (typeof recorded === "string" && typeof ours === "string") {
      if (!matchText(recorded, ours, this.#bindings)) this.#differ(path, recorded, ours);
    } else if (!sameScalar(recorded, ours)) this.#differ(path, recorded, ours);
  }

  #compareObjects(recorded: JsonObject, ours: JsonObject, path: string, isStore: boolean): void {
    if (this.#kind === "" && typeof recorded.kind === "string") this.#kind = recorded.kind;
    this.#noteColumns(recorded);
    const problems = matchProblems(recorded, ours, this.#bindings);
    // A list has its own version in its metadata, its items have theirs.
    const names = new Set([...Object.keys(recorded), ...Object.keys(ours)]);
    if (this.#hasGeneratedName(recorded, ours)) this.#compareGeneratedName(recorded, ours, path);
    for (const name of names) {
      if (name === "managedFields" && this.#options.withManagers !== true) continue;
      if (problems && (name === "message" || name === "details")) continue;
      if (name === "name" && this.#hasGeneratedName(recorded, ours)) continue;
      this.#compareMember(name, getMember(recorded, name), getMember(ours, name), `${path}/${name}`, isStore);
    }
  }

  #compareMember(
    name: string,
    recorded: JsonValue | undefined,
    ours: JsonValue | undefined,
    path: string,
    isStore: boolean,
  ): void {
    if (recorded === undefined && ours === undefined) return;
    if (recorded === undefined || ours === undefined) return this.#differ(path, recorded, ours);
    if (typeof recorded === "string" && typeof ours === "string") {
      if (!this.#matchString(name, recorded, ours, isStore)) this.#differ(path, recorded, ours);
      return;
    }
    if (name === "cells" && isJsonArray(recorded) && isJsonArray(ours)) return this.#compareCells(recorded, ours, path);
    if (name === "serverAddressByClientCIDRs") return;
    if (name === "paths" && isJsonArray(recorded) && isJsonArray(ours)) return this.#comparePaths(recorded, ours, path);
    const key = unordered[`${this.#kind}/${name}`];
    if (key !== undefined && isJsonArray(recorded) && isJsonArray(ours)) {
      return this.#compareByName(recorded, ours, path, key);
    }
    if (name === "paths" && path.endsWith("body/paths") && isIndex(recorded) && isJsonObject(ours)) {
      return this.#compareObjects(this.#ownPaths(recorded), this.#ownPaths(ours), path, false);
    }
    // Only the metadata next to `items` is that of the list.
    this.compare(recorded, ours, path, name === "metadata" ? isStore : isList(recorded));
  }

  #matchString(name: string, recorded: string, ours: string, isStore: boolean): boolean {
    if (name === "uid") return this.#bindings.matchToken(recorded, ours);
    if (name === "resourceVersion") {
      return isStore || this.#options.isBookmark === true
        ? this.#bindings.matchStoreVersion(recorded, ours)
        : this.#bindings.matchObjectVersion(recorded, ours);
    }
    if (times.has(name) && !Number.isNaN(Date.parse(recorded))) return matchTime(recorded, ours, this.#bindings);
    if (name === "storageVersionHash") return ours !== "" && this.#bindings.matchToken(recorded, ours);
    if (recorded === "TOKEN") return ours !== ""; // what recorders write for a service account's
    if (name === "continue") return recorded === ours || matchContinueToken(recorded, ours, this.#bindings);
    return matchText(recorded, ours, this.#bindings);
  }

  #hasGeneratedName(recorded: JsonObject, ours: JsonObject): boolean {
    return typeof recorded.generateName === "string" && recorded.generateName === ours.generateName;
  }

  /** The suffix is free, its length and letters are not. */
  #compareGeneratedName(recorded: JsonObject, ours: JsonObject, path: string): void {
    const [theirs, own] = [recorded.name, ours.name];
    if (theirs === own) return;
    const prefix = String(recorded.generateName);
    const fits =
      typeof theirs === "string" &&
      typeof own === "string" &&
      own.slice(0, -5) === theirs.slice(0, -5) &&
      prefix.startsWith(own.slice(0, -5)) &&
      /^[bcdfghjklmnpqrstvwxz2456789]{5}$/.test(own.slice(-5)) &&
      this.#bindings.matchToken(theirs, own);
    if (!fits) this.#differ(`${path}/name`, theirs, own);
  }

  #compareLists(recorded: JsonArray, ours: JsonArray, path: string): void {
    if (recorded.length !== ours.length) {
      this.#differ(`${path}/length`, recorded.length, ours.length);
    }
    for (let index = 0; index < Math.min(recorded.length, ours.length); index++) {
      this.compare(recorded[index] ?? null, ours[index] ?? null, `${path}[${index}]`, false);
    }
  }

  #compareByName(
    recorded: JsonArray,
    ours: JsonArray,
    path: string,
    nameOf: (entry: JsonValue) => string | undefined,
  ): void {
    const isGroups = path.endsWith("/groups") || path.endsWith("/items");
    const index = (list: JsonArray): Map<string, JsonValue> =>
      new Map(
        list
          .map((entry): [string, JsonValue] => [nameOf(entry) ?? "", entry])
          .filter(([name]) => !isGroups || this.#options.groups.includes(name)),
      );
    const [theirs, own] = [index(recorded), index(ours)];
    for (const name of new Set([...theirs.keys(), ...own.keys()])) {
      this.#compareMember("", theirs.get(name), own.get(name), `${path}[${name}]`, false);
    }
  }

  #noteColumns({ columnDefinitions }: JsonObject): void {
    if (!isJsonArray(columnDefinitions) || columnDefinitions.length === 0) return;
    this.#tables.ageColumns = new Set(
      columnDefinitions.flatMap((column, index) =>
        text(column, "type") === "date" || text(column, "name")?.toLowerCase() === "age" ? [index] : [],
      ),
    );
  }

  #compareCells(recorded: JsonArray, ours: JsonArray, path: string): void {
    const isFree = (index: number): boolean => {
      const [theirs, own] = [recorded[index], ours[index]];
      const inAgeColumn = this.#tables.ageColumns?.has(index) === true;
      return inAgeColumn && typeof theirs === "string" && typeof own === "string" && isAge(theirs) && isAge(own) &&
        theirs.startsWith("<") === own.startsWith("<");
    };
    const settled = ours.map((cell, index) => (isFree(index) ? (recorded[index] ?? null) : cell));
    this.#compareLists(recorded, settled, path);
  }

  /** The root lists every path of every group; the order is sorted. */
  #comparePaths(recorded: JsonArray, ours: JsonArray, path: string): void {
    const own = (list: JsonArray): JsonArray => list.filter((entry) => this.#isOwn(String(entry)));
    this.#compareLists(own(recorded), own(ours), path);
  }

  #ownPaths(paths: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(paths).filter(([name]) => this.#isOwn(name)));
  }

  #isOwn(path: string): boolean {
    return this.#options.groups.some((group) => path.split("/").includes(group));
  }

  #differ(path: string, recorded: JsonValue | undefined, ours: JsonValue | undefined): void {
    this.differences.push({ path, expected: shown(recorded), got: shown(ours) });
  }
}

/** The index of OpenAPI documents: every path leads to the address of its document. */
function isIndex(value: JsonValue): value is JsonObject {
  return (
    isJsonObject(value) && Object.values(value).every((entry) => isJsonObject(entry) && "serverRelativeURL" in entry)
  );
}

function isList(value: JsonValue): boolean {
  return isJsonObject(value) && (value.items !== undefined || value.rows !== undefined);
}

function text(value: JsonValue | undefined, name: string): string | undefined {
  const member = isJsonObject(value) ? getMember(value, name) : undefined;
  return typeof member === "string" ? member : undefined;
}

/** Numbers count as values: 1 and 1.0 are one. */
function sameScalar(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  const numeric = (value: JsonValue): boolean => typeof value === "number" || typeof value === "bigint";
  return numeric(a) && numeric(b) && String(a) === String(b);
}
