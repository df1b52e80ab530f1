import type { KubernetesObject } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../testing.ts";

const widgets: KubernetesObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.test.example" },
  spec: {
    group: "test.example",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        selectableFields: [{ jsonPath: ".spec.size" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
          },
        },
      },
    ],
  },
};

const now = new Date("2026-01-02T03:04:05.678Z");
const cluster = (): Promise<TestCluster> => startTestCluster({ definitions: [widgets], startTime: now });
const v3 = "/openapi/v3/apis/test.example/v1";

const protobufV2 = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
const protobufV3 = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf";

describe("OpenAPI by Accept", () => {
  test.for([protobufV2, protobufV2.replace("@", ".")])("v2 for '%s' is the same in protobuf", async (accept) => {
    await using server = await cluster();
    const json = await server.request("GET", "/openapi/v2");
    const answer = await server.request("GET", "/openapi/v2", { headers: { accept } });
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, protobufV2.replace("@", ".")]);
    expect(answer.text.slice(0, 5)).toBe("\n\u00032.0");
    // One tag for both, as kube-apiserver has it.
    expect(answer.headers.etag).toBe(json.headers.etag);
  });

  test.for<{ path: string; accept: string; status: number }>([
    { path: "/openapi/v2", accept: "application/json", status: 200 },
    { path: "/openapi/v2", accept: "", status: 200 },
    { path: "/openapi/v2", accept: "*/*", status: 200 },
    { path: "/openapi/v2", accept: "application/json, */*;q=0.1", status: 200 },
    { path: "/openapi/v2", accept: "text/html", status: 406 },
    { path: v3, accept: "application/json", status: 200 },
    { path: v3, accept: "application/yaml, application/json;q=0.5", status: 200 },
    { path: v3, accept: protobufV3, status: 406 },
    { path: v3, accept: "text/html", status: 406 },
    { path: "/openapi/v3", accept: "text/html", status: 200 },
    { path: "/openapi/v3/apis/nothing.example/v1", accept: "", status: 404 },
  ])("$path for '$accept' is $status", async ({ path, accept, status }) => {
    await using server = await cluster();
    const answer = await server.request("GET", path, { headers: { accept } });
    expect(answer.status).toBe(status);
    if (status !== 200) expect(answer.text).toBe("");
    else expect(answer.headers["content-type"]).toBe("application/json");
  });
});

describe("OpenAPI documents that a client has", () => {
  test.for(["/openapi/v2", "/openapi/v3", v3])("%s by its ETag, or by its date", async (path) => {
    await using server = await cluster();
    const { headers } = await server.request("GET", path);
    const etag = String(headers.etag);
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
    expect(headers["last-modified"]).toBe("Fri, 02 Jan 2026 03:04:05 GMT");
    for (const [name, value, status] of [
      ["if-none-match", etag, 304],
      ["if-none-match", `"ABC", W/${etag}`, 304],
      ["if-none-match", "*", 304],
      ["if-none-match", '"ABC"', 200],
      ["if-modified-since", "Fri, 02 Jan 2026 03:04:05 GMT", 304],
      ["if-modified-since", "Fri, 02 Jan 2026 03:04:04 GMT", 200],
      ["if-modified-since", "soon", 200],
    ] as const) {
      const answer = await server.request("GET", path, { headers: { [name]: value } });
      expect([name, value, answer.status]).toEqual([name, value, status]);
      if (status === 304) expect([answer.text, answer.headers.etag]).toEqual(["", etag]);
    }
  });

  test("by an address with its hash, to be kept for a year", async () => {
    await using server = await cluster();
    const index = (await server.request("GET", "/openapi/v3")).json() as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    const address = index.paths["apis/test.example/v1"]?.serverRelativeURL ?? "";
    expect(address).toMatch(/^\/openapi\/v3\/apis\/test\.example\/v1\?hash=[0-9A-F]{128}$/);
    expect((await server.request("GET", `${address}&timeout=32s`)).headers).toMatchObject({
      "cache-control": "public, immutable",
      expires: "Sat, 02 Jan 2027 03:04:05 GMT",
      vary: "Accept",
    });
    const other = await server.request("GET", `${v3}?hash=ABC`);
    expect([other.status, other.headers.location]).toEqual([301, address]);
  });

  test("not any more when the kinds have changed", async () => {
    await using server = await cluster();
    const { headers } = await server.request("GET", "/openapi/v2");
    server.server.serve("test.example", "v1", []);
    const after = await server.request("GET", "/openapi/v2", { headers: { "if-none-match": String(headers.etag) } });
    expect(after.status).toBe(200);
    expect(after.text).not.toContain("test.example");
  });
});

test("both versions mark the fields that select", async () => {
  await using server = await cluster();
  const marked = '"x-kubernetes-selectable-fields":[{"fieldPath":"spec.size"}]';
  expect((await server.request("GET", v3)).text.split(marked)).toHaveLength(3);
  expect((await server.request("GET", "/openapi/v2")).text.split(marked)).toHaveLength(3);
});
