import {
  type GroupVersionKind,
  getMember,
  isJsonArray,
  isJsonObject,
  type KubeClient,
  type KubernetesObject,
  labelValue,
} from "@slipway/objects";
import { type MonitorReading, type MonitorState, monitorState } from "./conditions.ts";
import type { Definition } from "./definition.ts";
import { applicationLabels, applicationName } from "./derived-names.ts";
import { isTenant, monitorNamespace, type Surroundings } from "./release-backend.ts";
import { kindLabels } from "./selectors.ts";

export const monitorKind: GroupVersionKind = { group: "cozystack.io", version: "v1alpha1", kind: "WorkloadMonitor" };
const serviceKind: GroupVersionKind = { group: "", version: "v1", kind: "Service" };

export interface SurroundingsReader {
  readonly client: Pick<KubeClient, "list">;
  readonly now: () => Date;
}

type Signal = AbortSignal | undefined;

/** What is around one release. What cannot be read is no failure: the status says so, or leaves it out. */
export async function readSurroundings(
  { client, now }: SurroundingsReader,
  definition: Definition,
  release: KubernetesObject,
  signal: Signal,
): Promise<Surroundings> {
  const [monitors, externalIPsCount] = await Promise.all([
    readMonitors(client, definition, release, signal),
    readExternalIPs(client, definition, release, signal),
  ]);
  return { monitors, externalIPsCount, now: now() };
}

async function readMonitors(
  client: Pick<KubeClient, "list">,
  definition: Definition,
  release: KubernetesObject,
  signal: Signal,
): Promise<MonitorReading> {
  const name = applicationName(definition.release.prefix, release.metadata.name ?? "");
  if (labelValue(name).length > 0) return { read: true, monitors: [] }; // no label could name it
  const labelSelector = `${kindLabels(definition)},${applicationLabels.name}=${name}`;
  const namespace = monitorNamespace(definition, release);
  return attempt(signal, async () => {
    const { items } = await client.list(monitorKind, { namespace, labelSelector, signal });
    return items.map(monitorState);
  });
}

/** Failure is an answer too, unless the request itself is over. */
async function attempt(signal: Signal, read: () => Promise<readonly MonitorState[]>): Promise<MonitorReading> {
  try {
    return { read: true, monitors: await read() };
  } catch (error) {
    signal?.throwIfAborted();
    return { read: false, why: error instanceof Error ? error.message : String(error) };
  }
}

/** How many services of the tenant have an external IP address. 0 for other kinds, and when nobody can say. */
export async function readExternalIPs(
  client: Pick<KubeClient, "list">,
  definition: Definition,
  release: KubernetesObject,
  signal: Signal,
): Promise<number> {
  if (!isTenant(definition)) return 0;
  const namespace = monitorNamespace(definition, release);
  const counts = await countExternalIPs(client, namespace, signal);
  return counts.get(namespace) ?? 0;
}

async function countExternalIPs(
  client: Pick<KubeClient, "list">,
  namespace: string,
  signal: Signal,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  try {
    const { items } = await client.list(serviceKind, { namespace, signal });
    for (const service of items.filter(hasExternalIP)) {
      const { namespace: inNamespace = "" } = service.metadata;
      counts.set(inNamespace, (counts.get(inNamespace) ?? 0) + 1);
    }
  } catch {
    signal?.throwIfAborted();
  }
  return counts;
}

function hasExternalIP(service: KubernetesObject): boolean {
  const spec = getMember(service, "spec");
  if (!isJsonObject(spec) || spec.type !== "LoadBalancer") return false;
  const status = getMember(service, "status");
  const balancer = isJsonObject(status) ? getMember(status, "loadBalancer") : undefined;
  const ingress = isJsonObject(balancer) ? getMember(balancer, "ingress") : undefined;
  if (!isJsonArray(ingress)) return false;
  return ingress.some((entry) => isJsonObject(entry) && typeof entry.ip === "string" && entry.ip !== "");
}

/** The same for many releases, with one request for all monitors and one for all services. */
export async function readManySurroundings(
  { client, now }: SurroundingsReader,
  definition: Definition,
  releases: readonly KubernetesObject[],
  namespace: string,
  signal: Signal,
): Promise<(release: KubernetesObject) => Surroundings> {
  const at = now();
  const nothing: Surroundings = { monitors: { read: true, monitors: [] }, now: at };
  if (releases.length === 0) return () => nothing;
  const tenants = isTenant(definition);
  const [book, counts] = await Promise.all([
    listMonitors(client, definition, tenants ? "" : namespace, signal),
    tenants ? countExternalIPs(client, "", signal) : new Map<string, number>(),
  ]);
  return (release) => ({
    monitors: book.of(definition, release),
    externalIPsCount: counts.get(monitorNamespace(definition, release)) ?? 0,
    now: at,
  });
}

async function listMonitors(
  client: Pick<KubeClient, "list">,
  definition: Definition,
  namespace: string,
  signal: Signal,
): Promise<MonitorBook> {
  const book = new MonitorBook();
  try {
    const { items } = await client.list(monitorKind, { namespace, labelSelector: kindLabels(definition), signal });
    for (const monitor of items) book.set(monitor);
  } catch (error) {
    signal?.throwIfAborted();
    book.fail(error instanceof Error ? error.message : String(error));
  }
  return book;
}

/** Where monitors are and whose they are: the namespace of the monitors, not of the application. */
export interface MonitoredApplication {
  readonly namespace: string;
  readonly name: string;
}

/** The monitors of all applications of one kind, by application. Keeps what counts of each and nothing else. */
export class MonitorBook {
  readonly #entries = new Map<string, { readonly application: MonitoredApplication; readonly state: MonitorState }>();
  readonly #byApplication = new Map<string, Set<string>>();
  #failure: string | undefined;

  /** From here on nothing is known, and why. */
  fail(why: string): void {
    this.#failure = why;
  }

  /** Resolves to the applications that see a difference. Monitors without a name label are nobody's. */
  set(monitor: KubernetesObject): MonitoredApplication[] {
    const application = monitoredApplication(monitor);
    const key = textOf({ namespace: monitor.metadata.namespace ?? "", name: monitor.metadata.name ?? "" });
    const before = this.#entries.get(key);
    const state = monitorState(monitor);
    if (
      before !== undefined &&
      before.application.name === application?.name &&
      before.state.operational === state.operational &&
      before.state.since === state.since
    ) {
      return [];
    }
    const left = this.delete(monitor);
    if (application === undefined) return left;
    this.#entries.set(key, { application, state });
    const monitors = this.#byApplication.get(textOf(application)) ?? new Set();
    this.#byApplication.set(textOf(application), monitors.add(key));
    return [...left.filter(({ name }) => name !== application.name), application];
  }

  /** As {@link set}. */
  delete(monitor: KubernetesObject): MonitoredApplication[] {
    const key = textOf({ namespace: monitor.metadata.namespace ?? "", name: monitor.metadata.name ?? "" });
    const entry = this.#entries.get(key);
    if (entry === undefined) return [];
    this.#entries.delete(key);
    const application = textOf(entry.application);
    const monitors = this.#byApplication.get(application);
    monitors?.delete(key);
    if (monitors?.size === 0) this.#byApplication.delete(application);
    return [entry.application];
  }

  of(definition: Definition, release: KubernetesObject): MonitorReading {
    if (this.#failure !== undefined) return { read: false, why: this.#failure };
    const name = applicationName(definition.release.prefix, release.metadata.name ?? "");
    const keys = this.#byApplication.get(textOf({ namespace: monitorNamespace(definition, release), name })) ?? [];
    return { read: true, monitors: [...keys].flatMap((key) => this.#entries.get(key)?.state ?? []) };
  }
}

/** Whose monitor it is; `undefined` without a name label. */
export function monitoredApplication({ metadata }: KubernetesObject): MonitoredApplication | undefined {
  const name = metadata.labels?.[applicationLabels.name];
  return name === undefined ? undefined : { namespace: metadata.namespace ?? "", name };
}

const textOf = ({ namespace, name }: MonitoredApplication): string => `${namespace}/${name}`;
