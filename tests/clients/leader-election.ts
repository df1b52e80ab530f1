import { setTimeout as sleep } from "node:timers/promises";
import { ApiException, type CoordinationV1Api, type V1Lease, V1MicroTime } from "@kubernetes/client-node";

export interface ElectionOptions {
  readonly client: CoordinationV1Api;
  readonly namespace: string;
  /** Of the lease. */
  readonly name: string;
  readonly identity: string;
  /** A lease that has not changed for so long is taken. */
  readonly leaseMs: number;
  /** A leader that cannot renew for so long steps down; less than `leaseMs`. */
  readonly renewMs: number;
  readonly retryMs: number;
  /** Ends the candidacy; a leader releases the lease unless `crash` says that it just disappears. */
  readonly signal: AbortSignal;
  readonly crash?: boolean;
  readonly onLead: () => void;
  readonly onStop: () => void;
}

/**
 * The algorithm of client-go's leaderelection: the lease is read and written with its resourceVersion, a conflict means
 * that somebody else was first, and times are those at which a change was seen here, never those of another clock.
 */
export async function runElection(options: ElectionOptions): Promise<void> {
  const { signal, retryMs, leaseMs, renewMs, identity } = options;
  let leading = false;
  let deadline: NodeJS.Timeout | undefined;
  let observed: { readonly version: string | undefined; readonly at: number } = { version: undefined, at: 0 };
  const stop = (): void => {
    clearTimeout(deadline);
    if (leading) options.onStop();
    leading = false;
  };
  while (!signal.aborted) {
    const startedAt = performance.now();
    try {
      const lease = await readLease(options);
      const version = lease?.metadata?.resourceVersion;
      if (version !== observed.version) observed = { version, at: performance.now() };
      const holder = lease?.spec?.holderIdentity ?? "";
      const isFree = holder === "" || holder === identity || performance.now() - observed.at > leaseMs;
      if (!isFree) stop();
      else {
        const written = await writeLease(options, lease, identity);
        observed = { version: written.metadata?.resourceVersion, at: performance.now() };
        clearTimeout(deadline);
        deadline = setTimeout(stop, renewMs - (performance.now() - startedAt));
        if (!leading) {
          leading = true;
          options.onLead();
        }
      }
    } catch {
      // A conflict, or a server that is away: the next turn tells.
    }
    await sleep(retryMs, undefined, { signal }).catch(() => {});
  }
  const held = leading;
  stop();
  if (held && options.crash !== true) await writeLease(options, await readLease(options), "");
}

async function readLease({ client, namespace, name }: ElectionOptions): Promise<V1Lease | undefined> {
  try {
    return await client.readNamespacedLease({ namespace, name });
  } catch (error) {
    if (error instanceof ApiException && error.code === 404) return undefined;
    throw error;
  }
}

function writeLease(options: ElectionOptions, lease: V1Lease | undefined, holderIdentity: string): Promise<V1Lease> {
  const { client, namespace, name, leaseMs } = options;
  const taken = lease?.spec?.holderIdentity !== holderIdentity;
  const now = new V1MicroTime();
  const body: V1Lease = {
    metadata: lease?.metadata ?? { name },
    spec: {
      holderIdentity,
      leaseDurationSeconds: Math.ceil(leaseMs / 1000),
      ...(taken ? { acquireTime: now } : lease?.spec?.acquireTime && { acquireTime: lease.spec.acquireTime }),
      renewTime: now,
      leaseTransitions: (lease?.spec?.leaseTransitions ?? 0) + (taken ? 1 : 0),
    },
  };
  return lease === undefined
    ? client.createNamespacedLease({ namespace, body })
    : client.replaceNamespacedLease({ namespace, name, body });
}
