import { byCodeUnit } from "@slipway/objects";

/** The group of every application, and the version served. */
export const applicationGroup = "apps.cozystack.io";
export const applicationVersion = "v1alpha1";

/** What a user's label or annotation is called on the release: this, then its own key. */
export const storedKeyPrefix = "apps.cozystack.io-";

/** Which application a release or a workload monitor belongs to. */
export const applicationLabels = {
  kind: "apps.cozystack.io/application.kind",
  group: "apps.cozystack.io/application.group",
  name: "apps.cozystack.io/application.name",
} as const;

/** Which of several helm-controllers serves a release. Others set it, so an update keeps what it finds. */
export const shardLabel = "sharding.fluxcd.io/key";

/** Helm's limit on the name of a release, and that of a namespace. */
const maxReleaseNameLength = 53;
export const maxNamespaceLength = 63;

export function releaseName(prefix: string, name: string): string {
  return `${prefix}${name}`;
}

/** The name of the application of a release. The prefix is removed once; a release without it keeps its full name. */
export function applicationName(prefix: string, release: string): string {
  return release.startsWith(prefix) ? release.slice(prefix.length) : release;
}

/** Zero or less: no name fits. */
export function maxNameLength(prefix: string): number {
  return maxReleaseNameLength - prefix.length;
}

const rootTenant = "tenant-root";

/** The namespace that the tenant `name`, declared in `parent`, opens. */
export function tenantNamespace(parent: string, prefix: string, name: string): string {
  if (parent !== rootTenant) return `${parent}-${name}`;
  return releaseName(prefix, name) === rootTenant ? rootTenant : `tenant-${name}`;
}

/** Where a tenant `name` may be declared whose namespace is `namespace`: what {@link tenantNamespace} maps there. */
export function tenantParents(namespace: string, prefix: string, name: string): string[] {
  const parents = [rootTenant];
  if (namespace.endsWith(`-${name}`)) parents.push(namespace.slice(0, -name.length - 1));
  return [...new Set(parents)].filter((parent) => parent !== "" && tenantNamespace(parent, prefix, name) === namespace);
}

type StringMap = Readonly<Record<string, string>>;

/** A user's labels or annotations as the release carries them. */
export function toStoredKeys(map: StringMap): Record<string, string> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [`${storedKeyPrefix}${key}`, value]));
}

/** A user's labels or annotations out of those of a release, sorted by key. Undoes {@link toStoredKeys}. */
export function fromStoredKeys(map: StringMap): Record<string, string> {
  const own = Object.entries(map).filter(([key]) => key.startsWith(storedKeyPrefix));
  return Object.fromEntries(
    own.map(([key, value]) => [key.slice(storedKeyPrefix.length), value] as const).sort(([a], [b]) => byCodeUnit(a, b)),
  );
}

/** The labels or annotations of a release that no user set. */
export function foreignKeys(map: StringMap): Record<string, string> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !key.startsWith(storedKeyPrefix)));
}
