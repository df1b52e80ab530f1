import {
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from "@slipway/objects";
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
  /**
   * What a version of the whole store says: where it was, the same in a store that others write to, or only that it was
   * there at least. cozystack-api answers lists with the version of the newest object in them.
   * @default "exact"
   */
  readonly storeVersions?: "exact" | "shared" | "at least" | undefined;
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

  #compareObjects(theirs: JsonObject, ours: JsonObject, path: string, isStore: boolean): void {
    const recorded = this.#withOurKeys(theirs);
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

  /** Fields of lists that are keyed by uid have it in their name: `k:{"uid":"…"}`. */
  #withOurKeys(recorded: JsonObject): JsonObject {
    if (!Object.keys(recorded).some((name) => name.startsWith('k:{"uid":'))) return recorded;
    const uid = /[0-9a-f]{8}-[0-9a-f-]{27}/;
    return Object.fromEntries(
      Object.entries(recorded).map(([name, member]) => [
        name.replace(uid, (token) => this.#bindings.ourToken(token) ?? token),
        member,
      ]),
    );
  }

  #compareMember(
    name: string,
    recorded: JsonValue | undefined,
    ours: JsonValue | undefined,
    path: string,
    isStore: boolean,
  ): void {
    if (recorded === undefined && ours === undefined) return;
    if (recorded === undefined || ours === undefined) this.#differ(path, recorded, ours);
    else if (typeof recorded === "string" && typeof ours === "string") {
      if (!this.#matchString(name, recorded, ours, isStore)) this.#differ(path, recorded, ours);
    } else if (isJsonArray(recorded) && isJsonArray(ours)) this.#compareListMember(name, recorded, ours, path);
    else if (isIndex(name, recorded) && isJsonObject(ours)) {
      this.#compareObjects(this.#ownPaths(recorded), this.#ownPaths(ours), path, false);
    } else {
      // Only the metadata next to `items` is that of the list.
      this.compare(recorded, ours, path, name === "metadata" ? isStore : isList(recorded));
    }
  }

  #compareListMember(name: string, recorded: JsonArray, ours: JsonArray, path: string): void {
    const key = unordered[`${this.#kind}/${name}`];
    if (name === "serverAddressByClientCIDRs") return; // the address of the server
    if (name === "cells") this.#compareCells(recorded, ours, path);
    else if (name === "paths") this.#comparePaths(recorded, ours, path);
    else if (key !== undefined) this.#compareByName(recorded, ours, path, key);
    else this.#compareLists(recorded, ours, path);
  }

  #matchString(name: string, recorded: string, ours: string, isStore: boolean): boolean {
    if (name === "uid") return this.#bindings.matchToken(recorded, ours);
    if (name === "resourceVersion") {
      if (!isStore && this.#options.isBookmark !== true) return this.#bindings.matchObjectVersion(recorded, ours);
      return this.#options.storeVersions === "at least"
        ? this.#bindings.isAtLeast(recorded, ours)
        : this.#bindings.matchStoreVersion(recorded, ours, this.#options.storeVersions !== "shared");
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
    const [names, ourNames] = [objectNames(recorded), objectNames(ours)];
    if (names !== undefined && ourNames !== undefined && names.join() !== ourNames.join()) {
      // Which objects there are is one difference; those that both have are compared with each other.
      this.#differ(`${path}/objects`, names, ourNames);
      names.forEach((name, index) => {
        const other = ours[ourNames.indexOf(name)];
        if (other !== undefined) this.compare(recorded[index] ?? null, other, `${path}[${name}]`, false);
      });
      return;
    }
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
      return (
        inAgeColumn &&
        typeof theirs === "string" &&
        typeof own === "string" &&
        isAge(theirs) &&
        isAge(own) &&
        theirs.startsWith("<") === own.startsWith("<")
      );
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
function isIndex(name: string, value: JsonValue): value is JsonObject {
  return (
    name === "paths" &&
    isJsonObject(value) &&
    Object.values(value).every((entry) => isJsonObject(entry) && "serverRelativeURL" in entry)
  );
}

function isList(value: JsonValue): boolean {
  return isJsonObject(value) && (value.items !== undefined || value.rows !== undefined);
}

/** What the items of a list, or the objects of rows, are called; `undefined` when they are no objects with names. */
function objectNames(list: JsonArray): string[] | undefined {
  const names = list.map((entry) => {
    const object = isJsonObject(entry) && isJsonObject(entry.object) ? entry.object : entry;
    const metadata = isJsonObject(object) ? object.metadata : undefined;
    if (!isJsonObject(metadata) || typeof metadata.name !== "string") return undefined;
    // Generated names differ from run to run.
    if (typeof metadata.generateName === "string") return undefined;
    return typeof metadata.namespace === "string" ? `${metadata.namespace}/${metadata.name}` : metadata.name;
  });
  return names.every((name) => name !== undefined) ? names : undefined;
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
