import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Cluster,
  certificateAuthenticator,
  createMemoryStorage,
  mastersOnly,
  type ServerHost,
  startCluster,
} from "@slipway/apiserver";
import { formatKubeconfig, listen, openCertificates } from "@slipway/apiserver/node";
import { applicationGroup, applicationResources, applicationVersion } from "@slipway/applications";
import { readObjects, shippedDefinitions } from "../cozystack/platform.ts";
import { anonymousHeader, inProcessSender } from "./in-process-sender.ts";
import type { ListeningServer } from "./kubectl-sequence.ts";
import type { Sender } from "./sender.ts";

/** A cluster in process that a sequence is replayed against. */
export interface ReplayCluster extends AsyncDisposable {
  readonly sender: Sender;
  readonly cluster: Cluster;
  /** What the server logged as failures of its own, oldest first. */
  readonly failures: readonly string[];
  /** Stops the clock of the server at `time`. Until then it runs. */
  readonly setTime: (time: Date) => void;
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

/** A cluster in process that also listens, as `slipway dev` does. */
export type ListeningCluster = ReplayCluster & ListeningServer;

export async function startListeningKubeCluster(crdFolder: string): Promise<ListeningCluster> {
  const started = await startKubeCluster(crdFolder);
  const folder = await mkdtemp(join(tmpdir(), "slipway-replay-"));
  const now = (): Date => new Date();
  const certificates = await openCertificates(folder, { now });
  const listener = await listen(started.cluster.server.handle, {
    port: 0,
    certificate: certificates.certificate,
    key: certificates.key,
    clientCa: certificates.ca,
    drainTimeoutMs: 100,
  });
  const admin = await certificates.issueClientCertificate({ commonName: "admin", organizations: ["system:masters"] });
  const kubeconfig = formatKubeconfig({
    server: listener.url,
    ca: certificates.ca,
    clientCertificate: admin.certificate,
    clientKey: admin.key,
  });
  return {
    ...started,
    url: listener.url,
    kubeconfig,
    async [Symbol.asyncDispose]() {
      await listener.close();
      await started[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface StartOptions {
  readonly definitions: ReturnType<typeof readObjects>;
  readonly namespaces: readonly string[];
}

async function start({ definitions, namespaces }: StartOptions): Promise<ReplayCluster> {
  const storage = createMemoryStorage();
  const failures: string[] = [];
  const byCertificate = certificateAuthenticator();
  let stoppedAt: Date | undefined;
  const now = (): Date => stoppedAt ?? new Date();
  for (let revision = 0; revision <= COMPACTED_REVISION; revision++) {
    await storage.create(`/replay/fillers//f${revision}`, Buffer.from("{}"));
  }
  await storage.compact(COMPACTED_REVISION);
  const cluster = startCluster({
    storage,
    definitions,
    host: host(now, (message, error) => failures.push(`${message}: ${String(error)}`)),
    authenticate: async (request) => {
      if (request.certificate !== undefined) return byCertificate(request);
      if (request.headers[anonymousHeader] !== undefined) return undefined;
      return { name: "admin", groups: ["system:masters", "system:authenticated"] };
    },
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
    setTime: (time) => {
      stoppedAt = time;
    },
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      await storage[Symbol.asyncDispose]();
    },
  };
}

function host(now: ServerHost["now"], logError: ServerHost["logError"]): ServerHost {
  return {
    now,
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
