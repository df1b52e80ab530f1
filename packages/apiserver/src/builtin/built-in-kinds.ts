import {
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  type FieldError,
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type KubernetesObject,
  type MutableJsonObject,
  SlipwayError,
  setMember,
} from "@slipway/objects";
import type { ServerHost } from "../host.ts";
import type { NameRule } from "../registry/metadata.ts";
import type { RestStorage } from "../registry/rest.ts";
import { Store } from "../registry/store.ts";
import { customResourceStrategy, type Strategy, statusStrategy, withMemberOf } from "../registry/strategy.ts";
import type { Resource, ResourceNames, Subresource } from "../resource.ts";
import { parseStructuralSchema } from "../schema/structural.ts";
import type { ObjectStorage } from "../storage/storage.ts";
import { base64Errors, dataErrors, immutableErrors, secretTypeErrors, textToBase64 } from "./config-data.ts";
import {
  configMapSchema,
  eventSchema,
  leaseSchema,
  namespaceSchema,
  secretSchema,
  serviceAccountSchema,
  serviceSchema,
} from "./schemas.ts";
import {
  configMapColumns,
  eventColumns,
  leaseColumns,
  namespaceColumns,
  secretColumns,
  serviceAccountColumns,
  serviceColumns,
} from "./tables.ts";

export interface BuiltInKindsOptions {
  readonly storage: ObjectStorage;
  readonly host: ServerHost;
}

interface BuiltInKind {
  /** @default that of the core kinds */
  readonly group?: string;
  readonly names: ResourceNames;
  readonly namespaced: boolean;
  readonly schema: JsonObject;
  readonly memberOrder: readonly string[];
  readonly name: NameRule;
  readonly statusSubresource?: boolean;
  readonly createOnUpdate?: boolean;
  readonly table: Resource["table"];
  readonly rules?: Partial<Strategy>;
  readonly selectableFields?: Readonly<Record<string, (object: KubernetesObject) => string>>;
}

/**
 * The kinds that an embedded cluster has, as records: namespaces, configmaps, secrets, service accounts, services and
 * events of `v1`, and the leases of leader elections. No controller works on them: services get no addresses, service
 * accounts no tokens, and only {@link deleteNamespaceContents} ends namespaces.
 */
export function builtInKinds(options: BuiltInKindsOptions): BuiltInKinds {
  const namespaced = [configMaps, secrets, serviceAccounts, services, events, leases].map((kind) =>
    builtInKind(kind, options),
  );
  const { resource, store } = builtInKind(namespaces, options);
  // There is no deleting them by the dozen.
  const { deleteCollection: _, ...storage } = abilitiesOf(store);
  const finalizing = store.withStrategy({ ...store.strategy, prepareForUpdate: withStatusOf });
  const finalize: Subresource = { name: "finalize", storage: updating(finalizing), verbs: ["update"] };
  return {
    resources: [{ ...resource, storage, subresources: [finalize] }, ...namespaced.map((kind) => kind.resource)],
    finalizing,
  };
}

export interface BuiltInKinds {
  readonly resources: readonly Resource[];
  /** What is behind `/finalize` of namespaces: takes `spec.finalizers`, and removes a namespace that has none left. */
  readonly finalizing: Store;
}

function abilitiesOf(store: Store): Required<RestStorage> {
  return {
    get: store.get.bind(store),
    list: store.list.bind(store),
    watch: store.watch.bind(store),
    create: store.create.bind(store),
    update: store.update.bind(store),
    delete: store.delete.bind(store),
    deleteCollection: store.deleteCollection.bind(store),
    count: store.count.bind(store),
  };
}

function builtInKind(
  kind: BuiltInKind,
  { storage, host }: BuiltInKindsOptions,
): { readonly resource: Resource; readonly store: Store } {
  const { group = "", names, namespaced, memberOrder, selectableFields } = kind;
  const api = `${group.split(".", 1)[0] || "core"}.v1`;
  const { schema, problems } = parseStructuralSchema(kind.schema, { rules: "lenient" });
  if (schema === undefined) throw new SlipwayError(`${names.kind}: ${problems.join("; ")}`, { code: "INVALID_SCHEMA" });
  const statusSubresource = kind.statusSubresource === true;
  const base = customResourceStrategy({ schema, statusSubresource });
  const strategy: Strategy = { ...base, name: kind.name, unconditionalUpdate: true, generation: "none", ...kind.rules };
  const store = new Store({
    storage,
    host,
    group,
    version: "v1",
    kind: names.kind,
    resource: names.plural,
    namespaced,
    strategy,
    memberOrder,
    selectableFields,
    garbageCollection: false,
  });
  const status = store.withStrategy(statusStrategy(strategy));
  const resource: Resource = {
    group,
    version: "v1",
    names,
    namespaced,
    storage: store,
    ...(statusSubresource ? { statusStorage: updating(status) } : {}),
    schema,
    message: `${api}.${names.kind}`,
    missingKind: "fill",
    order: "typed",
    table: kind.table,
    createOnUpdate: kind.createOnUpdate,
    storageVersion: "v1",
    selectableFields: Object.keys(selectableFields ?? {}),
    openApi: { schemaName: `io.k8s.api.${api}.${names.kind}`, schema: kind.schema },
  };
  return { resource, store };
}

function updating(store: Store): RestStorage {
  return { get: store.get.bind(store), update: store.update.bind(store) };
}

function member(object: KubernetesObject, ...path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (parent, name) => (isJsonObject(parent) ? getMember(parent, name) : undefined),
    object,
  );
}

function textField(...path: readonly string[]): (object: KubernetesObject) => string {
  return (object) => {
    const value = member(object, ...path);
    return typeof value === "string" ? value : "";
  };
}

/** What holds a namespace until its contents are gone. */
const namespaceFinalizer = "kubernetes";

const namespaces: BuiltInKind = {
  names: { kind: "Namespace", plural: "namespaces", singular: "namespace", shortNames: ["ns"] },
  namespaced: false,
  schema: namespaceSchema,
  memberOrder: ["spec", "status"],
  name: dns1123Label,
  statusSubresource: true,
  table: namespaceColumns,
  selectableFields: { "status.phase": textField("status", "phase") },
  rules: {
    prepareForCreate: (object) => ({
      ...withNameLabel(object),
      spec: { finalizers: [namespaceFinalizer] },
      status: { phase: "Active" },
    }),
    prepareForUpdate: (object, old) => withNameLabel(withMemberOf(withMemberOf(object, "spec", old), "status", old)),
    isHeld: (object) => {
      const finalizers = member(object, "spec", "finalizers");
      return isJsonArray(finalizers) && finalizers.length > 0;
    },
    // There is no grace for namespaces, and so no word of it.
    prepareForDeletion: ({ metadata: { deletionGracePeriodSeconds: _, ...metadata }, ...namespace }) => ({
      ...namespace,
      metadata,
      status: { phase: "Terminating" },
    }),
  },
};

/** `kubernetes.io/metadata.name` is the server's to set, so that selectors can name a namespace. */
function withNameLabel(object: KubernetesObject): KubernetesObject {
  const { name = "", labels } = object.metadata;
  return {
    ...object,
    metadata: { ...object.metadata, labels: { ...labels, "kubernetes.io/metadata.name": name } },
  };
}

/** Rules of `/api/v1/namespaces/NAME/finalize`: everything but the status is the client's. */
function withStatusOf(namespace: KubernetesObject, old: KubernetesObject): KubernetesObject {
  return withNameLabel(withMemberOf(namespace, "status", old));
}

/** What the namespace controller leaves when the contents are gone: the holds of others. */
export function withoutNamespaceFinalizer(namespace: KubernetesObject): KubernetesObject {
  const finalizers = member(namespace, "spec", "finalizers");
  const others = isJsonArray(finalizers) ? finalizers.filter((finalizer) => finalizer !== namespaceFinalizer) : [];
  return { ...namespace, spec: { finalizers: others } };
}

const configMaps: BuiltInKind = {
  names: { kind: "ConfigMap", plural: "configmaps", singular: "configmap", shortNames: ["cm"] },
  namespaced: true,
  schema: configMapSchema,
  memberOrder: ["immutable", "data", "binaryData"],
  name: dns1123Subdomain,
  table: configMapColumns,
  rules: withExtraChecks(
    (object) => [...dataErrors(object, ["data", "binaryData"]), ...base64Errors(object, "binaryData")],
    (object, old) => immutableErrors(object, old, ["data", "binaryData"]),
    configMapSchema,
  ),
};

const secrets: BuiltInKind = {
  names: { kind: "Secret", plural: "secrets", singular: "secret" },
  namespaced: true,
  schema: secretSchema,
  memberOrder: ["immutable", "data", "type"],
  name: dns1123Subdomain,
  table: secretColumns,
  selectableFields: { type: textField("type") },
  rules: {
    ...withExtraChecks(
      (object) => [...dataErrors(object, ["data"]), ...secretTypeErrors(object), ...base64Errors(object, "data")],
      (object, old) => [
        ...immutableErrors(object, old, ["data"]),
        ...(object.type === old.type
          ? []
          : [
              {
                type: "FieldValueInvalid" as const,
                field: "type",
                value: object.type ?? "",
                detail: "field is immutable",
              },
            ]),
      ],
      secretSchema,
    ),
    prepareForCreate: mergeStringData,
    prepareForUpdate: mergeStringData,
  },
};

function mergeStringData(object: KubernetesObject): KubernetesObject {
  const { stringData, type = "Opaque", ...secret } = object;
  const typed = { ...secret, type: type === "" ? "Opaque" : type } as KubernetesObject;
  if (!isJsonObject(stringData)) return typed;
  const data: MutableJsonObject = { ...(isJsonObject(object.data) ? object.data : {}) };
  for (const [key, value] of Object.entries(stringData)) setMember(data, key, textToBase64(String(value)));
  return { ...typed, data };
}

/** The schema's checks and those of the kind, on create and on update. */
function withExtraChecks(
  check: (object: KubernetesObject) => readonly FieldError[],
  checkUpdate: (object: KubernetesObject, old: KubernetesObject) => readonly FieldError[],
  rawSchema: JsonObject,
): Partial<Strategy> {
  const { schema } = parseStructuralSchema(rawSchema, { rules: "lenient" });
  const { validate } = customResourceStrategy({ schema, statusSubresource: false });
  return {
    validate: (object) => [...validate(object), ...check(object)],
    validateUpdate: (object, old) => [...validate(object), ...checkUpdate(object, old), ...check(object)],
  };
}

const serviceAccounts: BuiltInKind = {
  names: { kind: "ServiceAccount", plural: "serviceaccounts", singular: "serviceaccount", shortNames: ["sa"] },
  namespaced: true,
  schema: serviceAccountSchema,
  memberOrder: ["secrets", "imagePullSecrets", "automountServiceAccountToken"],
  name: dns1123Subdomain,
  table: serviceAccountColumns,
};

const services: BuiltInKind = {
  names: { kind: "Service", plural: "services", singular: "service", shortNames: ["svc"], categories: ["all"] },
  namespaced: true,
  createOnUpdate: true,
  schema: serviceSchema,
  memberOrder: ["spec", "status"],
  name: dns1035Label,
  statusSubresource: true,
  table: serviceColumns,
  selectableFields: { "spec.type": textField("spec", "type"), "spec.clusterIP": textField("spec", "clusterIP") },
  rules: {
    prepareForCreate: (object) => ({ ...withServiceDefaults(object), status: { loadBalancer: {} } }),
    prepareForUpdate: (object, old) => withMemberOf(withServiceDefaults(object), "status", old),
  },
};

function withServiceDefaults(object: KubernetesObject): KubernetesObject {
  const spec = isJsonObject(object.spec) ? object.spec : {};
  return {
    ...object,
    spec: {
      ...spec,
      sessionAffinity: orDefault(spec.sessionAffinity, "None"),
      type: orDefault(spec.type, "ClusterIP"),
      ...(isJsonArray(spec.ports) ? { ports: spec.ports.map(withPortDefaults) } : {}),
    },
  };
}

function withPortDefaults(port: JsonValue): JsonValue {
  if (!isJsonObject(port)) return port;
  const { port: number = 0, protocol, targetPort } = port;
  return { ...port, protocol: orDefault(protocol, "TCP"), targetPort: orDefault(targetPort, number) };
}

/** Go cannot tell an absent value from a zero. */
function orDefault(value: JsonValue | undefined, byDefault: JsonValue): JsonValue {
  return value === undefined || value === "" || value === 0 ? byDefault : value;
}

const events: BuiltInKind = {
  names: { kind: "Event", plural: "events", singular: "event", shortNames: ["ev"] },
  namespaced: true,
  createOnUpdate: true,
  schema: eventSchema,
  memberOrder: [
    "involvedObject",
    "reason",
    "message",
    "source",
    "firstTimestamp",
    "lastTimestamp",
    "count",
    "type",
    "eventTime",
    "series",
    "action",
    "related",
    "reportingComponent",
    "reportingInstance",
  ],
  name: dns1123Subdomain,
  table: eventColumns,
  selectableFields: {
    "involvedObject.kind": textField("involvedObject", "kind"),
    "involvedObject.namespace": textField("involvedObject", "namespace"),
    "involvedObject.name": textField("involvedObject", "name"),
    "involvedObject.uid": textField("involvedObject", "uid"),
    "involvedObject.apiVersion": textField("involvedObject", "apiVersion"),
    "involvedObject.resourceVersion": textField("involvedObject", "resourceVersion"),
    "involvedObject.fieldPath": textField("involvedObject", "fieldPath"),
    reason: textField("reason"),
    reportingComponent: textField("reportingComponent"),
    source: textField("source", "component"),
    type: textField("type"),
  },
};

const leases: BuiltInKind = {
  group: "coordination.k8s.io",
  names: { kind: "Lease", plural: "leases", singular: "lease" },
  namespaced: true,
  createOnUpdate: true,
  schema: leaseSchema,
  memberOrder: ["spec"],
  name: dns1123Subdomain,
  table: leaseColumns,
  rules: {
    ...withExtraChecks(leaseErrors, () => [], leaseSchema),
    unconditionalUpdate: false,
    prepareForCreate: (lease) => withoutCoordination(lease, undefined),
    prepareForUpdate: withoutCoordination,
  },
};

/** @see Kubernetes, ValidateLeaseSpec in pkg/apis/coordination/validation */
function leaseErrors(lease: KubernetesObject): FieldError[] {
  const atLeast = (name: string, least: number, detail: string): FieldError[] => {
    const value = member(lease, "spec", name);
    const isTooLittle = typeof value === "number" && value < least;
    return isTooLittle ? [{ type: "FieldValueInvalid", field: `spec.${name}`, value, detail }] : [];
  };
  return [
    ...atLeast("leaseDurationSeconds", 1, "must be greater than 0"),
    ...atLeast("leaseTransitions", 0, "must be greater than or equal to 0"),
  ];
}

/**
 * Fields of coordinated elections, which kube-apiserver drops unless its feature gate CoordinatedLeaderElection is open.
 * It is closed by default, and nobody here chooses a leader.
 */
const coordinationFields = ["strategy", "preferredHolder"] as const;

/** What is stored already stays. */
function withoutCoordination(lease: KubernetesObject, old: KubernetesObject | undefined): KubernetesObject {
  if (!isJsonObject(lease.spec)) return lease;
  const spec: MutableJsonObject = { ...lease.spec };
  for (const name of coordinationFields) {
    if (old === undefined || member(old, "spec", name) === undefined) delete spec[name];
  }
  return { ...lease, spec };
}
