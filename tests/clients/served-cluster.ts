import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Listener, listen, openCertificates, writeKubeconfig } from "@slipway/apiserver/node";
import { startTestCluster, type TestCluster, type TestClusterOptions } from "@slipway/apiserver/testing";

/** A test cluster behind a real socket. */
export interface ServedCluster extends AsyncDisposable {
  readonly cluster: TestCluster;
  /** Of an administrator. */
  readonly kubeconfig: string;
  readonly port: number;
  readonly certificates: { readonly ca: string };
  /** What the socket side has complained about. */
  readonly errors: readonly unknown[];
  /** Nobody listens until {@link start}, which takes the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function serveCluster(options: TestClusterOptions): Promise<ServedCluster> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-served-"));
  const cluster = await startTestCluster(options);
  const { ca, certificate, key, issueClientCertificate } = await openCertificates(join(folder, "pki"), {
    now: () => new Date(),
  });
  const errors: unknown[] = [];
  const open = (port: number): Promise<Listener> =>
    listen(cluster.server.handle, {
      port,
      certificate,
      key,
      clientCa: ca,
      drainTimeoutMs: 200,
      onError: (error) => errors.push(error),
    });
  let listener = await open(0);
  const { port } = listener;
  const admin = await issueClientCertificate({ commonName: "admin", organizations: ["system:masters"] });
  const kubeconfig = join(folder, "kubeconfig");
  await writeKubeconfig(kubeconfig, {
    server: listener.url,
    ca,
    clientCertificate: admin.certificate,
    clientKey: admin.key,
  });
  return {
    cluster,
    kubeconfig,
    port,
    certificates: { ca },
    errors,
    stop: () => listener.close(),
    async start() {
      listener = await open(port);
    },
    async [Symbol.asyncDispose]() {
      await listener.close();
      await cluster[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
