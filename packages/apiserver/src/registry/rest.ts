import type { DeleteOptions, KubernetesObject, Preconditions } from "@slipway/objects";

/** Who asks. Groups carry `system:authenticated` for everyone who is known. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** What a request carries down to the storage of a kind. */
export interface RequestContext {
  readonly user: UserInfo;
  /** Aborts when the client is gone or the deadline has passed. */
  readonly signal: AbortSignal;
  /** Adds a `Warning` header to the answer, once per text. */
  readonly warn: (text: string) => void;
}

export interface ObjectKey {
  /** `""` for cluster scope. */
  readonly namespace: string;
  readonly name: string;
}

/** A parsed selector over labels; see `parseLabelSelector` in `@slipway/objects`. */
export interface LabelMatcher {
  readonly empty: boolean;
  /** Canonical text, as a backend that filters itself wants it. */
  readonly text: string;
  matches(labels: Readonly<Record<string, string>>): boolean;
}

export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

export interface ListRequest {
  /** `""`: all namespaces, or cluster scope. */
  readonly namespace: string;
  readonly labels: LabelMatcher;
  readonly fields: readonly FieldRequirement[];
  /** `undefined`: most recent. `"0"`: any. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
}

export interface ListResult {
  readonly items: readonly KubernetesObject[];
  readonly resourceVersion: string;
  /** Token of the next page; absent on the last one. */
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

export interface WatchRequest {
  readonly namespace: string;
  readonly labels: LabelMatcher;
  readonly fields: readonly FieldRequirement[];
  /** `undefined` or `"0"`: the present state first, as ADDED. */
  readonly resourceVersion?: string | undefined;
  /** `true`: the present state first whatever the version, then the end mark. `undefined`: as the version says. */
  readonly sendInitialEvents?: boolean | undefined;
  /** When the client's watch will be ended; a last bookmark comes a little earlier. */
  readonly lifetimeMs?: number | undefined;
}

/**
 * Events of one watch. `initialEventsEnd` follows the last initial event, also when there was none; the
 * handler decides whether the client gets it as a bookmark.
 */
export type RestEvent =
  | {
      readonly type: "ADDED" | "MODIFIED" | "DELETED";
      readonly object: KubernetesObject;
      /** The same for all watchers of one change, who then share the bytes that are sent. @default nothing is shared */
      readonly change?: object | undefined;
    }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string; readonly initialEventsEnd: boolean };

export interface WriteRequest {
  /** Everything is checked and answered; nothing is stored and no event is sent. */
  readonly dryRun: boolean;
  readonly fieldManager: string;
}

export interface UpdateRequest extends WriteRequest {
  /** Whether the new object is derived from the one shown (PATCH), rather than given whole (PUT). */
  readonly patch: boolean;
  readonly preconditions?: Preconditions | undefined;
}

/** Computes the new object from the present one; called again when the present one has changed meanwhile. */
export type ObjectChange = (current: KubernetesObject) => KubernetesObject | Promise<KubernetesObject>;

export interface DeleteRequest extends WriteRequest {
  readonly options: Pick<DeleteOptions, "gracePeriodSeconds" | "preconditions" | "propagationPolicy">;
}

export type DeleteResult =
  /** Gone. `object` is its last state. */
  | { readonly done: true; readonly object: KubernetesObject }
  /** Marked; a finalizer holds it. */
  | { readonly done: false; readonly object: KubernetesObject };

/**
 * What a kind is able to do, one interface per ability. A server lists in discovery the verbs whose ability is there.
 * All refusals reject with `ApiStatusError`.
 */
export interface GetRequest {
  /** Not older than this version. @default most recent */
  readonly resourceVersion?: string | undefined;
}

export interface Getter {
  get(context: RequestContext, key: ObjectKey, request?: GetRequest): Promise<KubernetesObject>;
}
export interface Lister {
  list(context: RequestContext, request: ListRequest): Promise<ListResult>;
}
export interface Watcher {
  /** Ends when `context.signal` aborts. What it throws becomes an ERROR event. */
  watch(context: RequestContext, request: WatchRequest): AsyncIterable<RestEvent>;
}
export interface Creator {
  /** The object's namespace is that of the request already. */
  create(context: RequestContext, object: KubernetesObject, request: WriteRequest): Promise<KubernetesObject>;
}
export interface Updater {
  update(
    context: RequestContext,
    key: ObjectKey,
    change: ObjectChange,
    request: UpdateRequest,
  ): Promise<KubernetesObject>;
}
export interface Deleter {
  delete(context: RequestContext, key: ObjectKey, request: DeleteRequest): Promise<DeleteResult>;
}
export interface CollectionDeleter {
  /**
   * Deletes what `list` shows: with a limit only that page. Resolves to what was listed and then deleted or marked, as
   * it was before. The first refusal ends it; what was deleted by then stays deleted.
   *
   * @param admit asked about each object before it is deleted
   */
  deleteCollection(
    context: RequestContext,
    list: ListRequest,
    request: DeleteRequest,
    admit: (object: KubernetesObject) => Promise<void>,
  ): Promise<ListResult>;
}

export interface Counter {
  /** How many objects of the kind are stored, over all namespaces; metrics show it. */
  count(): Promise<number>;
}

export type RestStorage = Getter &
  Partial<Lister & Watcher & Creator & Updater & Deleter & CollectionDeleter & Counter>;
