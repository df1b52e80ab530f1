import {
  ApiStatusError,
  alreadyExists,
  conflict,
  type FieldError,
  type FieldErrorType,
  failure,
  formatGroupKind,
  invalid,
  jsonEquals,
  type KubernetesObject,
  MODIFIED_SINCE_READ,
  notFound,
  type Preconditions,
} from "@slipway/objects";
import { formatTime, type ServerHost } from "../host.ts";
import { type ObjectStorage, StorageError, type StoredValue } from "../storage/storage.ts";
import { convertingCodec, type ObjectCodec, objectCodec, type VersionPair } from "./codec.ts";
import { finalizersForDeletion } from "./finalizers.ts";
import { dedupeOwnerReferences, pathSegmentProblems, validateMetadata, validateMetadataUpdate } from "./metadata.ts";
import { ResourceReader } from "./reader.ts";
import { parseRevision, requireRevision } from "./resource-version.ts";
import type {
  CollectionDeleter,
  Counter,
  Creator,
  DeleteRequest,
  DeleteResult,
  Deleter,
  GetRequest,
  Getter,
  Lister,
  ListRequest,
  ListResult,
  ObjectChange,
  ObjectKey,
  RequestContext,
  RestEvent,
  UpdateRequest,
  Updater,
  Watcher,
  WatchRequest,
  WriteRequest,
} from "./rest.ts";
import type { Strategy } from "./strategy.ts";
import { unclassified } from "./unclassified.ts";

export interface StoreOptions {
  readonly storage: ObjectStorage;
  readonly host: ServerHost;
  readonly group: string;
  /** The version that is served. */
  readonly version: string;
  /** Set when another version is stored. @default the served one is */
  readonly conversion?: VersionPair | undefined;
  readonly kind: string;
  /** Plural and lower case. */
  readonly resource: string;
  readonly namespaced: boolean;
  readonly strategy: Strategy;
  /** The type of a built-in kind, as which it is printed; absent: members are sorted, as custom resources have them. */
  readonly message?: string | undefined;
  /** Whether failed preconditions of a deletion are told as those of a write, as Kubernetes does for namespaces. @default false */
  readonly refusesPreconditions?: boolean | undefined;
  /** Field selectors beyond metadata.name and metadata.namespace: name to value. */
  readonly selectableFields?: Readonly<Record<string, (object: KubernetesObject) => string>> | undefined;
  /**
   * Whether a garbage collector works on this cluster. Without one, propagation policies are ignored: a finalizer
   * that nobody removes would hold the object for ever.
   */
  readonly garbageCollection: boolean;
  /** How often a quiet watch says how far it has come, in milliseconds. @default 60_000 */
  readonly bookmarkIntervalMs?: number | undefined;
}

/** Characters of `generateName` that are kept, so that name and suffix fit in a DNS label. */
const maxGeneratedPrefix = 58;
const nameAttempts = 8;

type StoreStorage = Getter & Lister & Watcher & Creator & Updater & Deleter & CollectionDeleter & Counter;

/**
 * Every verb of one kind over an {@link ObjectStorage}: one path for metadata, strategy, validation, preconditions and
 * dry-run. It behaves like a custom resource in kube-apiserver (its registry/generic Store).
 */
export class Store implements StoreStorage {
  readonly #options: StoreOptions;
  readonly #codec: ObjectCodec;
  readonly #prefix: string;
  readonly #reader: ResourceReader;

  /** @param reader of the same objects, to be shared */
  constructor(options: StoreOptions, reader?: ResourceReader) {
    const { storage, namespaced, selectableFields = {}, bookmarkIntervalMs = 60_000 } = options;
    this.#options = options;
    const codec = objectCodec(options.message);
    this.#codec = options.conversion === undefined ? codec : convertingCodec(codec, options.conversion);
    this.#prefix = `/${options.group}/${options.resource}/`;
    const decode = (value: Uint8Array, revision: number): KubernetesObject => this.#decode({ value, revision });
    this.#reader =
      reader ??
      new ResourceReader({
        storage,
        prefix: this.#prefix,
        namespaced,
        decode,
        selectableFields,
        knownFieldsOnly: options.message !== undefined && Object.keys(selectableFields).length === 0,
        bookmarkIntervalMs,
      });
  }

  get strategy(): Strategy {
    return this.#options.strategy;
  }

  /** The same objects under other rules: what stands behind `/status`. */
  withStrategy(strategy: Strategy): Store {
    return new Store({ ...this.#options, strategy }, this.#reader);
  }

  count(): Promise<number> {
    return this.#reader.count();
  }

  /**
   * Leaves the history to the storage alone, which may have forgotten it.
   *
   * @internal
   */
  forgetChanges(): void {
    this.#reader.forgetChanges();
  }

  async get(
    _context: RequestContext,
    { namespace, name }: ObjectKey,
    { resourceVersion = "" }: GetRequest = {},
  ): Promise<KubernetesObject> {
    const cached = await this.#reader.find(this.#key({ namespace, name }), resourceVersion);
    if (cached === undefined) throw notFound(this.#groupResource, name);
    return cached.object;
  }

  list(context: RequestContext, request: ListRequest): Promise<ListResult> {
    return this.#reader.list(context, request);
  }

  watch(context: RequestContext, request: WatchRequest): AsyncIterable<RestEvent> {
    return this.#reader.watch(context, request);
  }

  async create(context: RequestContext, object: KubernetesObject, request: WriteRequest): Promise<KubernetesObject> {
    const { resourceVersion = "", generateName = "", name = "" } = object.metadata;
    // What is no version counts as none, as in Kubernetes.
    if ((parseRevision(resourceVersion) ?? 0) !== 0) {
      throw unclassified("resourceVersion should not be set on objects to be created");
    }
    const generates = name === "" && generateName !== "";
    for (let attempt = 1; ; attempt++) {
      const candidate = this.#newObject(context, object);
      try {
        return await this.#createOnce(context, candidate, request);
      } catch (error) {
        const taken = ApiStatusError.isApiStatusError(error) && error.status.reason === "AlreadyExists";
        if (!generates || !taken) throw error;
        if (attempt === nameAttempts) throw this.#cannotGenerate(candidate.metadata.name ?? "");
      }
    }
  }

  async update(
    context: RequestContext,
    key: ObjectKey,
    change: ObjectChange,
    request: UpdateRequest,
  ): Promise<KubernetesObject> {
    for (;;) {
      context.signal.throwIfAborted();
      const stored = await this.#read(key);
      const current = this.#decode(stored);
      this.#checkPreconditions(current, request.preconditions);
      const changed = await change(current);
      this.#checkVersion(current, changed);
      const next = this.#changedObject(context, changed, current, request);
      if (isFinished(next) && !this.#options.strategy.isHeld(next)) {
        const last = this.#codec.decode(this.#codec.encode(next), stored.revision);
        if (request.dryRun) return last;
        if (await this.#removeStored(key, stored)) return last;
        continue;
      }
      const bytes = this.#codec.encode(next);
      if (request.dryRun || sameBytes(bytes, stored.value)) return this.#codec.decode(bytes, stored.revision);
      const written = await this.#put(stored.key, bytes, stored.revision);
      if (written !== undefined) return this.#decode(written);
    }
  }

  async delete(context: RequestContext, key: ObjectKey, request: DeleteRequest): Promise<DeleteResult> {
    for (;;) {
      context.signal.throwIfAborted();
      const stored = await this.#read(key);
      const current = this.#decode(stored);
      this.#checkPreconditions(current, request.options.preconditions);
      const policy = this.#options.garbageCollection ? request.options.propagationPolicy : undefined;
      const finalizers = finalizersForDeletion(current.metadata, policy);
      if (finalizers.length === 0 && !this.#options.strategy.isHeld(current)) {
        if (request.dryRun) return { done: true, object: current };
        const revision = await this.#remove(key, stored);
        if (revision === undefined) continue;
        return { done: true, object: withVersion(current, String(revision)) };
      }
      const marked = this.#markForDeletion(current, finalizers);
      const bytes = this.#codec.encode(marked);
      if (request.dryRun || sameBytes(bytes, stored.value)) {
        return { done: false, object: this.#codec.decode(bytes, stored.revision) };
      }
      const written = await this.#put(stored.key, bytes, stored.revision);
      if (written !== undefined) return { done: false, object: this.#decode(written) };
    }
  }

  async deleteCollection(
    context: RequestContext,
    list: ListRequest,
    request: DeleteRequest,
    admit: (object: KubernetesObject) => Promise<void>,
  ): Promise<ListResult> {
    const listed = await this.list(context, list);
    for (const object of listed.items) {
      const { namespace = "", name = "" } = object.metadata;
      await admit(object);
      try {
        await this.delete(context, { namespace, name }, request);
      } catch (error) {
        if (!ApiStatusError.isApiStatusError(error) || error.status.reason !== "NotFound") throw error;
      }
    }
    return listed;
  }

  get #groupResource(): { readonly group: string; readonly resource: string } {
    return { group: this.#options.group, resource: this.#options.resource };
  }

  #key({ namespace, name }: ObjectKey): string {
    return `${this.#prefix}${namespace}/${name}`;
  }

  async #read(key: ObjectKey): Promise<StoredValue> {
    const stored = await this.#options.storage.get(this.#key(key));
    if (stored === undefined) throw notFound(this.#groupResource, key.name);
    return stored;
  }

  #decode({ value, revision }: Pick<StoredValue, "value" | "revision">): KubernetesObject {
    const decoded = this.#codec.decode(value, revision);
    if (this.#options.conversion !== undefined) return decoded;
    const filled = this.#options.strategy.applyDefaults(decoded);
    return filled === decoded ? decoded : this.#codec.arrange(filled);
  }

  #newObject(context: RequestContext, sent: KubernetesObject): KubernetesObject {
    const { strategy, host, namespaced } = this.#options;
    const { uid: _u, generation, deletionTimestamp: _t, deletionGracePeriodSeconds: _g, ...metadata } = sent.metadata;
    const { generateName = "" } = metadata;
    const name =
      (metadata.name ?? "") === "" && generateName !== ""
        ? generateName.slice(0, maxGeneratedPrefix) + host.nameSuffix()
        : metadata.name;
    const { namespace: _n, ...rest } = metadata;
    const created: KubernetesObject = {
      ...sent,
      metadata: {
        ...(namespaced ? metadata : rest),
        name,
        uid: host.uuid(),
        resourceVersion: undefined,
        // A kind that does not count leaves a number of the client alone.
        ...(strategy.generation !== "none" ? { generation: 1 } : generation === undefined ? {} : { generation }),
        creationTimestamp: formatTime(host.now()),
      },
    };
    const deduped = dedupeOwnerReferences(created, "body", context.warn);
    return strategy.applyDefaults(strategy.prepareForCreate(deduped));
  }

  async #createOnce(
    context: RequestContext,
    object: KubernetesObject,
    { dryRun }: WriteRequest,
  ): Promise<KubernetesObject> {
    const { strategy, storage } = this.#options;
    this.#refuseInvalid(object, [
      ...(object.kind === this.#options.kind ? validateMetadata(object.metadata, this.#metadataRules) : []),
      ...strategy.validate(object),
    ]);
    for (const warning of strategy.warnings(object, undefined)) context.warn(warning);
    const key = { namespace: object.metadata.namespace ?? "", name: object.metadata.name ?? "" };
    const bytes = this.#codec.encode(object);
    if (dryRun) {
      if ((await storage.get(this.#key(key))) !== undefined) throw await this.#exists(key);
      const { resourceVersion: _, ...metadata } = this.#codec.decode(bytes, 0).metadata;
      return { ...this.#codec.decode(bytes, 0), metadata };
    }
    try {
      return this.#decode(await storage.create(this.#key(key), bytes));
    } catch (error) {
      if (StorageError.isStorageError(error) && error.reason === "exists") throw await this.#exists(key);
      throw error;
    }
  }

  get #metadataRules(): { readonly namespaced: boolean; readonly name: Strategy["name"] } {
    return { namespaced: this.#options.namespaced, name: this.#options.strategy.name };
  }

  async #exists(key: ObjectKey): Promise<ApiStatusError> {
    const error = alreadyExists(this.#groupResource, key.name);
    const stored = await this.#options.storage.get(this.#key(key));
    if (stored === undefined || this.#decode(stored).metadata.deletionTimestamp === undefined) return error;
    return new ApiStatusError({ ...error.status, message: `object is being deleted: ${error.status.message}` });
  }

  #cannotGenerate(name: string): ApiStatusError {
    const { status } = alreadyExists(this.#groupResource, name);
    return new ApiStatusError({
      ...status,
      message: `${status.message}, the server was not able to generate a unique name for the object`,
      details: { ...status.details, retryAfterSeconds: 1 },
    });
  }

  #refuseInvalid(object: KubernetesObject, errors: readonly FieldError[]): void {
    if (errors.length === 0) return;
    const noted = this.#options.strategy.hasRules && errors.some(({ type }) => blocking.has(type));
    const all = noted ? [...errors, rulesNotChecked] : errors;
    throw invalid({ group: this.#options.group, kind: object.kind }, object.metadata.name ?? "", all);
  }

  #checkPreconditions({ metadata }: KubernetesObject, preconditions: Preconditions | undefined): void {
    const { uid, resourceVersion } = preconditions ?? {};
    const subject = formatGroupKind(this.#options);
    const name = metadata.name ?? "";
    const own = this.#options.refusesPreconditions;
    const refuse = (why: string): ApiStatusError => {
      return new ApiStatusError(
        failure("Conflict", `Operation cannot be fulfilled on ${subject} "${name}": ${why}`, {
          name,
          ...(this.#options.group === "" ? {} : { group: this.#options.group }),
          kind: this.#options.kind,
        }),
      );
    };
    if (uid !== undefined && uid !== metadata.uid) {
      if (own === true) throw conflict(this.#groupResource, name, failedPrecondition("UID", uid, metadata.uid));
      throw refuse(
        `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). ` +
          "The object might have been deleted and then recreated",
      );
    }
    if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
      if (own === true) {
        const why = failedPrecondition("ResourceVersion", resourceVersion, metadata.resourceVersion);
        throw conflict(this.#groupResource, name, why);
      }
      throw refuse(
        `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record ` +
          `(${metadata.resourceVersion}). The object might have been modified`,
      );
    }
  }

  /** The optimistic lock: a resourceVersion in the new object must be that of the stored one. */
  #checkVersion(current: KubernetesObject, { metadata }: KubernetesObject): void {
    const name = current.metadata.name ?? "";
    const { resourceVersion = "", uid = "" } = metadata;
    if (uid !== "" && uid !== current.metadata.uid) {
      throw conflict(this.#groupResource, name, failedPrecondition("UID", uid, current.metadata.uid));
    }
    if (resourceVersion === "" || resourceVersion === "0") {
      if (this.#options.strategy.unconditionalUpdate) return;
      throw invalid({ group: this.#options.group, kind: this.#options.resource }, name, [
        {
          type: "FieldValueInvalid",
          field: "metadata.resourceVersion",
          value: 0,
          detail: "must be specified for an update",
        },
      ]);
    }
    if (parseRevision(resourceVersion) === undefined) requireRevision(resourceVersion);
    if (resourceVersion !== current.metadata.resourceVersion) {
      throw conflict(this.#groupResource, name, MODIFIED_SINCE_READ);
    }
  }

  #changedObject(
    context: RequestContext,
    changed: KubernetesObject,
    current: KubernetesObject,
    request: UpdateRequest,
  ): KubernetesObject {
    const { strategy, namespaced } = this.#options;
    const { metadata: old } = current;
    const { namespace: _, ...clusterMetadata } = changed.metadata;
    const system = {
      uid: old.uid,
      generation: old.generation,
      creationTimestamp: old.creationTimestamp,
      resourceVersion: old.resourceVersion,
      // A deletion cannot be taken back; its marks are put back silently.
      ...(old.deletionTimestamp === undefined
        ? {}
        : {
            deletionTimestamp: old.deletionTimestamp,
            deletionGracePeriodSeconds: changed.metadata.deletionGracePeriodSeconds ?? old.deletionGracePeriodSeconds,
          }),
    };
    const merged = { ...changed, metadata: { ...(namespaced ? changed.metadata : clusterMetadata), ...system } };
    const deduped = dedupeOwnerReferences(merged, request.patch ? "patch" : "body", context.warn);
    const prepared = strategy.applyDefaults(strategy.prepareForUpdate(deduped, current));
    const metadataErrors = [
      ...validateMetadata(prepared.metadata, { namespaced, name: pathSegmentProblems }),
      ...validateMetadataUpdate(prepared.metadata, old),
    ];
    this.#refuseInvalid(prepared, [
      ...metadataErrors,
      // Twice, as kube-apiserver has it: clients see each of these causes two times, and the message once.
      ...(prepared.kind === this.#options.kind ? validateMetadataUpdate(prepared.metadata, old) : []),
      ...strategy.validateUpdate(prepared, current),
    ]);
    for (const warning of strategy.warnings(prepared, current)) context.warn(warning);
    return this.#withGeneration(prepared, current);
  }

  /** `generation` counts changes of anything but metadata, and of the status where that is a subresource. */
  #withGeneration(next: KubernetesObject, current: KubernetesObject): KubernetesObject {
    if (this.#options.strategy.generation !== "counted") return next;
    const { metadata: _n, ...desired } = next;
    const { metadata: _c, ...present } = current;
    if (jsonEquals(desired, present)) return next;
    return { ...next, metadata: { ...next.metadata, generation: (current.metadata.generation ?? 0) + 1 } };
  }

  #markForDeletion(current: KubernetesObject, finalizers: readonly string[]): KubernetesObject {
    const { metadata } = current;
    const marked = metadata.deletionTimestamp !== undefined;
    return this.#options.strategy.prepareForDeletion({
      ...current,
      metadata: {
        ...metadata,
        ...(finalizers.length === 0 ? {} : { finalizers }),
        deletionTimestamp: metadata.deletionTimestamp ?? formatTime(this.#options.host.now()),
        deletionGracePeriodSeconds: 0,
        generation: marked || metadata.generation === undefined ? metadata.generation : metadata.generation + 1,
      },
    });
  }

  async #put(key: string, bytes: Uint8Array, expected: number): Promise<StoredValue | undefined> {
    return this.#ifUnchanged(() => this.#options.storage.update(key, bytes, expected));
  }

  #remove(key: ObjectKey, stored: StoredValue): Promise<number | undefined> {
    return this.#ifUnchanged(() => this.#options.storage.delete(this.#key(key), stored.revision));
  }

  async #removeStored(key: ObjectKey, stored: StoredValue): Promise<boolean> {
    return (await this.#remove(key, stored)) !== undefined;
  }

  /** `undefined` when somebody else has written meanwhile: the caller reads again. */
  async #ifUnchanged<T>(write: () => Promise<T>): Promise<T | undefined> {
    try {
      return await write();
    } catch (error) {
      if (StorageError.isStorageError(error) && (error.reason === "conflict" || error.reason === "missing")) {
        return undefined;
      }
      throw error;
    }
  }
}

function failedPrecondition(what: string, asked: string, found: string | undefined): string {
  return `Precondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${found}`;
}

/** Errors after which validation rules are not evaluated any more. */
const blocking: ReadonlySet<FieldErrorType> = new Set([
  "FieldValueRequired",
  "FieldValueTypeInvalid",
  "FieldValueNotSupported",
  "FieldValueTooLong",
  "FieldValueTooMany",
]);

const rulesNotChecked: FieldError = {
  type: "FieldValueInvalid",
  field: "<nil>",
  value: null,
  detail:
    "some validation rules were not checked because the object was invalid; " +
    "correct the existing errors to complete validation",
};

/** Marked for deletion and held by nothing any more. */
function isFinished({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
}

function withVersion(object: KubernetesObject, resourceVersion: string): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
