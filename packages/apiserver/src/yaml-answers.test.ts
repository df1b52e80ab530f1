import type { KubernetesObject } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { startTestCluster, type TestCluster, type TestResponse } from "./testing.ts";

const gadgets: KubernetesObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.test.example" },
  spec: {
    group: "test.example",
    scope: "Namespaced",
    names: { kind: "Gadget", plural: "gadgets", singular: "gadget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { size: { type: "integer" }, note: { type: "string" } } },
            },
          },
        },
      },
    ],
  },
};

const base = "/apis/test.example/v1/namespaces/default/gadgets";
const yaml = "application/yaml";
const startTime = new Date("2026-11-30T12:26:32Z");

const start = (): Promise<TestCluster> => startTestCluster({ definitions: [gadgets], startTime });

function post(
  cluster: TestCluster,
  body: string,
  query = "",
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  return cluster.request("POST", `${base}${query}`, { body, headers: { "content-type": yaml, ...headers } });
}

const gadget = `apiVersion: test.example/v1
kind: Gadget
metadata:
  name: g
spec:
  size: 4
  note: <é>
`;

const answered = `apiVersion: test.example/v1
kind: Gadget
metadata:
  creationTimestamp: "2026-11-30T12:26:32Z"
  generation: 1
  name: g
  namespace: default
  resourceVersion: "2"
  uid: 00000000-0000-4000-8000-000000000003
spec:
  note: <é>
  size: 4
`;

function typed({ status, headers, text }: TestResponse): { status: number; type: unknown; text: string } {
  return { status, type: headers["content-type"], text: text.replace(/(resourceVersion|uid): .*/g, "$1: X") };
}

describe("answers in YAML", () => {
  test("an object, created and read", async () => {
    await using cluster = await start();
    const expected = answered.replace(/(resourceVersion|uid): .*/g, "$1: X");
    const created = await post(cluster, gadget, "", { accept: yaml });
    expect(typed(created)).toEqual({ status: 201, type: yaml, text: expected });
    const preferred = "application/json;q=0.5, application/yaml;q=0.9";
    const read = await cluster.request("GET", `${base}/g`, { headers: { accept: preferred } });
    expect(typed(read)).toEqual({ status: 200, type: yaml, text: expected });
  });

  test("a list, a table and metadata", async () => {
    await using cluster = await start();
    await post(cluster, gadget);
    const get = async (accept: string): Promise<string> =>
      typed(await cluster.request("GET", base, { headers: { accept } })).text;
    expect(await get(yaml)).toMatch(
      /^apiVersion: test\.example\/v1\nitems:\n- apiVersion: test\.example\/v1\n {2}kind: Gadget\n/,
    );
    expect(await get(yaml)).toMatch(/\nkind: GadgetList\nmetadata:\n {2}continue: ""\n {2}resourceVersion: X\n$/);
    expect(await get(`${yaml};as=Table;v=v1;g=meta.k8s.io`)).toContain("rows:\n- cells:\n  - g\n  - 4\n  object:\n");
    expect(await get(`${yaml};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`)).toContain(
      "  kind: PartialObjectMetadata\n  metadata:\n    creationTimestamp: ",
    );
  });

  test("a Status: of a refusal and of a deletion", async () => {
    await using cluster = await start();
    await post(cluster, gadget);
    const missing = await cluster.request("GET", `${base}/missing`, { headers: { accept: yaml } });
    expect(typed(missing)).toEqual({
      status: 404,
      type: yaml,
      text: `apiVersion: v1
code: 404
details:
  group: test.example
  kind: gadgets
  name: missing
kind: Status
message: gadgets.test.example "missing" not found
metadata: {}
reason: NotFound
status: Failure
`,
    });
    const deleted = await cluster.request("DELETE", `${base}/g`, { headers: { accept: yaml } });
    expect(deleted.text).toContain("kind: Status\nmetadata: {}\nstatus: Success\n");
  });

  test("discovery, except for its aggregated form", async () => {
    await using cluster = await start();
    const get = (path: string): Promise<TestResponse> => cluster.request("GET", path, { headers: { accept: yaml } });
    expect((await get("/apis/test.example")).text).toBe(`apiVersion: v1
kind: APIGroup
name: test.example
preferredVersion:
  groupVersion: test.example/v1
  version: v1
versions:
- groupVersion: test.example/v1
  version: v1
`);
    expect((await get("/apis")).text).toContain("kind: APIGroupList\n");
    expect((await get("/api")).text).toContain("kind: APIVersions\n");
    expect((await get("/api/v1")).text).toContain("kind: APIResourceList\n");
    expect((await get("/openapi/v3")).headers["content-type"]).not.toBe(yaml);
  });

  test("a watch cannot be had in YAML, and says so in YAML", async () => {
    await using cluster = await start();
    const answer = await cluster.request("GET", `${base}?watch=1`, { headers: { accept: yaml } });
    expect(typed(answer)).toEqual({
      status: 406,
      type: yaml,
      text: `apiVersion: v1
code: 406
kind: Status
message: 'only the following media types are accepted: application/json;stream=watch,
  application/vnd.kubernetes.protobuf;stream=watch'
metadata: {}
reason: NotAcceptable
status: Failure
`,
    });
  });

  test.for(["text/html", "application/cbor", ";;,", "application/json;as=Chair;g=meta.k8s.io;v=v1"])(
    "%s is 406 and lists what there is, in indented JSON",
    async (accept) => {
      await using cluster = await start();
      for (const path of [base, "/apis/test.example"]) {
        const answer = await cluster.request("GET", path, { headers: { accept } });
        expect(answer.status).toBe(406);
        expect(answer.headers["content-type"]).toBe("application/json");
        expect(answer.text).toContain(
          '\n  "message": "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",\n',
        );
      }
    },
  );
});

describe("bodies in YAML", () => {
  const odd = gadget.replace("  note: <é>\n", "  size: 5\n  colour: red\n");

  test("a key that stands twice is an error with Strict", async () => {
    await using cluster = await start();
    const answer = await post(cluster, odd, "?fieldValidation=Strict");
    expect(answer.json()).toMatchObject({
      code: 400,
      message:
        'Gadget in version "v1" cannot be handled as a Gadget: strict decoding error: yaml: unmarshal errors:\n' +
        '  line 7: key "size" already set in map, unknown field "spec.colour"',
    });
  });

  test("a warning with Warn, and nothing with Ignore; the last one counts", async () => {
    await using cluster = await start();
    const warned = await post(cluster, odd, "?fieldValidation=Warn&dryRun=All");
    expect(warned.headers.warning).toEqual([
      '299 - "line 7: key \\"size\\" already set in map"',
      '299 - "unknown field \\"spec.colour\\""',
    ]);
    expect(warned.json()).toMatchObject({ spec: { size: 5 } });
    const ignored = await post(cluster, odd, "?fieldValidation=Ignore");
    expect(ignored.headers.warning).toBeUndefined();
    expect(ignored.json()).toMatchObject({ spec: { size: 5 } });
  });

  test("each duplicate is a warning of its own", async () => {
    await using cluster = await start();
    const answer = await post(cluster, `${gadget}  size: 5\n  size: 6\n`, "?dryRun=All");
    expect(answer.headers.warning).toEqual([
      '299 - "line 8: key \\"size\\" already set in map"',
      '299 - "line 9: key \\"size\\" already set in map"',
    ]);
  });

  test("what is no YAML is 400, for a deletion too", async () => {
    await using cluster = await start();
    const created = await post(cluster, "a: b: c\n");
    expect(created.json()).toMatchObject({ code: 400, reason: "BadRequest" });
    expect(created.text).toContain("the object provided is unrecognized (must be of type Gadget): yaml: ");
    await post(cluster, gadget);
    const headers = { "content-type": yaml };
    const deleted = await cluster.request("DELETE", `${base}/g`, { body: "a: b: c\n", headers });
    expect(deleted.json()).toMatchObject({ code: 400, reason: "BadRequest" });
  });

  test.for(["text/yaml", "application/x-yaml", "text/plain"])("%s is 415", async (type) => {
    await using cluster = await start();
    const answer = await post(cluster, gadget, "", { "content-type": type });
    expect(answer.json()).toMatchObject({
      code: 415,
      message:
        "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    });
  });
});
