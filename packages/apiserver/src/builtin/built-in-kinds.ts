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
  qualifiedName,
  SlipwayError,
  setMember,
} from "@slipway/objects";
import type { ServerHost } from "../host.ts";
import { type NameRule, validateMetadata } from "../registry/metadata.ts";
import type { RestStorage } from "../registry/rest.ts";
import { Store } from "../registry/store.ts";
import { customResourceStrategy, type Strategy, withMemberOf } from "../registry/strategy.ts";
import type { Resource, ResourceNames, Subresource } from "../resource.ts";
import { dropNulls } from "../schema/nulls.ts";
import { parseStructuralSchema, type StructuralSchema } from "../schema/structural.ts";
import { validateKeywords } from "../schema/validate.ts";
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
  readonly name: NameRule;
  readonly statusSubresource?: boolean;
  readonly createOnUpdate?: boolean;
  readonly table: Resource["table"];
  readonly rules?: Partial<Strategy>;
  /** What is wrong with an object beside its metadata and its shape. @default nothing */
  readonly check?: (object: KubernetesObject) => FieldError[];
  /** What is wrong with a change. @default nothing */
  readonly checkUpdate?: (object: KubernetesObject, old: KubernetesObject) => FieldError[];
  /** Whether a changed object is checked like a new one once more, with its metadata. @default false */
  readonly revalidates?: boolean;
  readonly checkStatus?: (object: KubernetesObject, old: KubernetesObject) => FieldError[];
  /** @default everything but the spec is the client's */
  readonly prepareForStatusUpdate?: Strategy["prepareForUpdate"];
  /** Whether finalizers without a domain may be any. @default false */
  readonly anyFinalizer?: boolean;
  /** Whether a deletion answers with the object that is gone. @default false */
  readonly returnsDeleted?: boolean;
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
  const finalizing = store.withStrategy({
    ...store.strategy,
    prepareForUpdate: withStatusOf,
    validateUpdate: (object, old) => [
      ...store.strategy.validateUpdate(object, old),
      ...finalizersOf(object).flatMap((name, index) => specFinalizerErrors(name, `spec.finalizers[${index}]`)),
    ],
  });
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
  const { group = "", names, namespaced, selectableFields } = kind;
  const api = `${group.split(".", 1)[0] || "core"}.v1`;
  const message = `${api}.${names.kind}`;
  const { schema, problems } = parseStructuralSchema(withoutByteFormat(kind.schema), { rules: "lenient" });
  if (schema === undefined) throw new SlipwayError(`${names.kind}: ${problems.join("; ")}`, { code: "INVALID_SCHEMA" });
  const statusSubresource = kind.statusSubresource === true;
  const base = customResourceStrategy({ schema, statusSubresource });
  const strategy: Strategy = {
    ...base,
    name: kind.name,
    unconditionalUpdate: true,
    generation: "none",
    warnings: nothing,
    ...checks(kind, schema),
    ...kind.rules,
  };
  const store = new Store({
    storage,
    host,
    group,
    version: "v1",
    kind: names.kind,
    resource: names.plural,
    namespaced,
    strategy,
    message,
    selectableFields,
    refusesPreconditions: names.kind === "Namespace",
    garbageCollection: false,
  });
  const status = store.withStrategy({
    ...strategy,
    validateUpdate: strategy.validateStatusUpdate,
    prepareForUpdate: kind.prepareForStatusUpdate ?? withSpecOf,
  });
  const resource: Resource = {
    group,
    version: "v1",
    names,
    namespaced,
    storage: store,
    ...(statusSubresource ? { statusStorage: updating(status) } : {}),
    schema,
    message,
    missingKind: "fill",
    order: "typed",
    table: kind.table,
    createOnUpdate: kind.createOnUpdate,
    returnsDeleted: kind.returnsDeleted,
    storageVersion: "v1",
    selectableFields: Object.keys(selectableFields ?? {}),
    openApi: { schemaName: `io.k8s.api.${api}.${names.kind}`, schema: kind.schema },
  };
  return { resource, store };
}

/** Whatever is base64 has been read as such; the format has no word for "nothing". */
function withoutByteFormat(schema: JsonObject): JsonObject {
  const isByte = (name: string, value: unknown): boolean => name === "format" && value === "byte";
  return JSON.parse(JSON.stringify(schema, (name, value) => (isByte(name, value) ? undefined : value)));
}

/** In the order in which Kubernetes validates a kind; what it validates twice it also tells twice. */
function checks(
  { group = "", namespaced, name, check = nothing, checkUpdate = nothing, ...kind }: BuiltInKind,
  schema: StructuralSchema,
): Pick<Strategy, "validate" | "validateUpdate" | "validateStatusUpdate"> {
  // Times that were never set are null in what is stored.
  const shape = (object: KubernetesObject): FieldError[] => validateKeywords(dropNulls(object, schema), schema, "");
  const finalizers = (object: KubernetesObject): FieldError[] =>
    group === "" && kind.anyFinalizer !== true ? finalizerErrors(object) : [];
  const validate: Strategy["validate"] = (object) => [...shape(object), ...finalizers(object), ...check(object)];
  return {
    validate,
    validateUpdate: (object, old) => [
      ...shape(object),
      ...finalizers(object),
      ...checkUpdate(object, old),
      ...(kind.revalidates === true
        ? [...validateMetadata(object.metadata, { namespaced, name }), ...finalizers(object), ...check(object)]
        : []),
    ],
    validateStatusUpdate: (object, old) => [
      ...shape(object),
      ...finalizers(object),
      ...(kind.checkStatus ?? nothing)(object, old),
    ],
  };
}

const nothing = (): [] => [];

const standardFinalizers: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Core kinds know the finalizers without a domain that there may be. */
function finalizerErrors({ metadata: { finalizers = [] } }: KubernetesObject): FieldError[] {
  return finalizers.flatMap((finalizer, index) => unknownFinalizer(finalizer, `metadata.finalizers[${index}]`));
}

function unknownFinalizer(finalizer: string, field: string): FieldError[] {
  if (finalizer.includes("/") || standardFinalizers.has(finalizer)) return [];
  const detail = "name is neither a standard finalizer name nor is it fully qualified";
  return [{ type: "FieldValueInvalid", field, value: finalizer, detail }];
}

/** A status changes alone, but for metadata. */
function withSpecOf(object: KubernetesObject, old: KubernetesObject): KubernetesObject {
  return withMemberOf(object, "spec", old);
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
  name: dns1123Label,
  statusSubresource: true,
  table: namespaceColumns,
  selectableFields: { "status.phase": textField("status", "phase") },
  check: (object) => finalizersOf(object).flatMap((name) => specFinalizerErrors(name, "spec.finalizers")),
  checkStatus: phaseErrors,
  prepareForStatusUpdate: (object, old) => withNameLabel(withSpecOf(object, old)),
  rules: {
    prepareForCreate: (object) => ({
      ...withNameLabel(object),
      spec: { finalizers: withNamespaceFinalizer(finalizersOf(object)) },
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
      status: { ...(isJsonObject(namespace.status) ? namespace.status : {}), phase: "Terminating" },
    }),
  },
};

function finalizersOf(namespace: KubernetesObject): readonly string[] {
  const finalizers = member(namespace, "spec", "finalizers");
  return isJsonArray(finalizers) ? finalizers.map(String) : [];
}

function withNamespaceFinalizer(finalizers: readonly string[]): readonly string[] {
  return finalizers.includes(namespaceFinalizer) ? finalizers : [...finalizers, namespaceFinalizer];
}

function specFinalizerErrors(finalizer: string, field: string): FieldError[] {
  return [
    ...qualifiedName(finalizer).map(
      (detail) => ({ type: "FieldValueInvalid", field, value: finalizer, detail }) as const,
    ),
    ...unknownFinalizer(finalizer, field),
  ];
}

/** @see Kubernetes, ValidateNamespaceStatusUpdate in pkg/apis/core/validation */
function phaseErrors(namespace: KubernetesObject): FieldError[] {
  const value = member(namespace, "status", "phase") ?? "";
  const [phase, condition] =
    namespace.metadata.deletionTimestamp === undefined ? ["Active", "is empty"] : ["Terminating", "is not empty"];
  const detail = `may only be '${phase}' if \`deletionTimestamp\` ${condition}`;
  return value === phase ? [] : [{ type: "FieldValueInvalid", field: "status.Phase", value, detail }];
}

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
  name: dns1123Subdomain,
  table: configMapColumns,
  check: (object) => [
    ...dataErrors(object, ["data", "binaryData"], { base64: ["binaryData"], whole: "[]" }),
    ...base64Errors(object, "binaryData"),
  ],
  checkUpdate: (object, old) => immutableErrors(object, old, ["data", "binaryData"]),
  revalidates: true,
};

const secrets: BuiltInKind = {
  names: { kind: "Secret", plural: "secrets", singular: "secret" },
  namespaced: true,
  schema: secretSchema,
  name: dns1123Subdomain,
  table: secretColumns,
  selectableFields: { type: textField("type") },
  check: (object) => [
    ...dataErrors(object, ["data"], { base64: ["data"], whole: "data" }),
    ...secretTypeErrors(object),
    ...base64Errors(object, "data"),
  ],
  checkUpdate: (object, old) => [
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
    ...immutableErrors(object, old, ["data"]),
  ],
  revalidates: true,
  rules: {
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

const serviceAccounts: BuiltInKind = {
  names: { kind: "ServiceAccount", plural: "serviceaccounts", singular: "serviceaccount", shortNames: ["sa"] },
  namespaced: true,
  schema: serviceAccountSchema,
  name: dns1123Subdomain,
  table: serviceAccountColumns,
  revalidates: true,
  returnsDeleted: true,
};

const services: BuiltInKind = {
  names: { kind: "Service", plural: "services", singular: "service", shortNames: ["svc"], categories: ["all"] },
  namespaced: true,
  createOnUpdate: true,
  schema: serviceSchema,
  name: dns1035Label,
  statusSubresource: true,
  table: serviceColumns,
  revalidates: true,
  returnsDeleted: true,
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
  name: dns1123Subdomain,
  table: eventColumns,
  anyFinalizer: true,
  check: eventErrors,
  checkUpdate: eventErrors,
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

/** @see Kubernetes, legacyValidateEvent in pkg/apis/core/validation */
function eventErrors(event: KubernetesObject): FieldError[] {
  const { namespace = "" } = event.metadata;
  const about = textField("involvedObject", "namespace")(event);
  const mismatch: FieldError = {
    type: "FieldValueInvalid",
    field: "involvedObject.namespace",
    value: about,
    detail: "does not match event.namespace",
  };
  if ((event.eventTime ?? null) === null) {
    const fits = about === "" ? ["", "default"].includes(namespace) : about === namespace;
    return fits ? [] : [mismatch];
  }
  const reporter = textField("reportingComponent")(event);
  return [
    ...(about === "" && !["default", "kube-system"].includes(namespace) ? [mismatch] : []),
    ...requiredText(event, "reportingComponent", Number.POSITIVE_INFINITY),
    ...qualifiedName(reporter).map(
      (detail) => ({ type: "FieldValueInvalid", field: "reportingComponent", value: reporter, detail }) as const,
    ),
    ...requiredText(event, "reportingInstance", 128),
    ...requiredText(event, "action", 128),
    ...requiredText(event, "reason", 128),
    ...tooLong(event, "message", 1024),
  ];
}

function requiredText(object: KubernetesObject, field: string, most: number): FieldError[] {
  return textField(field)(object) === "" ? [{ type: "FieldValueRequired", field }] : tooLong(object, field, most);
}

function tooLong(object: KubernetesObject, field: string, most: number): FieldError[] {
  const detail = `can have at most ${most} characters`;
  const isTooLong = new TextEncoder().encode(textField(field)(object)).length > most;
  return isTooLong ? [{ type: "FieldValueInvalid", field, value: "", detail }] : [];
}

const leases: BuiltInKind = {
  group: "coordination.k8s.io",
  names: { kind: "Lease", plural: "leases", singular: "lease" },
  namespaced: true,
  createOnUpdate: true,
  schema: leaseSchema,
  name: dns1123Subdomain,
  table: leaseColumns,
  check: leaseErrors,
  checkUpdate: leaseErrors,
  rules: {
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
