/** Serves the table `books` of a database of yours: `node dist/books.js DATABASE [PORT]`. */
import { join } from "node:path";
import type { StructuralSchema } from "@slipway/apiserver";
import {
  certificateAuthenticator,
  createApiServer,
  createMemoryStorage,
  customResources,
  mastersOnly,
  systemHost,
} from "@slipway/apiserver";
import { listen, openCertificates, openDataFolder, writeKubeconfig } from "@slipway/apiserver/node";
import type { KubernetesObject } from "@slipway/objects";
import { BookTable } from "./book-table.ts";

const title = { type: "string", minLength: 1 };
const copies = { type: "integer", minimum: 0, default: 1 };
const spec = { type: "object", required: ["title"], properties: { title, copies } };

/** Names, schema and columns: what kubectl has to know. Where the objects are is another matter. */
const definition: KubernetesObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "books.library.example" },
  spec: {
    group: "library.example",
    names: { kind: "Book", plural: "books", singular: "book" },
    scope: "Cluster",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", required: ["spec"], properties: { spec } } },
        additionalPrinterColumns: [
          { name: "Title", type: "string", jsonPath: ".spec.title" },
          { name: "Copies", type: "integer", jsonPath: ".spec.copies" },
        ],
      },
    ],
  },
};

export async function serveBooks(database: string, port: number, folder: string) {
  const host = systemHost((message, error) => process.stderr.write(`${message}: ${error}\n`));
  const [described] = customResources(definition, { storage: createMemoryStorage(), host, garbageCollection: false });
  if (described === undefined) throw new TypeError("the definition serves no version");
  const table = new BookTable(database, described.schema as StructuralSchema);
  const server = createApiServer({
    host,
    authenticate: certificateAuthenticator(),
    authorize: mastersOnly(),
    version: { major: "1", minor: "36", gitVersion: "v1.36.0-books" },
    info: { title: "Library", version: "v1" },
  });
  server.serve("library.example", "v1", [{ ...described, storage: table }]);

  const data = await openDataFolder(folder);
  const certificates = await openCertificates(join(data.path, "certificates"), host);
  const { ca: clientCa, certificate, key } = certificates;
  const listener = await listen(server.handle, { port, clientCa, certificate, key });
  const admin = await certificates.issueClientCertificate({ commonName: "me", organizations: ["system:masters"] });
  const identity = { ca: clientCa, clientCertificate: admin.certificate, clientKey: admin.key };
  const kubeconfig = join(data.path, "kubeconfig");
  await writeKubeconfig(kubeconfig, { server: listener.url, ...identity });
  const close = async (): Promise<void> => {
    await listener.close();
    table.close();
    await data[Symbol.asyncDispose]();
  };
  return { url: listener.url, kubeconfig, close };
}

if (import.meta.filename === process.argv[1]) {
  const [database = "library.db", port = "6445"] = process.argv.slice(2);
  const server = await serveBooks(database, Number(port), ".books");
  process.once("SIGINT", () => void server.close());
  process.stdout.write(`Books on ${server.url}; export KUBECONFIG=${server.kubeconfig}\n`);
}
