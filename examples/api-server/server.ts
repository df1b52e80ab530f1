/** Serves one kind of its own to kubectl and every other Kubernetes client: `node dist/server.js [PORT]`. */
import { join } from "node:path";
import { certificateAuthenticator, mastersOnly, startCluster, systemHost } from "@slipway/apiserver";
import { listen, openCertificates, openDataFolder, openSqliteStorage, writeKubeconfig } from "@slipway/apiserver/node";
import type { KubernetesObject } from "@slipway/objects";

const size = { type: "integer", minimum: 1 };
const spec = { type: "object", required: ["size"], properties: { size, color: { type: "string", default: "blue" } } };

const widgets: KubernetesObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "Widget", plural: "widgets", singular: "widget" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
      },
    ],
  },
};

export async function serveWidgets(port: number, folder: string) {
  const host = systemHost((message, error) => process.stderr.write(`${message}: ${error}\n`));
  const data = await openDataFolder(folder);
  const storage = await openSqliteStorage({ path: join(data.path, "objects.db") });
  const certificates = await openCertificates(join(data.path, "certificates"), host);
  const version = { major: "1", minor: "36", gitVersion: "v1.36.0-widgets" };
  const [authenticate, authorize] = [certificateAuthenticator(), mastersOnly()];
  const cluster = startCluster({ storage, host, definitions: [widgets], authenticate, authorize, version });
  const home = { group: "", version: "v1", kind: "Namespace", namespace: "", name: "default" };
  if ((await cluster.client.get(home)) === undefined) {
    await cluster.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: home.name } });
  }
  const { ca: clientCa, certificate, key } = certificates;
  const listener = await listen(cluster.server.handle, { port, clientCa, certificate, key });
  const admin = await certificates.issueClientCertificate({ commonName: "me", organizations: ["system:masters"] });
  const identity = { ca: clientCa, clientCertificate: admin.certificate, clientKey: admin.key };
  const kubeconfig = join(data.path, "kubeconfig");
  await writeKubeconfig(kubeconfig, { server: listener.url, ...identity });
  const close = async (): Promise<void> => {
    await listener.close();
    for (const part of [cluster, storage, data]) await part[Symbol.asyncDispose]();
  };
  return { url: listener.url, kubeconfig, close };
}

if (import.meta.filename === process.argv[1]) {
  const server = await serveWidgets(Number(process.argv[2] ?? 6444), ".widgets");
  process.once("SIGINT", () => void server.close());
  process.stdout.write(`Widgets on ${server.url}; export KUBECONFIG=${server.kubeconfig}\n`);
}
