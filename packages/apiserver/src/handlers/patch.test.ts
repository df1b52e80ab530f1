import type { JsonObject, KubernetesObject } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../testing.ts";

const text = { type: "string" };
const boxes: KubernetesObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "boxes.test.example" },
  spec: {
    group: "test.example",
    scope: "Namespaced",
    names: { kind: "Box", plural: "boxes" },
    versions: ["v1", "v2"].map((name) => ({
      name,
      served: name === "v1",
      storage: name === "v1",
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: {
              type: "object",
              properties: {
                size: { type: "integer" },
                config: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                ...(name === "v2" ? { later: text } : {}),
              },
            },
          },
        },
      },
    })),
  },
};
const base = "/apis/test.example/v1/namespaces/default/boxes";

async function withBox(): Promise<TestCluster> {
  const cluster = await startTestCluster({ definitions: [boxes] });
  const body = { apiVersion: "test.example/v1", kind: "Box", metadata: { name: "a" }, spec: { size: 1 } };
  expect((await cluster.request("POST", base, { body })).status).toBe(201);
  return cluster;
}

async function patch(cluster: TestCluster, type: string, body: string, path = `${base}/a`): Promise<JsonObject> {
  const answer = await cluster.request("PATCH", path, { body, headers: { "content-type": type } });
  return {
    ...(answer.json() as JsonObject),
    httpStatus: answer.status,
    warning: [answer.headers.warning ?? []].flat(),
  };
}

const json = "application/json-patch+json";
const merge = "application/merge-patch+json";

describe("a JSON patch", () => {
  test.for([
    ["{}", "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"],
    ["[1]", "json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"],
    ["[[]]", "json: cannot unmarshal array into Go value of type handlers.jsonPatchOp"],
    ['[{"op":1}]', "json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string"],
    ['[null,{"path":{}}]', "json: cannot unmarshal object into Go struct field jsonPatchOp.path of type string"],
    ['[{"from":true}]', "json: cannot unmarshal bool into Go struct field jsonPatchOp.from of type string"],
  ] as const)("%s is refused", async ([body, why]) => {
    await using cluster = await withBox();
    expect(await patch(cluster, json, body)).toMatchObject({ code: 400, message: `error decoding patch: ${why}` });
  });

  test("that is null does nothing", async () => {
    await using cluster = await withBox();
    expect(await patch(cluster, json, "null")).toMatchObject({ httpStatus: 200, spec: { size: 1 } });
  });

  test("with a member that is none tells it once, however often it stands there", async () => {
    await using cluster = await withBox();
    const { warning } = await patch(cluster, json, '[{"op":"test","path":"/spec/size","value":1,"x":1,"x":2}]');
    expect(warning).toEqual(['299 - "json patch unknown field \\"[0].x\\""']);
  });
});

test("a merge patch drops nulls inside lists that are new", async () => {
  await using cluster = await withBox();
  const body = '{"spec":{"config":{"list":[null,{"a":null,"b":[{"c":null}]}]}}}';
  expect(await patch(cluster, merge, body)).toMatchObject({ spec: { config: { list: [null, { b: [{}] }] } } });
});

test.for([json, merge])("nobody says what is wrong with a %s when there is no object", async (type) => {
  await using cluster = await withBox();
  expect(await patch(cluster, type, "{", `${base}/none`)).toMatchObject({ code: 404, reason: "NotFound" });
  expect(await patch(cluster, type, "{")).toMatchObject({ code: 400, reason: "BadRequest" });
});

test.for([merge.toUpperCase(), ` ${merge}`, `${merge} ;x`, "application/merge-patch", "application/json"])(
  "the type %j is none",
  async (type) => {
    await using cluster = await withBox();
    expect(await patch(cluster, type, "{}")).toMatchObject({ code: 415 });
  },
);

describe("a result that is no box any more", () => {
  const quoted =
    '{"apiVersion":"test.example/v1","metadata":{"creationTimestamp":"2026-01-01T00:00:00Z","generation":1,' +
    '"name":"a","namespace":"default","resourceVersion":"2","uid":"00000000-0000-4000-8000-000000000003"},"spec":{"size":1}}';

  test.for<{ body: string; code: number; message: string | RegExp; warning?: string[] }>([
    {
      body: '{"kind":null}',
      code: 422,
      message: ` "" is invalid: patch: Invalid value: ${JSON.stringify(quoted)}: Object 'Kind' is missing in '${quoted}'`,
    },
    {
      body: '{"kind":null,"metadata":{"annotations":{"a":"<"}}}',
      code: 422,
      message: /Object 'Kind' is missing in '[^<]*"a":"\\u003c"/,
    },
    {
      body: '{"apiVersion":null}',
      code: 500,
      message: "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
    },
    {
      body: '{"metadata":{"labels":{"a":1}}}',
      code: 422,
      message: /: json: cannot unmarshal number into Go struct field ObjectMeta\.labels of type string$/,
    },
    {
      body: '{"apiVersion":"test.example/v2","spec":{"later":"x","never":1}}',
      code: 422,
      message: /apiVersion: Invalid value: "test\.example\/v2": must be test\.example\/v1$/,
      warning: ['299 - "unknown field \\"spec.never\\""'],
    },
    {
      body: '{"apiVersion":"test.example/v3"}',
      code: 422,
      message: /apiVersion: Invalid value: "test\.example\/v3": must be test\.example\/v1$/,
      warning: ['299 - "unknown field \\"spec\\""'],
    },
  ])("$body is refused", async ({ body, code, message, warning = [] }) => {
    await using cluster = await withBox();
    const answer = await patch(cluster, merge, body);
    expect(answer).toMatchObject({ code, warning });
    if (typeof message === "string") expect(answer.message).toBe(message);
    else expect(answer.message).toMatch(message);
  });
});
