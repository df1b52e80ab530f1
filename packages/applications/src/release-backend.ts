import {
  formatApiVersion,
  type GroupVersionKind,
  getMember,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type KubernetesObject,
  type MutableJsonObject,
  type ObjectMeta,
  sortMembers,
} from "@slipway/objects";
import { type MonitorReading, releaseConditions, workloadsReady } from "./conditions.ts";
import { showDefaults } from "./defaults.ts";
import type { Definition, ReleaseTemplate } from "./definition.ts";
import {
  applicationGroup,
  applicationLabels,
  applicationName,
  applicationVersion,
  foreignKeys,
  fromStoredKeys,
  releaseName,
  shardLabel,
  tenantNamespace,
  toStoredKeys,
} from "./derived-names.ts";

export const releaseKind: GroupVersionKind = { group: "helm.toolkit.fluxcd.io", version: "v2", kind: "HelmRelease" };

/** The Secret in every namespace that holds the platform's own values, `_cluster` and `_namespace`. */
const platformValues: JsonObject = { kind: "Secret", name: "cozystack-values" };

/** The kind whose objects open a namespace of their own. */
const tenantKind = "Tenant";

export function isTenant({ kind }: Pick<Definition, "kind">): boolean {
  return kind === tenantKind;
}

/** Whether a release belongs to an application of this kind. The name is not looked at. */
export function belongsTo({ kind }: Pick<Definition, "kind">, release: KubernetesObject): boolean {
  const labels = release.metadata.labels ?? {};
  return labels[applicationLabels.kind] === kind && labels[applicationLabels.group] === applicationGroup;
}

/** The namespace where the workload monitors of an application are. */
export function monitorNamespace(definition: Definition, release: KubernetesObject): string {
  const { namespace = "", name = "" } = release.metadata;
  const { prefix } = definition.release;
  return isTenant(definition) ? tenantNamespace(namespace, prefix, applicationName(prefix, name)) : namespace;
}

/** The release of a new application. The object given is only read, and no map of it or of the definition is shared. */
export function newRelease(definition: Definition, application: KubernetesObject): KubernetesObject {
  const { name = "", namespace } = application.metadata;
  const { prefix } = definition.release;
  return {
    apiVersion: formatApiVersion(releaseKind.group, releaseKind.version),
    kind: releaseKind.kind,
    metadata: {
      name: releaseName(prefix, name),
      ...(namespace === undefined ? {} : { namespace }),
      ...ownedMetadata(definition, application, {}),
    },
    spec: ownedSpec(definition.release, {}, valuesOf(application)),
  };
}

/**
 * `live` with what belongs to the application replaced, and everything else as it is.
 *
 * Ours are the user's labels and annotations, as a set; the definition's and the application's labels; and the
 * members of `spec` that {@link newRelease} writes. Finalizers, owners, `suspend`, `dependsOn`, foreign labels and all
 * that others have put there stay, so do the shard that somebody has chosen and a name label that says otherwise.
 *
 * @param values what to store as the release's values; `undefined`: none
 */
export function updatedRelease(
  definition: Definition,
  application: KubernetesObject,
  live: KubernetesObject,
  values: JsonValue | undefined,
): KubernetesObject {
  const { labels: _labels, annotations: _annotations, ...metadata } = live.metadata;
  const liveSpec = getMember(live, "spec");
  return {
    ...live,
    metadata: { ...metadata, ...ownedMetadata(definition, application, live.metadata) },
    spec: ownedSpec(definition.release, isJsonObject(liveSpec) ? liveSpec : {}, values),
  };
}

function ownedMetadata(
  definition: Definition,
  application: KubernetesObject,
  live: ObjectMeta,
): Pick<ObjectMeta, "labels" | "annotations"> {
  const { name = "", labels = {}, annotations = {} } = application.metadata;
  const liveLabels = live.labels ?? {};
  const kept = Object.entries(liveLabels).filter(([key]) => key === shardLabel || key === applicationLabels.name);
  const allAnnotations = { ...foreignKeys(live.annotations ?? {}), ...toStoredKeys(annotations) };
  return {
    labels: {
      ...foreignKeys(liveLabels),
      ...definition.release.labels,
      ...toStoredKeys(labels),
      [applicationLabels.kind]: definition.kind,
      [applicationLabels.group]: applicationGroup,
      [applicationLabels.name]: name,
      ...Object.fromEntries(kept),
    },
    ...(Object.keys(allAnnotations).length === 0 ? {} : { annotations: allAnnotations }),
  };
}

/** What to store of a spec: nothing for an absent one, and null counts as absent. */
function valuesOf(application: KubernetesObject): JsonValue | undefined {
  return getMember(application, "spec") ?? undefined;
}

function ownedSpec(template: ReleaseTemplate, live: JsonObject, values: JsonValue | undefined): JsonObject {
  const { waitStrategy, healthCheckExprs, disableWait } = template;
  const strategy = { name: "RetryOnFailure", retryInterval: template.retryInterval };
  const action = (name: "install" | "upgrade", timeout: string): JsonObject => {
    const present = getMember(live, name);
    return replaceMembers(isJsonObject(present) ? present : {}, {
      timeout,
      strategy,
      disableWait: disableWait ? true : undefined,
    });
  };
  return replaceMembers(live, {
    chartRef: { ...template.chartRef },
    interval: template.interval,
    maxHistory: template.maxHistory,
    install: action("install", template.installTimeout),
    upgrade: action("upgrade", template.upgradeTimeout),
    valuesFrom: [{ ...platformValues }],
    values,
    healthCheckExprs: healthCheckExprs.length === 0 ? undefined : healthCheckExprs.map((check) => ({ ...check })),
    waitStrategy: waitStrategy === undefined ? undefined : { name: waitStrategy },
  });
}

/** `object` with the members of `next` set, and those that are `undefined` there removed. */
function replaceMembers(object: JsonObject, next: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const result: MutableJsonObject = { ...object };
  for (const [name, value] of Object.entries(next)) {
    if (value === undefined) delete result[name];
    else result[name] = value;
  }
  return result;
}

/** Members of a spec that begin so are the platform's: users neither see nor send them. */
export const reservedKeyPrefix = "_";

/** The values of a release as they are stored; `undefined` when there are none. */
export function storedValues(release: KubernetesObject): JsonValue | undefined {
  const spec = getMember(release, "spec");
  return isJsonObject(spec) ? (getMember(spec, "values") ?? undefined) : undefined;
}

/** The members of `values` that are hidden from users. */
export function hiddenValues(values: JsonValue | undefined): JsonObject {
  if (!isJsonObject(values)) return {};
  return Object.fromEntries(Object.entries(values).filter(([name]) => name.startsWith(reservedKeyPrefix)));
}

/**
 * The spec that is shown of stored values: without reserved keys, with the schema's defaults, members sorted.
 *
 * Values that are no object are shown as an empty one: only so can a user see and repair them.
 */
export function shownSpec(definition: Definition, values: JsonValue | undefined): JsonValue | undefined {
  const { schema } = definition;
  if (values === undefined && schema === undefined) return undefined;
  const visible = isJsonObject(values)
    ? Object.fromEntries(Object.entries(values).filter(([name]) => !name.startsWith(reservedKeyPrefix)))
    : {};
  return sortMembers(schema === undefined ? visible : showDefaults(visible, schema));
}

/** What is known of an application beside its release. */
export interface Surroundings {
  readonly monitors: MonitorReading;
  /** Services of the tenant's namespace that have an external address. Tenants only. */
  readonly externalIPsCount?: number | undefined;
  readonly now: Date;
}

/** The application that a release is shown as. Member order is that of the typed API. */
export function toApplication(
  definition: Definition,
  release: KubernetesObject,
  surroundings: Surroundings,
): KubernetesObject {
  const spec = shownSpec(definition, storedValues(release));
  return {
    kind: definition.kind,
    apiVersion: formatApiVersion(applicationGroup, applicationVersion),
    metadata: shownMetadata(definition, release.metadata),
    ...(spec === undefined ? {} : { spec }),
    status: shownStatus(definition, release, surroundings),
  };
}

function shownMetadata({ release: { prefix } }: Definition, metadata: ObjectMeta): ObjectMeta {
  const { name = "", namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp } = metadata;
  const labels = fromStoredKeys(metadata.labels ?? {});
  const annotations = fromStoredKeys(metadata.annotations ?? {});
  return {
    name: applicationName(prefix, name),
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

/** The part of an application that depends on more than its release. */
export function shownStatus(
  definition: Definition,
  release: KubernetesObject,
  { monitors, externalIPsCount = 0, now }: Surroundings,
): JsonObject {
  const status = getMember(release, "status");
  const version = isJsonObject(status) ? getMember(status, "lastAttemptedRevision") : undefined;
  const workloads = workloadsReady(monitors, release, now);
  const conditions = [...releaseConditions(release), ...(workloads === undefined ? [] : [workloads])];
  return {
    ...(typeof version === "string" && version !== "" ? { version } : {}),
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(isTenant(definition) ? { namespace: monitorNamespace(definition, release) } : {}),
    ...(externalIPsCount === 0 ? {} : { externalIPsCount }),
  };
}
