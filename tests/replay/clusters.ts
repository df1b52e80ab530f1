import { createMemoryStorage, mastersOnly, type ServerHost, startCluster, type Cluster } from "@slipway/apiserver";
import { applicationGroup, applicationResources, applicationVersion } from "@slipway/applications";
import { readObjects, shippedDefinitions } from "../cozystack/platform.ts";
import { anonymousHeader, inProcessSender } from "./in-process-sender.ts";
import type { Sender } from "./sender.ts";

/** A cluster in process that a sequence is replayed against. */
export interface ReplayCluster extends AsyncDisposable {
  readonly sender: Sender;
  readonly cluster: Cluster;
  /** What the server logged as failures of its own, oldest first. */
  readonly failures: readonly string[];
}

/** Revisions up to this one are compacted: recordings use 1 and 10 as versions that are too old. */
const COMPACTED_REVISION = 20;

/** What the recorded answers of kube-apiserver need: their kinds and an administrator. */
export async function startKubeCluster(crdFolder: string): Promise<ReplayCluster> {
  return start({ definitions: readObjects(crdFolder), namespaces: ["default", "kube-system"] });
}

/** What the recorded answers of cozystack-api need: the platform of 31 kinds. */
export async function startCozystackCluster(): Promise<ReplayCluster> {
  const started = await start({
    definitions: readObjects("packages/applications/crds"),
    namespaces: ["default", "kube-system", "cozy-system", "tenant-root"],
  });
  const { server, client } = started.cluster;
  const host = { now: () => new Date(), nameSuffix: nameSuffixes() };
  server.serve(applicationGroup, applicationVersion, applicationResources(shippedDefinitions(), client, { host }));
  return started;
}

interface StartOptions {
  readonly definitions: ReturnType<typeof readObjects>;
  readonly namespaces: readonly string[];
}

async function start({ definitions, namespaces }: StartOptions): Promise<ReplayCluster> {
  const storage = createMemoryStorage();
  const failures: string[] = [];
  for (let revision = 0; revision <= COMPACTED_REVISION; revision++) {
    await storage.create(`/replay/fillers//f${revision}`, Buffer.from("{}"));
  }
  await storage.compact(COMPACTED_REVISION);
  const cluster = startCluster({
    storage,
    definitions,
    host: host((message, error) => failures.push(`${message}: ${String(error)}`)),
    authenticate: async ({ headers }) =>
      headers[anonymousHeader] === undefined
        ? { name: "admin", groups: ["system:masters", "system:authenticated"] }
        : undefined,
    authorize: mastersOnly(),
    version: { major: "1", minor: "36", gitVersion: "v1.36.0-slipway" },
  });
  for (const name of namespaces) {
    await cluster.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  return {
    sender: inProcessSender(cluster.server.handle),
    cluster,
    failures,
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      await storage[Symbol.asyncDispose]();
    },
  };
}

function host(logError: ServerHost["logError"]): ServerHost {
  return {
    now: () => new Date(),
    uuid: () => crypto.randomUUID(),
    random: () => 0,
    nameSuffix: nameSuffixes(),
    logError,
  };
}

function nameSuffixes(): () => string {
  let count = 0;
  return () => String(++count).padStart(5, "b").replaceAll("0", "z").replaceAll("1", "x").replaceAll("3", "w");
}
