import type { GroupVersionKind } from "./gvk.ts";
import type { KubernetesObject } from "./object.ts";

export interface ObjectRef extends GroupVersionKind {
  /** `""` for cluster scope. */
  readonly namespace: string;
  readonly name: string;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface ListOptions extends RequestOptions {
  /** @default "" all namespaces */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ObjectList {
  readonly items: readonly KubernetesObject[];
  /** A watch from here misses nothing and repeats nothing. */
  readonly resourceVersion: string;
}

export interface WatchOptions extends ListOptions {
  /**
   * Changes after this version only. Absent: the present state first, as ADDED, then changes.
   * A version that is no longer kept makes the iterable throw an `ApiStatusError` with reason `Expired`.
   */
  readonly resourceVersion?: string | undefined;
  /**
   * Also with a `resourceVersion`: the present state first, then one bookmark with `initialEventsEnd`.
   * @default false
   */
  readonly sendInitialEvents?: boolean | undefined;
}

export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubernetesObject }
  | {
      readonly type: "BOOKMARK";
      /** Everything up to here has been delivered. */
      readonly resourceVersion: string;
      readonly initialEventsEnd: boolean;
    };

export interface WriteOptions extends RequestOptions {
  /** Everything is checked and answered, nothing is stored. @default false */
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
}

export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

export type PropagationPolicy = "Orphan" | "Background" | "Foreground";

export interface DeleteOptions extends WriteOptions {
  readonly preconditions?: Preconditions | undefined;
  readonly propagationPolicy?: PropagationPolicy | undefined;
  readonly gracePeriodSeconds?: number | undefined;
}

/**
 * What the tiers above need from a cluster, and no more. Implemented in process by `apiserver`, over HTTP by `deploy`.
 *
 * Refusals of the server reject with `ApiStatusError`. Objects given are never changed.
 */
export interface KubeClient {
  /** Resolves to `undefined` when the object does not exist; any other failure rejects. */
  get(ref: ObjectRef, options?: RequestOptions): Promise<KubernetesObject | undefined>;
  list(kind: GroupVersionKind, options?: ListOptions): Promise<ObjectList>;
  /** Ends when the signal aborts or the consumer leaves the loop; refusals and ERROR events are thrown. */
  watch(kind: GroupVersionKind, options?: WatchOptions): AsyncIterable<WatchEvent>;
  create(object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  /** Replaces the object. With `metadata.resourceVersion` set, a stale one rejects with reason `Conflict`. */
  update(object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  /** Resolves to the object when something still holds it (a finalizer), to `undefined` when it is gone. */
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<KubernetesObject | undefined>;
}
