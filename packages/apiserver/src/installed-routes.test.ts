import type { KubernetesObject } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { startTestCluster } from "./testing.ts";

const widgets: KubernetesObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.test.example" },
  spec: {
    group: "test.example",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

const noMethod = "the server does not allow this method on the requested resource";
const nothingThere = "the server could not find the requested resource";
const notAcceptable =
  "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf";
const listNotAcceptable = `${notAcceptable}, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch`;

interface Row {
  readonly rule: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly code: number;
  readonly message: string;
}

const maps = "/api/v1/namespaces/default/configmaps";
const merge = "application/merge-patch+json";

describe("an installed kind refuses what no route takes", () => {
  test.for<Row>([
    { rule: "PUT of a collection", method: "PUT", path: maps, code: 405, message: noMethod },
    { rule: "PATCH of a collection", method: "PATCH", path: maps, code: 405, message: noMethod },
    { rule: "POST to an object", method: "POST", path: `${maps}/a`, code: 405, message: noMethod },
    { rule: "POST over all namespaces", method: "POST", path: "/api/v1/configmaps", code: 405, message: noMethod },
    { rule: "DELETE over all namespaces", method: "DELETE", path: "/api/v1/configmaps", code: 405, message: noMethod },
    { rule: "OPTIONS of an object", method: "OPTIONS", path: `${maps}/a`, code: 405, message: noMethod },
    { rule: "a method that nobody knows", method: "FOO", path: maps, code: 405, message: noMethod },
    { rule: "DELETE of all namespaces", method: "DELETE", path: "/api/v1/namespaces", code: 405, message: noMethod },
    { rule: "POST to what lists the kinds", method: "POST", path: "/api/v1", code: 405, message: noMethod },
    { rule: "DELETE of the version", method: "DELETE", path: "/version", code: 405, message: noMethod },
    { rule: "what is below the version", method: "GET", path: "/version/x", code: 404, message: nothingThere },
    {
      rule: "HTML for what lists the versions",
      method: "GET",
      path: "/api",
      headers: { accept: "text/html" },
      code: 406,
      message: notAcceptable,
    },
    {
      rule: "POST to a status",
      method: "POST",
      path: "/api/v1/namespaces/default/status",
      code: 405,
      message: noMethod,
    },
    {
      rule: "an object without its namespace",
      method: "GET",
      path: "/api/v1/configmaps/a",
      code: 404,
      message: nothingThere,
    },
    { rule: "a subresource that is not there", method: "GET", path: `${maps}/a/log`, code: 404, message: nothingThere },
    { rule: "a name with a slash in it", method: "GET", path: `${maps}/a%2Fb`, code: 404, message: nothingThere },
    {
      rule: "an empty part",
      method: "GET",
      path: "/api/v1/namespaces/default//configmaps",
      code: 404,
      message: nothingThere,
    },
    {
      rule: "a kind that is not there",
      method: "GET",
      path: "/api/v1/namespaces/default/pods",
      code: 404,
      message: nothingThere,
    },
    { rule: "a version that is not there", method: "GET", path: "/api/v9", code: 404, message: nothingThere },
    { rule: "FOO where nothing is", method: "FOO", path: `${maps}/a/log`, code: 404, message: nothingThere },
    {
      rule: "a patch of another type",
      method: "PATCH",
      path: `${maps}/a`,
      headers: { "content-type": "text/plain" },
      code: 415,
      message: "415: Unsupported Media Type",
    },
    {
      rule: "HTML",
      method: "GET",
      path: maps,
      headers: { accept: "text/html" },
      code: 406,
      message: listNotAcceptable,
    },
    {
      rule: "a half type",
      method: "GET",
      path: maps,
      headers: { accept: "application/*" },
      code: 406,
      message: listNotAcceptable,
    },
    {
      rule: "HTML before the type of a body",
      method: "PATCH",
      path: `${maps}/a`,
      headers: { accept: "text/html", "content-type": merge },
      code: 406,
      message: notAcceptable,
    },
  ])("$rule is $code", async ({ method, path, headers, code, message }) => {
    await using cluster = await startTestCluster();
    const reason = { 404: "NotFound", 405: "MethodNotAllowed", 406: "NotAcceptable", 415: "UnsupportedMediaType" }[
      code
    ];
    expect((await cluster.request(method, path, { headers })).json()).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason,
      details: {},
      code,
    });
  });

  test("and has no HEAD, which a custom kind has", async () => {
    await using cluster = await startTestCluster({ definitions: [widgets] });
    expect((await cluster.request("HEAD", maps)).status).toBe(405);
    expect((await cluster.request("HEAD", "/apis/test.example/v1/namespaces/default/widgets")).status).toBe(200);
  });
});

describe("and takes", () => {
  test.for([
    "*/*",
    "application/*, application/json",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/vnd.kubernetes.protobuf,application/json",
  ])("Accept: %s", async (accept) => {
    await using cluster = await startTestCluster();
    expect((await cluster.request("GET", maps, { headers: { accept } })).status).toBe(200);
  });

  test("a patch whose type has parameters", async () => {
    await using cluster = await startTestCluster();
    await cluster.request("POST", maps, { body: { metadata: { name: "a" } } });
    const patched = await cluster.request("PATCH", `${maps}/a`, {
      headers: { "content-type": `${merge}; charset=utf-8` },
      body: { data: { a: "1" } },
    });
    expect(patched.status).toBe(200);
  });
});

describe("a custom kind has words of its own for", () => {
  const base = "/apis/test.example/v1/namespaces/default/widgets";
  test.for<{ rule: string; method: string; path: string; code: number; message: string }>([
    { rule: "PUT of a collection", method: "PUT", path: base, code: 400, message: "name must be provided" },
    {
      rule: "a subresource that is not there",
      method: "GET",
      path: `${base}/a/log`,
      code: 404,
      message: 'widgets.test.example "a" not found',
    },
    {
      rule: "OPTIONS of a subresource that is not there",
      method: "OPTIONS",
      path: `${base}/a/log`,
      code: 404,
      message: 'widgets.test.example "a" not found',
    },
    {
      rule: "OPTIONS",
      method: "OPTIONS",
      path: base,
      code: 405,
      message: ' is not supported on resources of kind "widgets.test.example"',
    },
  ])("$rule", async ({ method, path, code, message }) => {
    await using cluster = await startTestCluster({ definitions: [widgets] });
    expect((await cluster.request(method, path)).json()).toMatchObject({ code, message });
  });

  test.for([
    ["GET", "/apis/test.example/v9"],
    ["GET", `/${base}`],
    ["OPTIONS", "/apis/test.example/v1/widgets/a"],
  ] as const)("%s %s: nothing is there, not even a Status", async ([method, path]) => {
    await using cluster = await startTestCluster({ definitions: [widgets] });
    const answer = await cluster.request(method, path);
    expect([answer.status, answer.text]).toEqual([404, "404 page not found\n"]);
  });
});
