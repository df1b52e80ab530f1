import type { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { RequestLabels, RequestSeries, ServerGauges, ServerMetrics } from "../metrics.ts";

export interface MetricsOptions {
  /**
   * Also those of the process and of the runtime: `process_cpu_seconds_total`, `process_resident_memory_bytes`,
   * `nodejs_eventloop_lag_seconds` and others.
   * @default true
   */
  readonly processMetrics?: boolean | undefined;
}

const requestNames = ["verb", "group", "version", "resource", "subresource", "scope", "component"] as const;
const countedNames = [...requestNames, "dry_run"] as const;
const component = "apiserver";

/** Seconds and bytes between which kube-apiserver tells answers apart. */
const durationBuckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const sizeBuckets = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/**
 * Metrics of one server in Prometheus' text format, under kube-apiserver's names. Every call makes metrics of their own:
 * servers in one process do not add up.
 */
export async function createMetrics({ processMetrics = true }: MetricsOptions = {}): Promise<ServerMetrics> {
  // Loaded here: it takes longer to load than the rest of the server, and many have no use for it.
  const client = await import("prom-client");
  const registry = new client.Registry();
  if (processMetrics) client.collectDefaultMetrics({ register: registry });
  return new PrometheusMetrics(client, registry);
}

type Names = (typeof requestNames)[number];
type Labels = Readonly<Record<Names, string>>;

class PrometheusMetrics implements ServerMetrics {
  readonly #registry: Registry;
  readonly #requests: Counter<Names | "dry_run" | "code">;
  readonly #durations: Histogram<Names | "dry_run">;
  readonly #sizes: Histogram<Names>;
  readonly #terminations: Counter<Names | "code">;
  readonly #aborts: Counter<Exclude<Names, "component">>;
  readonly #longRunning: Gauge<Names>;
  readonly #inFlight: Gauge<"request_kind">;
  readonly #objects: Gauge<"resource">;
  readonly #resourceObjects: Gauge<"group" | "resource">;
  readonly #watchEvents: WatchEventCounts;

  constructor({ Counter, Gauge, Histogram }: typeof import("prom-client"), registry: Registry) {
    const registers = [registry];
    this.#registry = registry;
    this.#requests = new Counter({
      name: "apiserver_request_total",
      help: "Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.",
      labelNames: [...countedNames, "code"],
      registers,
    });
    this.#durations = new Histogram({
      name: "apiserver_request_duration_seconds",
      help: "Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.",
      labelNames: countedNames,
      buckets: durationBuckets,
      registers,
    });
    this.#sizes = new Histogram({
      name: "apiserver_response_sizes",
      help: "Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.",
      labelNames: requestNames,
      buckets: sizeBuckets,
      registers,
    });
    this.#terminations = new Counter({
      name: "apiserver_request_terminations_total",
      help: "Number of requests which apiserver terminated in self-defense.",
      labelNames: [...requestNames, "code"],
      registers,
    });
    this.#aborts = new Counter({
      name: "apiserver_request_aborts_total",
      help: "Number of requests whose client did not wait for the answer, for each group, version, verb, resource, subresource and scope",
      labelNames: requestNames.filter((name) => name !== "component"),
      registers,
    });
    this.#longRunning = new Gauge({
      name: "apiserver_longrunning_requests",
      help: "Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.",
      labelNames: requestNames,
      registers,
    });
    this.#inFlight = new Gauge({
      name: "apiserver_current_inflight_requests",
      help: "Maximal number of currently used inflight request limit of this apiserver per request kind in last second.",
      labelNames: ["request_kind"],
      registers,
    });
    this.#objects = new Gauge({
      name: "apiserver_storage_objects",
      help: "[DEPRECATED, consider using apiserver_resource_objects instead] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.",
      labelNames: ["resource"],
      registers,
    });
    this.#resourceObjects = new Gauge({
      name: "apiserver_resource_objects",
      help: "Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.",
      labelNames: ["group", "resource"],
      registers,
    });
    const events = new Counter({
      name: "apiserver_watch_events_total",
      help: "Number of events sent in watch clients",
      labelNames: ["group", "version", "resource"],
      registers,
      collect: () => counts.flush(),
    });
    const counts = new WatchEventCounts(events);
    this.#watchEvents = counts;
  }

  series({ dryRun, ...names }: RequestLabels): RequestSeries {
    const labels: Labels = { ...names, component };
    const { component: _, ...unowned } = labels;
    const counted = { ...labels, dry_run: dryRun };
    const byCode = new Map<number, typeof counted & { code: string }>();
    const duration = this.#durations.labels(counted);
    const size = labels.verb === "GET" || labels.verb === "LIST" ? this.#sizes.labels(labels) : undefined;
    return {
      answered: (code, seconds, bytes) => {
        let withCode = byCode.get(code);
        if (withCode === undefined) {
          withCode = { ...counted, code: String(code) };
          byCode.set(code, withCode);
        }
        this.#requests.inc(withCode);
        duration.observe(seconds);
        size?.observe(bytes);
      },
      terminated: (code) => this.#terminations.inc({ ...labels, code: String(code) }),
      aborted: () => this.#aborts.inc(unowned),
      longRunning: (change) => this.#longRunning.inc(labels, change),
    };
  }

  watchEvents(kind: EventLabels): { count: number } {
    return this.#watchEvents.of(kind);
  }

  async expose({ inFlight, objects }: ServerGauges): Promise<{ readonly contentType: string; readonly body: string }> {
    this.#inFlight.set({ request_kind: "readOnly" }, inFlight.readOnly);
    this.#inFlight.set({ request_kind: "mutating" }, inFlight.mutating);
    this.#objects.reset(); // kinds that are served no longer
    this.#resourceObjects.reset();
    for (const { group, resource, count } of objects) {
      this.#objects.set({ resource: group === "" ? resource : `${resource}.${group}` }, count);
      this.#resourceObjects.set({ group, resource }, count);
    }
    return { contentType: this.#registry.contentType, body: await this.#registry.metrics() };
  }
}

interface EventLabels {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Events are counted in plain numbers, since one change is an event for each watcher, and handed over when asked for. */
class WatchEventCounts {
  readonly #counter: Counter<keyof EventLabels>;
  readonly #kinds = new Map<string, { readonly labels: EventLabels; readonly events: { count: number } }>();

  constructor(counter: Counter<keyof EventLabels>) {
    this.#counter = counter;
  }

  of({ group, version, resource }: EventLabels): { count: number } {
    const key = `${group}/${version}/${resource}`;
    const known = this.#kinds.get(key) ?? { labels: { group, version, resource }, events: { count: 0 } };
    this.#kinds.set(key, known);
    return known.events;
  }

  flush(): void {
    for (const { labels, events } of this.#kinds.values()) {
      if (events.count > 0) this.#counter.inc({ ...labels }, events.count);
      events.count = 0;
    }
  }
}
