/**
 * The control plane against kube-apiserver with the same kind as a CustomResourceDefinition: HelmReleases on both, and
 * the applications over them on ours. The two take turns on every task; both keep running, so neither is favoured by a
 * warm start.
 */
import { cpuMs, memoryMb } from "./lib/process-figures.mjs";
import { load, startOurs, startPeer } from "./lib/servers.mjs";
import { row } from "./lib/statistics.mjs";

const release = {
  collection: "/apis/helm.toolkit.fluxcd.io/v2/namespaces/tenant-root/helmreleases",
  object: {
    apiVersion: "helm.toolkit.fluxcd.io/v2",
    kind: "HelmRelease",
    metadata: { labels: { team: "blue" } },
    spec: {
      chartRef: { kind: "ExternalArtifact", name: "chart", namespace: "cozy-system" },
      interval: "5m0s",
      values: { replicas: 3, size: "10Gi", users: { app: { password: "secret" } }, databases: { app: {} } },
    },
  },
};
const application = {
  collection: "/apis/apps.cozystack.io/v1alpha1/namespaces/tenant-root/postgreses",
  object: {
    apiVersion: "apps.cozystack.io/v1alpha1",
    kind: "Postgres",
    metadata: { labels: { team: "blue" } },
    spec: { replicas: 3, size: "10Gi", users: { app: { password: "secret" } }, databases: { app: {} } },
  },
};

const peerName = "kube-apiserver with a CRD";

/** @param {{ size: number, turns: number, log: (text: string) => void }} options */
export async function run({ size, turns, log }) {
  const [ours, peer] = [await startOurs(), await startPeer()];
  const rows = [
    row({ name: "start to ready", size: 0, unit: "ms", peerName, ours: [ours.startMs], peer: [peer.startMs] }),
  ];
  /** Ours and the peer in turns. @param {string} name @param {string} unit */
  const compare = async (name, unit, measure) => {
    const figures = { ours: [], peer: [] };
    for (let turn = 0; turn < turns; turn++) {
      figures.peer.push(await measure(peer, release, turn));
      figures.ours.push(await measure(ours, release, turn));
    }
    rows.push(row({ name, size, unit, peerName, ...figures }));
    log(name);
  };
  const compareApplications = async (name, unit, measure) => {
    const figures = { ours: [], peer: [] };
    for (let turn = 0; turn < turns; turn++) {
      figures.peer.push(await measure(peer, release, turn));
      figures.ours.push(await measure(ours, application, turn));
    }
    rows.push(row({ name: `${name}, applications`, size, unit, peerName, ...figures }));
    log(`${name}, applications`);
  };
  try {
    for (const [server, kinds] of [
      [ours, [release, application]],
      [peer, [release]],
    ]) {
      for (const kind of kinds) {
        const prefix = kind === application ? "app" : "r";
        await load(server, { ...kind, task: "create", count: Math.floor(size / kinds.length), clients: 8, prefix });
      }
    }
    log(`${size} objects on both`);
    await compare("memory", "MB", async (server) => memoryMb(server.pid));
    let made = 0;
    const p50 = (task) => async (server, kind) => (await load(server, { ...kind, ...task(kind) })).p50;
    const one = (kind) => (kind === application ? "app1" : "r1");
    for (const [compareThem, suffix] of [
      [compare, ""],
      [compareApplications, "-app"],
    ]) {
      await compareThem(
        "create, 1 client, p50",
        "ms",
        p50(() => ({ task: "create", count: 200, clients: 1, prefix: `one${suffix}-${made++}-` })),
      );
      await compareThem(
        "create, 8 clients, p50",
        "ms",
        p50(() => ({ task: "create", count: 400, clients: 8, prefix: `eight${suffix}-${made++}-` })),
      );
      await compareThem(
        "get, 4 clients, p50",
        "ms",
        p50((kind) => ({ task: "get", count: 1000, clients: 4, name: one(kind) })),
      );
      await compareThem(
        "list of all, p50",
        "ms",
        p50(() => ({ task: "list", count: 5, table: false })),
      );
      await compareThem(
        "table of all, p50",
        "ms",
        p50(() => ({ task: "list", count: 5, table: true })),
      );
      for (const watchers of [200, 1000]) {
        await compareThem(`${watchers} watchers, CPU per change`, "ms", async (server, kind) => {
          let before = 0;
          const changes = 50; // enough of them for what opening and closing cost not to show
          await load(server, { ...kind, task: "watch", watchers, changes, name: one(kind) }, () => {
            before = cpuMs(server.pid);
          });
          return (cpuMs(server.pid) - before) / changes;
        });
      }
    }
    await compare("memory after all of it", "MB", async (server) => memoryMb(server.pid));
  } finally {
    await ours.stop();
    await peer.stop();
  }
  return rows;
}

export const sizes = [1000, 3500, 7000];
