import { badRequest, expired, goQuote, type KubernetesObject } from "@slipway/objects";
import { type ObjectStorage, StorageError, type StorageList } from "../storage/storage.ts";
import type { CacheEvent, ChangeLogLimits } from "./change-log.ts";
import { type CachedObject, ResourceCache } from "./resource-cache.ts";
import {
  expiredContinue,
  formatContinue,
  parseContinue,
  requireRevision,
  tooLargeVersion,
} from "./resource-version.ts";
import type {
  FieldRequirement,
  Lister,
  ListRequest,
  ListResult,
  RequestContext,
  RestEvent,
  Watcher,
  WatchRequest,
} from "./rest.ts";
import { WatchCursor } from "./watch-cursor.ts";

export interface ReaderOptions extends ChangeLogLimits {
  readonly storage: ObjectStorage;
  /** What all keys of the kind start with; namespace and name follow. */
  readonly prefix: string;
  readonly namespaced: boolean;
  readonly decode: (value: Uint8Array, revision: number) => KubernetesObject;
  /** Field selectors beyond metadata.name and metadata.namespace: name to value. */
  readonly selectableFields: Readonly<Record<string, (object: KubernetesObject) => string>>;
  /** Refuses other fields in the words that Kubernetes has for its own kinds without any. */
  readonly knownFieldsOnly: boolean;
  /** How often a quiet watch says how far it has come, in milliseconds. */
  readonly bookmarkIntervalMs: number;
}

/** How long before its end a watch says how far it has come (kube-apiserver's bookmark before the deadline). */
const lastBookmarkMs = 2_000;

type Matcher = (object: KubernetesObject) => boolean;

/**
 * Lists and watches of one kind. The present is served from memory, the past (pages of an older list, watches that
 * start before the window) from the storage.
 */
export class ResourceReader implements Lister, Watcher {
  readonly #options: ReaderOptions;
  readonly #cache: ResourceCache;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#cache = new ResourceCache(options);
  }

  /**
   * The present object under a key.
   *
   * @param notOlderThan a resourceVersion, or `""`
   * @throws {ApiStatusError} `Timeout` when that version has not happened yet.
   */
  async find(key: string, notOlderThan = ""): Promise<CachedObject | undefined> {
    await this.#cache.ready();
    const asked = notOlderThan === "" ? 0 : requireRevision(notOlderThan);
    if (asked > this.#cache.revision) throw tooLargeVersion(asked, this.#cache.revision);
    return this.#cache.get(key);
  }

  /** How many objects there are. Asks the storage as long as nobody has read any: a number needs no cache. */
  async count(): Promise<number> {
    const { storage, prefix } = this.#options;
    if (this.#cache.size !== undefined) return this.#cache.size;
    const { items, remaining } = await storage.list(prefix, { limit: 1 });
    return items.length + remaining;
  }

  /** See `ResourceCache.forgetChanges`. */
  forgetChanges(): void {
    this.#cache.forgetChanges();
  }

  async list(context: RequestContext, request: ListRequest): Promise<ListResult> {
    const matches = this.#matcher(request);
    const page: Page = {
      prefix: this.#listPrefix(request),
      matches,
      limit: request.resourceVersion === "0" ? undefined : request.limit,
      selective: !request.labels.empty || request.fields.length > 0,
      after: undefined,
    };
    await this.#cache.ready();
    if (request.continue !== undefined) {
      const token = parseContinue(request.continue);
      const after = page.prefix + token.after.slice(1);
      // A state that has not been: perhaps of a storage that was put back to an earlier one.
      if (token.revision > this.#cache.revision) throw expiredContinue(token.after);
      if (token.revision < 0) return this.#listPresent({ ...page, after }, this.#cache.revision);
      // What has not changed since the first page is the state that it showed.
      if (this.#cache.isUnchangedSince(token.revision)) return this.#listPresent({ ...page, after }, token.revision);
      return this.#listPast(context, { ...page, after }, token.revision);
    }
    const exact = this.#exactRevision(request);
    return exact === undefined ? this.#listPresent(page, this.#cache.revision) : this.#listPast(context, page, exact);
  }

  /** @throws {ApiStatusError} at once when what is asked for makes no sense; later refusals end the events */
  watch(context: RequestContext, request: WatchRequest): AsyncGenerator<RestEvent> {
    const { resourceVersion = "" } = request;
    const asked = resourceVersion === "" ? 0 : requireRevision(resourceVersion);
    return this.#watch(context, request, asked, this.#matcher(request));
  }

  /**
   * Live events, after the changes since a revision or after the whole present state. Once the cache is ready, everything
   * up to the first `yield` happens in one turn, so that nothing falls between the two.
   */
  async *#watch(
    context: RequestContext,
    request: WatchRequest,
    asked: number,
    matches: Matcher,
  ): AsyncGenerator<RestEvent> {
    const { sendInitialEvents, lifetimeMs } = request;
    const prefix = this.#listPrefix(request);
    await this.#cache.ready();
    if (context.signal.aborted) return;
    const { log, revision } = this.#cache;
    const isInitial = sendInitialEvents ?? asked === 0;
    if (isInitial && asked > revision) throw tooLargeVersion(asked, revision);
    const after = isInitial || asked === 0 ? revision : asked;
    const inLog = log.firstAfter(after);
    const cursor = new WatchCursor<RestEvent>(log, inLog ?? log.end, (change) =>
      change.key.startsWith(prefix) && change.revision > after ? transition(change, matches) : undefined,
    );
    const initial = isInitial ? this.#cache.snapshot(prefix) : [];
    const unsubscribe = this.#cache.subscribe((change) => cursor.notice(change));
    const progress = (): void => cursor.tell(bookmark(Math.max(this.#cache.revision, after), false));
    const bookmarks = setInterval(progress, this.#options.bookmarkIntervalMs);
    // The last word before the end of a watch, so that the next one starts as late as can be.
    const lastBookmark =
      lifetimeMs === undefined || lifetimeMs <= lastBookmarkMs
        ? undefined
        : setTimeout(progress, lifetimeMs - lastBookmarkMs);
    const onAbort = (): void => cursor.end();
    context.signal.addEventListener("abort", onAbort);
    try {
      if (isInitial) {
        for (const { object } of initial) if (matches(object)) yield { type: "ADDED", object };
        yield bookmark(revision, true);
      } else if (inLog === undefined) {
        yield* this.#past(context, prefix, matches, after, revision);
        if (context.signal.aborted) return; // perhaps in the middle of it: what follows would leave a gap
      }
      for (let event = await cursor.next(tooSlow); event !== undefined; event = await cursor.next(tooSlow)) yield event;
    } finally {
      unsubscribe();
      clearInterval(bookmarks);
      clearTimeout(lastBookmark);
      context.signal.removeEventListener("abort", onAbort);
    }
  }

  #listPrefix({ namespace, fields }: Pick<ListRequest, "namespace" | "fields">): string {
    const { namespaced, prefix } = this.#options;
    const pinned = fields.find(({ field, operator }) => field === "metadata.namespace" && operator === "=");
    const chosen = namespace === "" && namespaced ? (pinned?.value ?? "") : namespace;
    return chosen === "" ? prefix : `${prefix}${chosen}/`;
  }

  /** The revision that a list shows exactly; `undefined`: the present is right. */
  #exactRevision({ resourceVersion = "", resourceVersionMatch, limit }: ListRequest): number | undefined {
    if (resourceVersion === "" || resourceVersion === "0") return undefined;
    const asked = requireRevision(resourceVersion);
    const { revision } = this.#cache;
    if (asked > revision) throw tooLargeVersion(asked, revision);
    // A limit without a match rule means that exact version: how paging worked before continue tokens carried one.
    const exact = resourceVersionMatch === "Exact" || (resourceVersionMatch === undefined && limit !== undefined);
    return exact ? asked : undefined;
  }

  #listPresent({ prefix, matches, limit, selective, after }: Page, revision: number): ListResult {
    const items: KubernetesObject[] = [];
    let last: string | undefined;
    let remaining = 0;
    for (const { key, object } of this.#cache.list(prefix, after)) {
      if (items.length === limit) {
        // Without a selector every further object counts; with one, whether there is more is all that is told.
        remaining++;
        if (selective) break;
      } else if (matches(object)) {
        items.push(object);
        last = key;
      }
    }
    if (remaining === 0 || last === undefined) return { items, resourceVersion: String(revision) };
    return withNextPage(items, revision, last.slice(prefix.length - 1), selective ? undefined : remaining);
  }

  async #listPast(context: RequestContext, page: Page, revision: number): Promise<ListResult> {
    const { prefix, matches, limit, selective } = page;
    const items: KubernetesObject[] = [];
    let after = page.after;
    for (;;) {
      context.signal.throwIfAborted();
      const read = await this.#storageList(page, revision, after);
      let unread = read.more;
      for (const { key, value, revision: at } of read.items) {
        const object = this.#options.decode(value, at);
        if (matches(object)) items.push(object);
        after = key;
        if (items.length < (limit ?? Number.POSITIVE_INFINITY)) continue;
        unread ||= key !== read.items.at(-1)?.key;
        break;
      }
      if (!unread || after === undefined) return { items, resourceVersion: String(revision) };
      if (items.length === limit) {
        const rest = selective ? undefined : read.remaining;
        return withNextPage(items, revision, after.slice(prefix.length - 1), rest);
      }
    }
  }

  async #storageList(
    { prefix, after: first, limit }: Page,
    revision: number,
    after: string | undefined,
  ): Promise<StorageList> {
    try {
      return await this.#options.storage.list(prefix, { revision, after, limit });
    } catch (error) {
      if (!StorageError.isStorageError(error) || error.reason !== "compacted") throw error;
      throw first === undefined
        ? expired("The resourceVersion for the provided list is too old.")
        : expiredContinue((after ?? first).slice(prefix.length - 1));
    }
  }

  #matcher({ labels, fields }: Pick<ListRequest, "labels" | "fields">): Matcher {
    const tests = fields.map((requirement) => this.#fieldTest(requirement));
    return (object) =>
      (labels.empty || labels.matches(object.metadata.labels ?? {})) && tests.every((test) => test(object));
  }

  #fieldTest({ field, operator, value }: FieldRequirement): Matcher {
    const read = this.#fieldReader(field);
    return (object) => (read(object) === value) === (operator === "=");
  }

  #fieldReader(field: string): (object: KubernetesObject) => string {
    const { namespaced, selectableFields, knownFieldsOnly } = this.#options;
    if (field === "metadata.name") return ({ metadata }) => metadata.name ?? "";
    if (field === "metadata.namespace" && namespaced) return ({ metadata }) => metadata.namespace ?? "";
    const read = Object.hasOwn(selectableFields, field) ? selectableFields[field] : undefined;
    if (read !== undefined) return read;
    throw badRequest(
      knownFieldsOnly
        ? `${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
        : `field label not supported: ${field}`,
    );
  }

  /** The events after a revision, up to another one, out of the storage's history. */
  async *#past(
    context: RequestContext,
    prefix: string,
    matches: Matcher,
    after: number,
    through: number,
  ): AsyncGenerator<RestEvent> {
    const { storage, decode } = this.#options;
    try {
      for await (const event of storage.watch(prefix, { after, through, signal: context.signal })) {
        const { key, revision, previous } = event;
        const before = previous === undefined ? undefined : decode(previous, revision);
        const object = event.type === "put" ? decode(event.value, revision) : undefined;
        const shown = transition({ key, revision, object, before }, matches);
        if (shown !== undefined) yield shown;
      }
    } catch (error) {
      throw watchRefusal(error, after);
    }
  }
}

function withNextPage(
  items: readonly KubernetesObject[],
  revision: number,
  after: string,
  remainingItemCount: number | undefined,
): ListResult {
  return {
    items,
    resourceVersion: String(revision),
    continue: formatContinue({ revision, after }),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
  };
}

interface Page {
  readonly prefix: string;
  readonly matches: Matcher;
  readonly limit: number | undefined;
  /** Whether a selector leaves objects out. */
  readonly selective: boolean;
  /** The key that the page before ended with. */
  readonly after: string | undefined;
}

/** What a change means to a watcher: entering its selection is ADDED, leaving it is DELETED. */
function transition(change: CacheEvent, matches: Matcher): RestEvent | undefined {
  const { object, before } = change;
  const left = before !== undefined && matches(before) ? before : undefined;
  if (object !== undefined && matches(object)) {
    return { type: left === undefined ? "ADDED" : "MODIFIED", object, change };
  }
  return left && { type: "DELETED", object: left, change };
}

function bookmark(revision: number, initialEventsEnd: boolean): RestEvent {
  return { type: "BOOKMARK", resourceVersion: String(revision), initialEventsEnd };
}

function tooSlow(): Error {
  return expired("the watch was too slow to keep up with the changes and was ended; list again and watch from there");
}

/** The answer to a storage that refuses a watch; anything else passes. */
function watchRefusal(error: unknown, asked: number): unknown {
  if (!StorageError.isStorageError(error)) return error;
  switch (error.reason) {
    case "compacted":
      return expired(`too old resource version: ${asked} (${error.revision})`);
    case "slow":
      return tooSlow();
    default:
      return error;
  }
}
