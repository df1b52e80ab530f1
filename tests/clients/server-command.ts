import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { certificateAuthenticator, mastersOnly, startCluster, systemHost } from "@slipway/apiserver";
import { listen, openCertificates, openDataFolder, openSqliteStorage, writeKubeconfig } from "@slipway/apiserver/node";
import { widgetDefinition } from "./definitions.ts";

/**
 * A server in a process of its own, for tests of clients: `--data DIR [--port N] [--history N]`. When it is ready it
 * prints one line, `{"url":…,"kubeconfig":…}`; a line `compact` on its standard input makes it forget its history, and
 * the end of its standard input ends it. So nothing survives the test that has started it.
 */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { data: { type: "string" }, port: { type: "string" }, history: { type: "string" } },
  });
  const host = systemHost((message, error) => process.stderr.write(`${message}: ${error}\n`));
  await using data = await openDataFolder(values.data ?? "");
  const historySize = values.history === undefined ? undefined : Number(values.history);
  await using storage = await openSqliteStorage({ path: join(data.path, "objects.db"), historySize });
  const { ca, certificate, key, issueClientCertificate } = await openCertificates(join(data.path, "pki"), host);
  await using cluster = startCluster({
    storage,
    host,
    definitions: [widgetDefinition],
    authenticate: certificateAuthenticator(),
    authorize: mastersOnly(),
    version: { major: "1", minor: "36", gitVersion: "v1.36.0-test" },
  });
  const home = { group: "", version: "v1", kind: "Namespace", namespace: "", name: "default" };
  if ((await cluster.client.get(home)) === undefined) {
    await cluster.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: home.name } });
  }
  const listener = await listen(cluster.server.handle, {
    port: Number(values.port ?? "0"),
    certificate,
    key,
    clientCa: ca,
    drainTimeoutMs: 500,
    onError: (error) => process.stderr.write(`${error}\n`),
  });
  const admin = await issueClientCertificate({ commonName: "admin", organizations: ["system:masters"] });
  const kubeconfig = join(data.path, "kubeconfig");
  await writeKubeconfig(kubeconfig, {
    server: listener.url,
    ca,
    clientCertificate: admin.certificate,
    clientKey: admin.key,
  });
  process.stdout.write(`${JSON.stringify({ url: listener.url, kubeconfig })}\n`);
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === "compact") await storage.compact(await storage.revision());
  }
  await listener.close();
  return 0;
}
