import {
  type ApiRequest,
  createApiServer,
  createLocalClient,
  createMemoryStorage,
  customResources,
  type ServerHost,
  systemHost,
} from "@slipway/apiserver";
import { type Listener, listen } from "@slipway/apiserver/node";
import type { KubernetesObject } from "@slipway/objects";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { createAuthority, type RealCluster, startRealCluster } from "../../testbed/src/index.ts";

const group = "ships.example.com";
const groupVersion = `${group}/v1`;
const service = { name: "ships", namespace: "serving" };

const definition: KubernetesObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `boats.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { kind: "Boat", plural: "boats", singular: "boat", shortNames: ["bt"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: "Sails", type: "integer", jsonPath: ".spec.sails" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { sails: { type: "integer" } } } },
          },
        },
      },
    ],
  },
};

let cluster: RealCluster;
let listener: Listener;
/** Everything that reached our server. */
const requests: ApiRequest[] = [];
const errors: unknown[] = [];

beforeAll(async () => {
  cluster = await startRealCluster();
  const host = systemHost((message, error) => errors.push([message, error]));
  const authority = createAuthority("ships-ca");
  listener = await serveBoats(authority.certificate, host, authority.issue(servingCertificate()));
  await announce(authority.certificate);
});
afterAll(async () => {
  await listener?.close();
  await cluster?.[Symbol.asyncDispose]();
});

function servingCertificate(): Parameters<ReturnType<typeof createAuthority>["issue"]>[0] {
  return { usage: "server", commonName: service.name, dnsNames: [`${service.name}.${service.namespace}.svc`] };
}

/** A server of one kind with one object, which anonymous users may read. */
async function serveBoats(
  clientCa: string,
  host: ServerHost,
  pair: { readonly certificate: string; readonly key: string },
): Promise<Listener> {
  const server = createApiServer({
    host,
    authenticate: async () => ({ name: "system:anonymous", groups: ["system:unauthenticated"] }),
    authorize: async (_user, { verb }) => ["get", "list", "watch"].includes(verb),
    version: { major: "1", minor: "36", gitVersion: "v1.36.0" },
    info: { title: "Ships", version: "v1" },
  });
  server.serve(
    group,
    "v1",
    customResources(definition, { storage: createMemoryStorage(), host, garbageCollection: false }),
  );
  const client = createLocalClient(server, { name: "harbour", groups: [] });
  await client.create({
    apiVersion: groupVersion,
    kind: "Boat",
    metadata: { name: "swan", namespace: "default" },
    spec: { sails: 3 },
  });
  const handle: typeof server.handle = (request) => {
    requests.push(request);
    return server.handle(request);
  };
  return listen(handle, { ...pair, port: 0, clientCa, onError: (error) => errors.push(error) });
}

/** No pods, no endpoints: the aggregator calls the external name of the Service itself. */
async function announce(ca: string): Promise<void> {
  const objects = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: service.namespace } },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: service,
      spec: { type: "ExternalName", externalName: "localhost" },
    },
    {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: `v1.${group}` },
      spec: {
        group,
        version: "v1",
        groupPriorityMinimum: 1000,
        versionPriority: 10,
        caBundle: Buffer.from(ca).toString("base64"),
        service: { ...service, port: listener.port },
      },
    },
  ];
  for (const object of objects) await cluster.run(["create", "-f", "-"], { input: JSON.stringify(object) });
}

test("the APIService becomes Available", async () => {
  await cluster.run(["wait", "--for=condition=Available", "--timeout=60s", `apiservice/v1.${group}`]);
});

test("kubectl discovers the kind through the aggregator", async () => {
  const table = await cluster.run(["api-resources", "--api-group", group, "--no-headers"]);
  expect(table.trim().split(/\s+/)).toEqual(["boats", "bt", groupVersion, "true", "Boat"]);
});

test("kubectl reads the object as YAML", async () => {
  const object = parse(await cluster.run(["get", "boats", "swan", "-o", "yaml"]));
  expect(object).toEqual({
    apiVersion: groupVersion,
    kind: "Boat",
    metadata: {
      name: "swan",
      namespace: "default",
      uid: expect.any(String),
      resourceVersion: expect.any(String),
      creationTimestamp: expect.any(String),
      generation: 1,
    },
    spec: { sails: 3 },
  });
});

test("kubectl prints the table that our server makes, by short name and over all namespaces", async () => {
  const [head = "", row = ""] = (await cluster.run(["get", "bt", "--all-namespaces"])).split("\n");
  expect(head.trim().split(/\s+/)).toEqual(["NAMESPACE", "NAME", "SAILS"]);
  expect(row.trim().split(/\s+/)).toEqual(["default", "swan", "3"]);
});

test("our server's refusals reach the user", async () => {
  await expect(cluster.run(["get", "boats", "goose"])).rejects.toMatchObject({
    exitCode: 1,
    stderr: `Error from server (NotFound): boats.${group} "goose" not found\n`,
  });
});

test("it was the aggregator that asked, on behalf of the administrator, and nothing went wrong inside", () => {
  const read = requests.find(({ url }) => url.includes("/boats/swan"));
  expect(read?.headers).toMatchObject({
    "x-remote-user": "admin",
    "x-remote-group": expect.stringContaining("masters"),
  });
  expect(errors).toEqual([]);
});
