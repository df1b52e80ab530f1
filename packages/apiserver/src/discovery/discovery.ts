import { byCodeUnit, formatApiVersion, type JsonObject } from "@slipway/objects";
import type { RestStorage } from "../registry/rest.ts";
import type { Resource } from "../resource.ts";
import { compareVersions } from "./version-priority.ts";

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

export type DiscoveryVerb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** In alphabetical order, as discovery lists them. */
const abilities: readonly (readonly [DiscoveryVerb, keyof RestStorage])[] = [
  ["create", "create"],
  ["delete", "delete"],
  ["deletecollection", "deleteCollection"],
  ["get", "get"],
  ["list", "list"],
  ["patch", "update"],
  ["update", "update"],
  ["watch", "watch"],
];

/** The verbs that `storage` is able to do. A patch is an update computed by the server. */
export function verbsOf(storage: RestStorage): DiscoveryVerb[] {
  return abilities.filter(([, ability]) => storage[ability] !== undefined).map(([verb]) => verb);
}

/** The fixed order in which kube-apiserver lists the verbs of custom kinds; all others are sorted. */
const customOrder: readonly DiscoveryVerb[] = [
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "create",
  "update",
  "watch",
];

function mainVerbsOf({ storage, order }: Resource): DiscoveryVerb[] {
  const verbs = verbsOf(storage);
  return order === "typed" ? verbs : customOrder.filter((verb) => verbs.includes(verb));
}

/** A subresource answers for one object only. */
function subresourceVerbsOf(storage: RestStorage): DiscoveryVerb[] {
  return verbsOf(storage).filter((verb) => verb === "get" || verb === "patch" || verb === "update");
}

/** Answer of `GET /apis/GROUP/VERSION`. Resources of other group versions are left out; the rest is sorted by name. */
export function apiResourceList({ group, version }: GroupVersion, resources: readonly Resource[]): JsonObject {
  const served = resources.filter((resource) => resource.group === group && resource.version === version);
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: formatApiVersion(group, version),
    resources: served.toSorted(byPlural).flatMap(apiResources),
  };
}

function apiResources(resource: Resource): JsonObject[] {
  const { kind, plural, singular, shortNames = [], categories = [] } = resource.names;
  const { group, version } = resource;
  const where = resource.explicitGroupVersion === true ? { group, version } : {};
  const main = {
    name: plural,
    singularName: singular,
    namespaced: resource.namespaced,
    ...where,
    kind,
    verbs: mainVerbsOf(resource),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  };
  if (resource.statusStorage === undefined) return [main];
  const status = {
    name: `${plural}/status`,
    singularName: "",
    namespaced: resource.namespaced,
    ...where,
    kind,
    verbs: subresourceVerbsOf(resource.statusStorage),
  };
  return [main, status];
}

/** Answer of `GET /apis/GROUP`. The first version is the preferred one. `group` must have a resource. */
export function apiGroup(group: string, resources: readonly Resource[]): JsonObject {
  return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(group, resources) };
}

/** Answer of `GET /apis`: every group but the core group, in alphabetical order. */
export function apiGroupList(resources: readonly Resource[]): JsonObject {
  const groups = groupsOf(resources).filter((group) => group !== "");
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groups.map((group) => groupEntry(group, resources)),
  };
}

function groupEntry(name: string, resources: readonly Resource[]): JsonObject {
  const versions = versionsOf(name, resources).map((version) => ({
    groupVersion: formatApiVersion(name, version),
    version,
  }));
  const [preferred] = versions;
  return { name, versions, ...(preferred === undefined ? {} : { preferredVersion: preferred }) };
}

/**
 * Answer of `GET /apis` for clients that ask for `APIGroupDiscoveryList`: the groups of `resources`, whichever they are.
 * For `GET /api` pass the resources of the core group only, for `GET /apis` the others.
 */
export function aggregatedDiscovery(resources: readonly Resource[]): JsonObject {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groupsOf(resources).map((group) => ({
      metadata: group === "" ? {} : { name: group },
      versions: versionsOf(group, resources).map((version) => ({
        version,
        resources: resources
          .filter((resource) => resource.group === group && resource.version === version)
          .toSorted(byPlural)
          .map(resourceDiscovery),
        freshness: "Current",
      })),
    })),
  };
}

function resourceDiscovery(resource: Resource): JsonObject {
  const { group, names, namespaced, statusStorage, version } = resource;
  const { kind, plural, singular, shortNames = [], categories = [] } = names;
  const responseKind = { group, version, kind };
  const status =
    statusStorage === undefined
      ? []
      : [{ subresource: "status", responseKind, verbs: subresourceVerbsOf(statusStorage) }];
  return {
    resource: plural,
    responseKind,
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: mainVerbsOf(resource),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(status.length === 0 ? {} : { subresources: status }),
  };
}

function groupsOf(resources: readonly Resource[]): string[] {
  return [...new Set(resources.map(({ group }) => group))].sort(byCodeUnit);
}

function versionsOf(group: string, resources: readonly Resource[]): string[] {
  const versions = resources.filter((resource) => resource.group === group).map(({ version }) => version);
  return [...new Set(versions)].sort(compareVersions);
}

function byPlural(a: Resource, b: Resource): number {
  return byCodeUnit(a.names.plural, b.names.plural);
}
