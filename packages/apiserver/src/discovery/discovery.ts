import { byCodeUnit, formatApiVersion, type JsonObject } from "@slipway/objects";
import type { RestStorage } from "../registry/rest.ts";
import type { Resource } from "../resource.ts";
import { subresourcesOf } from "../subresources.ts";
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

/** Answer of `GET /apis/GROUP/VERSION`. Resources of other group versions are left out; the rest is sorted by name. */
export async function apiResourceList(
  { group, version }: GroupVersion,
  resources: readonly Resource[],
): Promise<JsonObject> {
  const served = resources.filter((resource) => resource.group === group && resource.version === version);
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: formatApiVersion(group, version),
    resources: (await Promise.all(served.toSorted(byPlural).map(apiResources))).flat(),
  };
}

async function apiResources(resource: Resource): Promise<JsonObject[]> {
  const { kind, plural, singular, shortNames = [], categories = [] } = resource.names;
  const { group, version, storageVersion } = resource;
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
    ...(storageVersion === undefined
      ? {}
      : { storageVersionHash: await storageVersionHash(`${group}/${storageVersion}/${kind}`) }),
  };
  const below = subresourcesOf(resource).map(({ name, form, verbs }) => ({
    name: `${plural}/${name}`,
    singularName: "",
    namespaced: resource.namespaced,
    ...(form === resource ? where : { group: form.group, version: form.version }),
    kind: form.names.kind,
    verbs,
  }));
  return [main, ...below];
}

/** Base64 of the first eight bytes of the SHA-256: kube-apiserver's StorageVersionHash. */
async function storageVersionHash(groupVersionKind: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(groupVersionKind));
  return btoa(String.fromCharCode(...new Uint8Array(digest).subarray(0, 8)));
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
  const { group, names, namespaced, version } = resource;
  const { kind, plural, singular, shortNames = [], categories = [] } = names;
  const responseKind = { group, version, kind };
  const subresources = subresourcesOf(resource).map(({ name, form, verbs }) => ({
    subresource: name,
    responseKind: { group: form.group, version: form.version, kind: form.names.kind },
    verbs,
  }));
  return {
    resource: plural,
    responseKind,
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: mainVerbsOf(resource),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
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
