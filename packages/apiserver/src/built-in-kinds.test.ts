import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { isJsonObject, type JsonObject, type JsonValue, type KubernetesObject, parseJson } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "./testing.ts";

/** One that has no schema of its own to speak of: what is built in is looked at here. */
const gadgets: KubernetesObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.test.example" },
  spec: {
    group: "test.example",
    scope: "Namespaced",
    names: { kind: "Gadget", plural: "gadgets", singular: "gadget" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

const configMaps = "/api/v1/namespaces/default/configmaps";
const services = "/api/v1/namespaces/default/services";
const custom = "/apis/test.example/v1/namespaces/default/gadgets";
const strategic = "application/strategic-merge-patch+json";

interface Answer {
  readonly status: number;
  readonly warning: unknown;
  readonly body: JsonValue;
}

async function send(
  cluster: TestCluster,
  method: string,
  path: string,
  type: string,
  body: string | Uint8Array | JsonObject,
): Promise<Answer> {
  const bytes =
    body instanceof Uint8Array
      ? body
      : new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
  const response = await cluster.server.handle({
    method,
    url: path,
    headers: { "content-type": type },
    body: (async function* () {
      yield bytes;
    })(),
    signal: new AbortController().signal,
  });
  return { status: response.status, warning: response.headers.warning, body: parseJson(String(response.body)) };
}

/** A protobuf body as clients of Kubernetes write them. */
function protobuf(kind: string, message: Uint8Array): Uint8Array {
  const typeMeta = text(text(new BinaryWriter(), 1, "v1"), 2, kind).finish();
  const unknown = bytes(bytes(new BinaryWriter(), 1, typeMeta), 2, message);
  return Uint8Array.from([0x6b, 0x38, 0x73, 0x00, ...unknown.finish()]);
}

const text = (writer: BinaryWriter, field: number, value: string): BinaryWriter =>
  writer.tag(field, WireType.LengthDelimited).string(value);
const bytes = (writer: BinaryWriter, field: number, value: Uint8Array): BinaryWriter =>
  writer.tag(field, WireType.LengthDelimited).bytes(value);
const named = (name: string): BinaryWriter => bytes(new BinaryWriter(), 1, text(new BinaryWriter(), 1, name).finish());

function message(answer: Answer): unknown {
  return isJsonObject(answer.body) ? answer.body.message : undefined;
}

describe("protobuf bodies", () => {
  const type = "application/vnd.kubernetes.protobuf";

  test("create, replace and delete what kubectl sends", async () => {
    await using cluster = await startTestCluster();
    const entry = (value: string): Uint8Array => text(text(new BinaryWriter(), 1, "a"), 2, value).finish();
    const first = protobuf("ConfigMap", bytes(named("c"), 2, entry("1")).finish());
    const second = protobuf("ConfigMap", bytes(named("c"), 2, entry("2")).finish());

    expect(await send(cluster, "POST", configMaps, type, first)).toMatchObject({
      status: 201,
      body: { kind: "ConfigMap", metadata: { name: "c", namespace: "default" }, data: { a: "1" } },
    });
    expect(await send(cluster, "PUT", `${configMaps}/c`, type, second)).toMatchObject({
      status: 200,
      body: { data: { a: "2" } },
    });

    const preconditions = text(new BinaryWriter(), 1, "another").finish();
    const guarded = protobuf("DeleteOptions", bytes(new BinaryWriter(), 2, preconditions).finish());
    expect(await send(cluster, "DELETE", `${configMaps}/c`, type, guarded)).toMatchObject({ status: 409 });
    const dryRun = protobuf("DeleteOptions", text(new BinaryWriter(), 5, "All").finish());
    expect(await send(cluster, "DELETE", `${configMaps}/c`, type, dryRun)).toMatchObject({ status: 200 });
    expect((await cluster.request("GET", `${configMaps}/c`)).status).toBe(200);
    const options = protobuf("DeleteOptions", text(new BinaryWriter(), 4, "Background").finish());
    expect(await send(cluster, "DELETE", `${configMaps}/c`, type, options)).toMatchObject({ status: 200 });
    expect((await cluster.request("GET", `${configMaps}/c`)).status).toBe(404);
  });

  test("a service gets its defaults, though Go sends zeros", async () => {
    await using cluster = await startTestCluster();
    const port = text(new BinaryWriter(), 2, "").tag(3, WireType.Varint).int32(80);
    bytes(port, 4, new BinaryWriter().tag(2, WireType.Varint).int32(0).finish());
    const spec = text(bytes(new BinaryWriter(), 1, port.finish()), 4, "").finish();
    const body = protobuf("Service", bytes(named("s"), 2, spec).finish());
    expect(await send(cluster, "POST", services, type, body)).toMatchObject({
      status: 201,
      body: { spec: { type: "ClusterIP", ports: [{ port: 80, protocol: "TCP", targetPort: 80 }] } },
    });
  });

  test.for([
    { what: "nothing", body: new Uint8Array(), text: "(must be of type ConfigMap): empty data (<empty>)" },
    { what: "JSON", body: new TextEncoder().encode("{}"), text: "expected prefix [107 56 115 0] ({})" },
    {
      what: "a broken envelope",
      body: Uint8Array.from([0x6b, 0x38, 0x73, 0, 0x0a, 5]),
      text: "unexpected EOF (6b3873000a05)",
    },
    {
      what: "a broken message",
      body: protobuf("ConfigMap", Uint8Array.from([0x0a, 5])),
      text: 'ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF',
    },
    {
      what: "another kind",
      body: protobuf("Secret", named("x").finish()),
      text: 'Secret in version "v1" cannot be handled as a ConfigMap',
    },
  ])("$what is 400", async ({ body, text: expected }) => {
    await using cluster = await startTestCluster();
    const answer = await send(cluster, "POST", configMaps, type, body);
    expect(answer.status).toBe(400);
    expect(message(answer)).toContain(expected);
  });

  test("are not read for custom kinds, except for the options of a deletion", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    const body = protobuf("Gadget", named("g").finish());
    const refused = await send(cluster, "POST", custom, type, body);
    expect(refused.status).toBe(415);
    expect(message(refused)).toMatch(/accepted media types include: application\/json, application\/yaml$/);
    await cluster.request("POST", custom, {
      body: { apiVersion: "test.example/v1", kind: "Gadget", metadata: { name: "g" } },
    });
    const options = protobuf("DeleteOptions", new Uint8Array());
    expect(await send(cluster, "DELETE", `${custom}/g`, type, options)).toMatchObject({ status: 200 });
  });

  test("options of another kind delete nothing", async () => {
    await using cluster = await startTestCluster();
    await cluster.request("POST", configMaps, { body: { metadata: { name: "c" } } });
    const answer = await send(cluster, "DELETE", `${configMaps}/c`, type, protobuf("Secret", named("x").finish()));
    expect(answer.status).toBe(400);
    expect(message(answer)).toContain('no kind "Secret"');
    expect((await cluster.request("GET", `${configMaps}/c`)).status).toBe(200);
  });
});

describe("strategic merge patches", () => {
  async function withService(): Promise<TestCluster> {
    const cluster = await startTestCluster({ definitions: [gadgets] });
    const ports = [
      { name: "a", port: 80 },
      { name: "b", port: 443 },
    ];
    await cluster.request("POST", services, { body: { metadata: { name: "s" }, spec: { ports } } });
    return cluster;
  }

  test("merge lists by their keys", async () => {
    await using cluster = await withService();
    const patch = {
      spec: {
        ports: [
          { port: 443, $patch: "delete" },
          { port: 80, targetPort: "http" },
        ],
      },
    };
    expect(await send(cluster, "PATCH", `${services}/s`, strategic, patch)).toMatchObject({
      status: 200,
      body: { spec: { ports: [{ name: "a", port: 80, targetPort: "http" }] } },
    });
  });

  test("reach the status through its subresource alone", async () => {
    await using cluster = await withService();
    const patch = { status: { conditions: [{ type: "A", status: "True" }] } };
    expect(await send(cluster, "PATCH", `${services}/s`, strategic, patch)).toMatchObject({
      body: { status: { loadBalancer: {} } },
    });
    expect(await send(cluster, "PATCH", `${services}/s/status`, strategic, patch)).toMatchObject({
      status: 200,
      body: { status: { conditions: [{ type: "A", status: "True" }] } },
    });
  });

  test.for([
    { what: "null", body: "null", status: 200 },
    {
      what: "a list",
      body: "[]",
      status: 400,
      text: "json: cannot unmarshal array into Go value of type map[string]interface {}",
    },
    { what: "no JSON", body: "{", status: 400, text: "unexpected end of JSON input" },
    {
      what: "an unknown directive",
      body: '{"spec":{"$patch":"foo"}}',
      status: 500,
      text: "unknown patch type: foo in map: map[$patch:foo]",
    },
    {
      what: "a wrong form",
      body: '{"spec":{"$retainKeys":1}}',
      status: 400,
      text: "invalid patch format of retainKeys",
    },
    {
      what: "a result of the wrong type",
      body: '{"spec":{"type":5}}',
      status: 422,
      text: ' "" is invalid: patch: Invalid value: "map[spec:map[type:5]]": cannot convert int64 to v1.ServiceType',
    },
  ])("$what", async ({ body, status, text: expected }) => {
    await using cluster = await withService();
    const answer = await send(cluster, "PATCH", `${services}/s`, strategic, body);
    expect({ status: answer.status, message: message(answer) }).toEqual({ status, message: expected });
  });

  const odd = '{"spec":{"type":"ClusterIP","type":"NodePort"},"foo":1}';

  test("unknown and duplicate fields with Strict", async () => {
    await using cluster = await withService();
    const answer = await send(cluster, "PATCH", `${services}/s?fieldValidation=Strict`, strategic, odd);
    const why = 'strict decoding error: duplicate field "spec.type", unknown field "foo"';
    expect(message(answer)).toBe(` "" is invalid: patch: Invalid value: "map[foo:1 spec:map[type:NodePort]]": ${why}`);
    expect(answer).toMatchObject({
      status: 422,
      body: { details: { causes: [{ reason: "FieldValueInvalid", field: "patch" }] } },
    });
    expect(answer.body).not.toHaveProperty("details.kind");
  });

  test("unknown and duplicate fields with Warn and Ignore", async () => {
    await using cluster = await withService();
    expect(await send(cluster, "PATCH", `${services}/s`, strategic, odd)).toMatchObject({
      status: 200,
      warning: ['299 - "duplicate field \\"spec.type\\""', '299 - "unknown field \\"foo\\""'],
      body: { spec: { type: "NodePort" } },
    });
    const quiet = await send(cluster, "PATCH", `${services}/s?fieldValidation=Ignore`, strategic, odd);
    expect(quiet.warning).toBeUndefined();
  });

  test("custom kinds have none, and say what they have", async () => {
    await using cluster = await withService();
    const answer = await send(cluster, "PATCH", `${custom}/missing`, strategic, "{}");
    expect(answer.status).toBe(415);
    expect(message(answer)).toMatch(/include: application\/json-patch\+json, application\/merge-patch\+json/);
    expect(message(answer)).not.toContain("strategic");
  });

  test("OpenAPI names them for the built-in kinds alone: kubectl chooses by it", async () => {
    await using cluster = await withService();
    const patchTypes = async (document: string, path: string): Promise<string[]> => {
      const { paths } = (await cluster.request("GET", `/openapi/v3/${document}`)).json() as {
        paths: Record<string, { patch: { requestBody: { content: object } } }>;
      };
      return Object.keys(paths[path]?.patch.requestBody.content ?? {});
    };
    expect(await patchTypes("api/v1", "/api/v1/namespaces/{namespace}/configmaps/{name}")).toContain(strategic);
    expect(await patchTypes("api/v1", "/api/v1/namespaces/{name}/status")).toContain(strategic);
    const ofCustom = await patchTypes(
      "apis/test.example/v1",
      "/apis/test.example/v1/namespaces/{namespace}/gadgets/{name}",
    );
    expect(ofCustom).toContain("application/merge-patch+json");
    expect(ofCustom).not.toContain(strategic);
  });
});

describe("JSON bodies are read as Go reads them", () => {
  test.for([
    {
      what: "a number for text",
      path: configMaps,
      body: { metadata: { name: "n" }, data: { a: 1 } },
      text: 'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    },
    {
      what: "no base64",
      path: "/api/v1/namespaces/default/secrets",
      body: { metadata: { name: "n" }, data: { a: "!!" } },
      text: 'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0',
    },
    {
      what: "an unknown field, strictly",
      path: `${configMaps}?fieldValidation=Strict`,
      body: { metadata: { name: "n", foo: 1 }, bar: 2 },
      text: 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.foo", unknown field "bar"',
    },
  ])("$what is 400", async ({ path, body, text: expected }) => {
    await using cluster = await startTestCluster();
    // The rows have different members, so that to the compiler each may be undefined.
    const answer = await send(cluster, "POST", path, "application/json", body as unknown as JsonObject);
    expect({ status: answer.status, message: message(answer) }).toEqual({ status: 400, message: expected });
  });

  test("what is empty is not stored", async () => {
    await using cluster = await startTestCluster();
    const body = { metadata: { name: "c", labels: {}, finalizers: [] }, data: {}, binaryData: null };
    const answer = await send(cluster, "POST", configMaps, "application/json", body);
    expect(answer.body).not.toHaveProperty("data");
    expect(answer.body).not.toHaveProperty("metadata.labels");
  });

  test("a key twice in a ConfigMap is told at the data", async () => {
    await using cluster = await startTestCluster();
    const body = { metadata: { name: "c" }, data: { a: "1" }, binaryData: { a: "MQ==" } };
    const answer = await send(cluster, "POST", configMaps, "application/json", body);
    expect(message(answer)).toBe(
      'ConfigMap "c" is invalid: data[a]: Invalid value: "a": duplicate of key present in binaryData',
    );
  });

  test.for([
    { type: "kubernetes.io/tls", missing: ["tls.crt", "tls.key"] },
    { type: "kubernetes.io/ssh-auth", missing: ["ssh-privatekey"] },
    { type: "kubernetes.io/basic-auth", missing: ["username", "password"] },
    { type: "kubernetes.io/dockerconfigjson", missing: [".dockerconfigjson"] },
    { type: "example.org/any", missing: [] },
  ])("a secret of type $type needs $missing", async ({ type, missing }) => {
    await using cluster = await startTestCluster();
    const body = { metadata: { name: "s" }, type };
    const answer = await send(cluster, "POST", "/api/v1/namespaces/default/secrets", "application/json", body);
    const fields = missing.map((key) => ({ reason: "FieldValueRequired", field: `data[${key}]` }));
    if (missing.length === 0) expect(answer.status).toBe(201);
    else expect(answer).toMatchObject({ status: 422, body: { details: { causes: fields } } });
  });
});

describe("service accounts", () => {
  const accounts = "/api/v1/namespaces/default/serviceaccounts";

  test("are kept as they are", async () => {
    await using cluster = await startTestCluster();
    const body = {
      metadata: { name: "robot" },
      secrets: [{ name: "a" }],
      imagePullSecrets: [{ name: "b" }],
      automountServiceAccountToken: false,
    };
    const created = await cluster.request("POST", accounts, { body });
    expect(created.json()).toMatchObject({ kind: "ServiceAccount", apiVersion: "v1", ...body });
    const patch = { secrets: [{ name: "c" }], imagePullSecrets: [{ name: "d" }] };
    expect(await send(cluster, "PATCH", `${accounts}/robot`, strategic, patch)).toMatchObject({
      body: { secrets: [{ name: "c" }, { name: "a" }], imagePullSecrets: [{ name: "d" }] },
    });
  });

  test("have a short name and two columns", async () => {
    await using cluster = await startTestCluster();
    const { resources } = (await cluster.request("GET", "/api/v1")).json() as { resources: JsonObject[] };
    expect(resources.find(({ name }) => name === "serviceaccounts")).toMatchObject({
      kind: "ServiceAccount",
      shortNames: ["sa"],
      namespaced: true,
    });
    const table = await cluster.request("GET", accounts, {
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
    });
    const { columnDefinitions } = table.json() as { columnDefinitions: { name: string }[] };
    expect(columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Age"]);
  });
});
