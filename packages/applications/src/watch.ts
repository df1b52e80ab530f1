import { abortScope, type RequestContext, type RestEvent, type WatchRequest } from "@slipway/apiserver";
import type { KubeClient, KubernetesObject, WatchEvent } from "@slipway/objects";
import type { ApplicationViews } from "./application-views.ts";
import { inApplicationWords, isRefusal } from "./backend-errors.ts";
import type { Definition } from "./definition.ts";
import { releaseName, tenantParents } from "./derived-names.ts";
import { belongsTo, isTenant, releaseKind } from "./release-backend.ts";
import { type ApplicationSelector, applicationSelector, kindLabels } from "./selectors.ts";
import {
  MonitorBook,
  type MonitoredApplication,
  monitoredApplication,
  monitorKind,
  readExternalIPs,
} from "./surroundings.ts";

/**
 * The events of a kind's applications: what happens to their releases, and what workload monitors make of them.
 *
 * The watch on releases starts where the client says, so nothing in between is lost, and a version that is no longer
 * kept is the client's error too. Whether an object starts or stops matching a label selector is decided by the
 * cluster, which knows its former state: users' labels are selected by there. A monitor's change is a MODIFIED with
 * the release's own resourceVersion; a release that has changed meanwhile is left to its own event. A bookmark
 * follows, so that no client goes back to an old version.
 *
 * Ends when the signal aborts, and when the cluster ends one of the two watches: a client that comes back with its
 * last resourceVersion misses nothing of either.
 */
export async function* watchApplications(
  definition: Definition,
  views: ApplicationViews,
  client: KubeClient,
  now: () => Date,
  { signal }: Pick<RequestContext, "signal">,
  request: WatchRequest,
): AsyncGenerator<RestEvent> {
  const scope = abortScope(signal);
  const watch = new ApplicationWatch(definition, views, client, now, scope.signal, request);
  try {
    await watch.open();
    for (let events = await watch.next(); events !== undefined; events = await watch.next()) {
      for (const event of events) yield event;
    }
  } catch (error) {
    throw inApplicationWords(error, definition, "");
  } finally {
    watch.close();
    scope.end();
  }
}

/** One for each watcher: what is done here for an event is done as often as there are watchers. */
class ApplicationWatch {
  readonly #definition: Definition;
  readonly #views: ApplicationViews;
  readonly #client: KubeClient;
  readonly #now: () => Date;
  readonly #signal: AbortSignal;
  readonly #selector: ApplicationSelector;
  /** Where the client is; `undefined`: it wants the present state first. */
  readonly #since: string | undefined;
  readonly #fromTheStart: boolean;
  readonly #book = new MonitorBook();
  readonly #streams = new FirstOf();
  #releases: AsyncIterator<WatchEvent> | undefined;
  #hasMonitors = false;
  /** Everything of the releases up to here has been delivered. */
  #position: string | undefined;
  /** The state that the book began with; older events of monitors only tell clients what they missed. */
  #bookVersion: string | undefined;

  constructor(
    definition: Definition,
    views: ApplicationViews,
    client: KubeClient,
    now: () => Date,
    signal: AbortSignal,
    request: WatchRequest,
  ) {
    this.#definition = definition;
    this.#views = views;
    this.#client = client;
    this.#now = now;
    this.#signal = signal;
    this.#selector = applicationSelector(definition, request);
    const { resourceVersion = "", sendInitialEvents } = request;
    this.#since = resourceVersion === "" || resourceVersion === "0" ? undefined : resourceVersion;
    this.#fromTheStart = sendInitialEvents === true || this.#since === undefined;
  }

  async open(): Promise<void> {
    this.#hasMonitors = await this.#readMonitors();
    this.#releases = this.#client
      .watch(releaseKind, {
        ...this.#selector.releases,
        resourceVersion: this.#since,
        sendInitialEvents: this.#fromTheStart,
        signal: this.#signal,
      })
      [Symbol.asyncIterator]();
    this.#streams.add(this.#releases);
    if (this.#fromTheStart) return; // monitors come after the present state
    this.#position = this.#since;
    this.#watchMonitors();
  }

  /** What the next event of the cluster means to the client, perhaps nothing; `undefined` at the end. */
  async next(): Promise<readonly RestEvent[] | undefined> {
    const taken = await this.#streams.next();
    if (taken === undefined) return undefined;
    return taken.from === this.#releases ? this.#ofRelease(taken.value) : this.#ofMonitor(taken.value);
  }

  close(): void {
    this.#streams.close();
  }

  /** Whether the cluster knows monitors at all. */
  async #readMonitors(): Promise<boolean> {
    try {
      const { items, resourceVersion } = await this.#client.list(monitorKind, this.#monitorOptions());
      for (const monitor of items) this.#book.set(monitor);
      this.#bookVersion = resourceVersion;
      return true;
    } catch (error) {
      if (!isRefusal(error, "NotFound")) throw error;
      this.#book.fail(error.message);
      return false;
    }
  }

  #watchMonitors(): void {
    if (!this.#hasMonitors) return;
    const resourceVersion = this.#fromTheStart ? this.#bookVersion : this.#since;
    const events = this.#client.watch(monitorKind, { ...this.#monitorOptions(), resourceVersion });
    this.#streams.add(events[Symbol.asyncIterator]());
  }

  /** A tenant's monitors are in the namespace that it opens. */
  #monitorOptions(): { readonly namespace: string; readonly labelSelector: string; readonly signal: AbortSignal } {
    const { namespace = "" } = this.#selector.releases;
    return {
      namespace: isTenant(this.#definition) ? "" : namespace,
      labelSelector: kindLabels(this.#definition),
      signal: this.#signal,
    };
  }

  async #ofRelease(event: WatchEvent): Promise<readonly RestEvent[]> {
    if (event.type === "BOOKMARK") {
      this.#advance(event.resourceVersion);
      if (event.initialEventsEnd && this.#fromTheStart) this.#watchMonitors();
      return [event];
    }
    const { object: release } = event;
    this.#advance(release.metadata.resourceVersion);
    const application = await this.#toApplication(release);
    return this.#selector.matches(application) ? [{ type: event.type, object: application }] : [];
  }

  async #ofMonitor(event: WatchEvent): Promise<readonly RestEvent[]> {
    if (event.type === "BOOKMARK") return [];
    const { object: monitor } = event;
    const affected = event.type === "DELETED" ? this.#book.delete(monitor) : this.#book.set(monitor);
    const own = monitoredApplication(monitor);
    const isNews = isNewer(monitor.metadata.resourceVersion, this.#bookVersion);
    const applications = isNews || own === undefined || affected.length > 0 ? affected : [own];
    const events: RestEvent[] = [];
    for (const application of applications) events.push(...(await this.#workloadsChanged(application)));
    return events;
  }

  /** MODIFIED for an application whose monitors have changed, unless its release has an event of its own to come. */
  async #workloadsChanged({ namespace, name }: MonitoredApplication): Promise<readonly RestEvent[]> {
    const { prefix } = this.#definition.release;
    const parents = isTenant(this.#definition) ? tenantParents(namespace, prefix, name) : [namespace];
    const events: RestEvent[] = [];
    for (const parent of parents.filter((candidate) => this.#selector.matchesKey(candidate, name))) {
      const ref = { ...releaseKind, namespace: parent, name: releaseName(prefix, name) };
      const release = await this.#client.get(ref, { signal: this.#signal });
      if (release === undefined || !belongsTo(this.#definition, release)) continue;
      const { resourceVersion } = release.metadata;
      if (isNewer(resourceVersion, this.#position)) continue;
      const application = await this.#toApplication(release);
      if (!this.#selector.matches(application)) continue;
      events.push({ type: "MODIFIED", object: application });
      if (this.#position !== undefined && isNewer(this.#position, resourceVersion)) {
        events.push({ type: "BOOKMARK", resourceVersion: this.#position, initialEventsEnd: false });
      }
    }
    return events;
  }

  #advance(resourceVersion: string | undefined): void {
    if (resourceVersion === undefined) return;
    if (this.#position === undefined || isNewer(resourceVersion, this.#position)) this.#position = resourceVersion;
  }

  async #toApplication(release: KubernetesObject): Promise<KubernetesObject> {
    return this.#views.of(release, {
      monitors: this.#book.of(this.#definition, release),
      externalIPsCount: await readExternalIPs(this.#client, this.#definition, release, this.#signal),
      now: this.#now(),
    });
  }
}

interface Taken {
  readonly from: AsyncIterator<WatchEvent>;
  readonly value: WatchEvent;
}

type Outcome = Taken | { readonly end: true } | { readonly error: unknown };

/** The events of several streams as they come, with one asked for ahead of each. */
class FirstOf {
  /** Each stream with how to ask it for its next event. */
  readonly #streams = new Map<AsyncIterator<WatchEvent>, () => void>();
  readonly #settled: Outcome[] = [];
  #last: Taken | undefined;
  #wake = (): void => {};

  add(from: AsyncIterator<WatchEvent>): void {
    const settle = (outcome: Outcome): void => {
      this.#settled.push(outcome);
      this.#wake();
    };
    const onNext = ({ done, value }: IteratorResult<WatchEvent>): void =>
      settle(done === true ? { end: true } : { from, value });
    const onError = (error: unknown): void => settle({ error });
    const ask = (): void => {
      from.next().then(onNext, onError);
    };
    this.#streams.set(from, ask);
    ask();
  }

  /** `undefined` at the end of the first stream that ends; rejects with the first that fails. */
  async next(): Promise<Taken | undefined> {
    if (this.#last !== undefined) this.#streams.get(this.#last.from)?.();
    this.#last = undefined;
    // A promise of its own for each pause: a race of long-lived promises would remember every round.
    if (this.#settled.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const outcome = this.#settled.shift();
    if (outcome === undefined || "end" in outcome) return undefined;
    if ("error" in outcome) throw outcome.error;
    this.#last = outcome;
    return outcome;
  }

  close(): void {
    for (const stream of this.#streams.keys()) void close(stream);
  }
}

/** Not waited for: a stream that is waiting for an event closes when its signal aborts, which comes next. */
async function close(events: AsyncIterator<WatchEvent>): Promise<void> {
  try {
    await events.return?.();
  } catch {
    // Nobody reads it any more.
  }
}

/**
 * Whether `a` comes after `b`; `false` when either is missing or no decimal number.
 * @see KEP-5504, which makes resourceVersions comparable
 */
function isNewer(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined || !/^\d+$/.test(a) || !/^\d+$/.test(b)) return false;
  return BigInt(a) > BigInt(b);
}
