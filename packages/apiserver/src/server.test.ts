import { byCodeUnit, type JsonObject, type KubernetesObject } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "./testing.ts";

/** A kind with a schema, a status and a column: what the tests below create. */
const gadgets: KubernetesObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.test.example" },
  spec: {
    group: "test.example",
    scope: "Namespaced",
    names: { kind: "Gadget", plural: "gadgets", singular: "gadget", shortNames: ["gd"], categories: ["all"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer", default: 1, minimum: 1 },
                  mode: { type: "string", enum: ["fast", "safe"] },
                  tags: { type: "object", additionalProperties: { type: "string" } },
                },
              },
              status: { type: "object", properties: { phase: { type: "string" } } },
            },
          },
        },
      },
    ],
  },
};

const base = "/apis/test.example/v1/namespaces/default/gadgets";

function gadget(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: "test.example/v1", kind: "Gadget", metadata: { name, ...metadata }, spec };
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked at by the tests, whatever they are
type Body = any;

async function send(
  cluster: TestCluster,
  method: string,
  path: string,
  body?: JsonObject,
  type?: string,
): Promise<{ status: number; body: Body; warning: unknown }> {
  const response = await cluster.request(method, path, {
    body,
    headers: type === undefined ? {} : { "content-type": type },
  });
  return { status: response.status, body: response.json(), warning: response.headers.warning };
}

const merge = "application/merge-patch+json";

describe("create", () => {
  test("fills in what the server decides and the defaults of the schema", async () => {
    await using cluster = await startTestCluster({
      definitions: [gadgets],
      startTime: new Date("2026-01-02T03:04:05.678Z"),
    });
    const { status, body } = await send(cluster, "POST", base, {
      ...gadget("a", {}, { uid: "mine", generation: 9, creationTimestamp: "2001-01-01T00:00:00Z" }),
      status: { phase: "Ready" },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      apiVersion: "test.example/v1",
      kind: "Gadget",
      metadata: {
        name: "a",
        namespace: "default",
        creationTimestamp: "2026-01-02T03:04:05Z",
        generation: 1,
        resourceVersion: expect.stringMatching(/^\d+$/),
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
      spec: { size: 1 },
    });
    expect(Object.keys(body.metadata)).toEqual([...Object.keys(body.metadata)].sort(byCodeUnit));
  });

  test("of a name that exists is 409, of a name that cannot be is 422, of both kinds of mistake is one answer", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    await send(cluster, "POST", base, gadget("a"));
    expect(await send(cluster, "POST", base, gadget("a"))).toMatchObject({
      status: 409,
      body: { reason: "AlreadyExists", details: { name: "a", group: "test.example", kind: "gadgets" } },
    });
    const wrong = await send(cluster, "POST", base, gadget("A_b", { size: 0, mode: "slow" }));
    expect(wrong.status).toBe(422);
    expect(wrong.body.details.causes.map(({ field }: Body) => field)).toEqual([
      "metadata.name",
      "spec.size",
      "spec.mode",
    ]);
  });

  test("with generateName finds a free name and gives up after eight attempts", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    const { body } = await send(cluster, "POST", base, {
      ...gadget("x"),
      metadata: { generateName: "run-" },
    });
    expect(body.metadata.name).toMatch(/^run-.{5}$/);
    expect(body.metadata.generateName).toBe("run-");
  });

  test("in a namespace that does not exist is 404 about the namespace", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    expect(await send(cluster, "POST", base.replace("default", "nowhere"), gadget("a"))).toMatchObject({
      status: 404,
      body: { message: 'namespaces "nowhere" not found', details: { name: "nowhere", kind: "namespaces" } },
    });
  });

  test.for([
    {
      rule: "another namespace",
      body: gadget("a", {}, { namespace: "other" }),
      message: "does not match the namespace sent",
    },
    {
      rule: "another version",
      body: { ...gadget("a"), apiVersion: "test.example/v2" },
      message: "does not match the expected API version",
    },
    { rule: "no kind", body: { apiVersion: "test.example/v1" }, message: "Object 'Kind' is missing in" },
    {
      rule: "a time that is none",
      body: gadget("a", {}, { creationTimestamp: "noon" }),
      message:
        'Gadget in version "v1" cannot be handled as a Gadget: parsing time "noon" as "2006-01-02T15:04:05Z07:00": ' +
        'cannot parse "noon" as "2006"',
    },
    {
      rule: "a time that is a number",
      body: gadget("a", {}, { creationTimestamp: 5 }),
      message: "cannot unmarshal number into Go struct field ObjectMeta.creationTimestamp of type string",
    },
    {
      rule: "a fraction for an integer",
      body: gadget("a", {}, { generation: 1.5 }),
      message: "cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64",
    },
    {
      rule: "text for a boolean of an owner",
      body: gadget("a", {}, { ownerReferences: [{ controller: "x" }] }),
      message: "cannot unmarshal string into Go struct field OwnerReference.ownerReferences.controller of type bool",
    },
    {
      rule: "several wrong members, of which the first by name is told",
      body: gadget("a", {}, { uid: 1, labels: 2, finalizers: 3 }),
      message: "cannot unmarshal number into Go struct field ObjectMeta.finalizers of type []string",
    },
    {
      rule: "an apiVersion of too many parts",
      body: { ...gadget("a"), apiVersion: "a/b/c" },
      message:
        "the object provided is unrecognized (must be of type Gadget): unexpected GroupVersion string: a/b/c " +
        '({"apiVersion":"a/b/c","kind":" ...)',
    },
    {
      rule: "a label that is a number",
      body: gadget("a", {}, { labels: { a: 1 } }),
      message: "cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
    },
  ])("with $rule in the body is a bad request", async ({ body, message }) => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    const answer = await send(cluster, "POST", base, body);
    expect(answer).toMatchObject({ status: 400, body: { reason: "BadRequest" } });
    expect(answer.body.message).toContain(message);
  });

  test.for([
    ['{"apiVersion":', 'couldn\'t get version/kind; json parse error: unexpected end of JSON input ({"apiVersion":)'],
    ["", "json parse error: unexpected end of JSON input (<empty>)"],
    ["kind: Gadget", "json parse error: invalid character 'k' looking for beginning of value"],
    ["[]", "cannot unmarshal array into Go value"],
    [`${"[".repeat(600)}${"]".repeat(600)}`, "max depth"],
  ] as const)("of %s says what is wrong with the text", async ([text, message]) => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    const response = await cluster.request("POST", base, { body: text });
    expect(response.status).toBe(400);
    expect((response.json() as { message: string }).message).toContain(message);
  });

  test("over 3 MiB is 413, of another media type 415", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    const big = await cluster.request("POST", base, { body: `{"a":"${"x".repeat(3 * 1024 * 1024)}"}` });
    expect(big.status).toBe(413);
    expect(big.json()).toMatchObject({ message: "Request entity too large: limit is 3145728" });
    const text = await cluster.request("POST", base, { body: "x", headers: { "content-type": "text/plain" } });
    expect(text.status).toBe(415);
  });

  test("keeps the digits of 64-bit integers and members that have special names", async () => {
    await using cluster = await startTestCluster({ definitions: [] });
    const body =
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"constructor":"x"}},"data":{"__proto__":"y"}}';
    const response = await cluster.request("POST", "/api/v1/namespaces/default/configmaps", { body });
    expect(response.text).toContain('"data":{"__proto__":"y"}');
    expect(response.text).toContain('"labels":{"constructor":"x"}');
  });
});

describe("field validation", () => {
  const body =
    '{"apiVersion":"test.example/v1","kind":"Gadget","metadata":{"name":"a","color":"x"},"spec":{"size":1,"size":2,"what":1}}';

  test("Strict refuses unknown and duplicate fields, all at once", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    const response = await cluster.request("POST", `${base}?fieldValidation=Strict`, { body });
    expect(response.json()).toMatchObject({
      code: 400,
      message:
        'Gadget in version "v1" cannot be handled as a Gadget: strict decoding error: ' +
        'duplicate field "spec.size", unknown field "metadata.color", unknown field "spec.what"',
    });
  });

  test("Warn, the default, stores without them and warns; Ignore says nothing", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    const warned = await cluster.request("POST", base, { body });
    expect(warned.status).toBe(201);
    expect(warned.headers.warning).toEqual([
      '299 - "duplicate field \\"spec.size\\""',
      '299 - "unknown field \\"metadata.color\\""',
      '299 - "unknown field \\"spec.what\\""',
    ]);
    expect(warned.json()).toMatchObject({ spec: { size: 2 } });
    const ignored = await cluster.request("POST", `${base}?fieldValidation=Ignore`, {
      body: body.replace('"a"', '"b"'),
    });
    expect(ignored.headers.warning).toBeUndefined();
  });
});

describe("update", () => {
  test("needs the resourceVersion that is stored, and counts the generation", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    const { body: first } = await send(cluster, "POST", base, gadget("a"));
    const version = first.metadata.resourceVersion;
    const second = await send(cluster, "PUT", `${base}/a`, gadget("a", { size: 2 }, { resourceVersion: version }));
    expect(second).toMatchObject({ status: 200, body: { metadata: { generation: 2 }, spec: { size: 2 } } });
    expect(
      await send(cluster, "PUT", `${base}/a`, gadget("a", { size: 3 }, { resourceVersion: version })),
    ).toMatchObject({
      status: 409,
      body: {
        reason: "Conflict",
        message:
          'Operation cannot be fulfilled on gadgets.test.example "a": the object has been modified; ' +
          "please apply your changes to the latest version and try again",
      },
    });
    expect(await send(cluster, "PUT", `${base}/a`, gadget("a"))).toMatchObject({ status: 422 });
    expect(await send(cluster, "PUT", `${base}/b`, gadget("b"))).toMatchObject({ status: 404 });
    expect(await send(cluster, "PUT", `${base}/a`, gadget("b", {}, { resourceVersion: version }))).toMatchObject({
      status: 400,
      body: { message: "the name of the object (b) does not match the name on the URL (a)" },
    });
  });

  test("that changes nothing writes nothing", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    const { body: first } = await send(cluster, "POST", base, gadget("a", { size: 2 }));
    const { body: again } = await send(cluster, "PUT", `${base}/a`, first);
    expect(again).toEqual(first);
    expect(await cluster.storage.revision()).toBe(Number(first.metadata.resourceVersion));
  });

  test("does not touch the status, and the status endpoint touches nothing else", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    const { body: first } = await send(cluster, "POST", base, gadget("a"));
    const changed = { ...first, spec: { size: 5 }, status: { phase: "Ready" } };
    const { body: status } = await send(cluster, "PUT", `${base}/a/status`, changed);
    expect(status).toMatchObject({ spec: { size: 1 }, status: { phase: "Ready" }, metadata: { generation: 1 } });
    const { body: main } = await send(cluster, "PUT", `${base}/a`, { ...status, status: {}, spec: { size: 7 } });
    expect(main).toMatchObject({ spec: { size: 7 }, status: { phase: "Ready" }, metadata: { generation: 2 } });
  });
});

describe("patch", () => {
  test("merges, removes and applies operations without a version", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    await send(cluster, "POST", base, gadget("a", { tags: { x: "1", y: "2" } }));
    const merged = await send(cluster, "PATCH", `${base}/a`, { spec: { tags: { x: null, z: "3" } } }, merge);
    expect(merged.body.spec).toEqual({ size: 1, tags: { y: "2", z: "3" } });
    const operations = [
      { op: "replace", path: "/spec/size", value: 4 },
      { op: "remove", path: "/spec/tags" },
    ];
    const response = await cluster.request("PATCH", `${base}/a`, {
      body: operations,
      headers: { "content-type": "application/json-patch+json" },
    });
    expect(response.json()).toMatchObject({ spec: { size: 4 } });
  });

  test("with a stale version is a conflict; of another kind of body 415; of a missing object 404", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    await send(cluster, "POST", base, gadget("a"));
    expect(await send(cluster, "PATCH", `${base}/a`, { metadata: { resourceVersion: "1" } }, merge)).toMatchObject({
      status: 409,
    });
    expect(await send(cluster, "PATCH", `${base}/a`, {}, "application/strategic-merge-patch+json")).toMatchObject({
      status: 415,
      body: { reason: "UnsupportedMediaType" },
    });
    expect(await send(cluster, "PATCH", `${base}/b`, {}, merge)).toMatchObject({ status: 404 });
  });

  test("whose result the schema refuses is 422 and changes nothing", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    const { body: first } = await send(cluster, "POST", base, gadget("a"));
    expect(await send(cluster, "PATCH", `${base}/a`, { spec: { size: "big" } }, merge)).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: "spec.size", reason: "FieldValueTypeInvalid" }] } },
    });
    expect((await send(cluster, "GET", `${base}/a`)).body).toEqual(first);
  });

  test("concurrent patches of one object all count", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    await send(cluster, "POST", base, gadget("a"));
    const names = Array.from({ length: 50 }, (_, index) => `k${index}`);
    await Promise.all(
      names.map((name) => send(cluster, "PATCH", `${base}/a`, { spec: { tags: { [name]: "x" } } }, merge)),
    );
    const { body } = await send(cluster, "GET", `${base}/a`);
    expect(Object.keys(body.spec.tags).sort(byCodeUnit)).toEqual([...names].sort(byCodeUnit));
  });
});

describe("delete", () => {
  test("answers with the uid, after which the object is gone", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    const { body: first } = await send(cluster, "POST", base, gadget("a"));
    const { status, body } = await send(cluster, "DELETE", `${base}/a`);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { kind: "Status", status: "Success", details: { name: "a", kind: "gadgets", uid: first.metadata.uid } },
    });
    expect((await send(cluster, "GET", `${base}/a`)).status).toBe(404);
    expect((await send(cluster, "DELETE", `${base}/a`)).status).toBe(404);
  });

  test("waits for finalizers, and the update that removes the last one ends the object", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    await send(cluster, "POST", base, gadget("a", {}, { finalizers: ["test.example/hold"] }));
    const marked = await send(cluster, "DELETE", `${base}/a`);
    expect(marked.body.metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      deletionGracePeriodSeconds: 0,
    });
    expect((await send(cluster, "DELETE", `${base}/a`)).body).toEqual(marked.body);
    expect(await send(cluster, "POST", base, gadget("a"))).toMatchObject({
      status: 409,
      body: { message: 'object is being deleted: gadgets.test.example "a" already exists' },
    });
    const released = await send(cluster, "PATCH", `${base}/a`, { metadata: { finalizers: null } }, merge);
    expect(released.status).toBe(200);
    expect((await send(cluster, "GET", `${base}/a`)).status).toBe(404);
  });

  test.for([
    { rule: "another uid", body: { preconditions: { uid: "other" } }, message: "the UID in the precondition (other)" },
    {
      rule: "another version",
      body: { preconditions: { resourceVersion: "1" } },
      message: "the ResourceVersion in the precondition (1)",
    },
  ])("with $rule as precondition is a conflict and deletes nothing", async ({ body, message }) => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    await send(cluster, "POST", base, gadget("a"));
    const answer = await send(cluster, "DELETE", `${base}/a`, body);
    expect(answer.status).toBe(409);
    expect(answer.body.message).toContain(message);
    expect((await send(cluster, "GET", `${base}/a`)).status).toBe(200);
  });

  test("of a collection takes what the selector picks", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    for (const name of ["a", "b", "c"])
      await send(cluster, "POST", base, gadget(name, {}, { labels: { keep: String(name === "b") } }));
    const { body } = await send(cluster, "DELETE", `${base}?labelSelector=keep%3Dfalse`);
    expect(body.items.map(({ metadata }: Body) => metadata.name)).toEqual(["a", "c"]);
    const { body: left } = await send(cluster, "GET", base);
    expect(left.items.map(({ metadata }: Body) => metadata.name)).toEqual(["b"]);
  });
});

describe("dry run", () => {
  test("of every verb answers as for real and stores nothing, and no watcher sees anything", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    const { body: first } = await send(cluster, "POST", base, gadget("a"));
    const before = await cluster.storage.revision();
    const created = await send(cluster, "POST", `${base}?dryRun=All`, gadget("b"));
    expect(created).toMatchObject({ status: 201, body: { metadata: { name: "b", uid: expect.any(String) } } });
    expect(created.body.metadata.resourceVersion).toBeUndefined();
    const put = await send(cluster, "PUT", `${base}/a?dryRun=All`, { ...first, spec: { size: 9 } });
    expect(put.body).toMatchObject({
      spec: { size: 9 },
      metadata: { resourceVersion: first.metadata.resourceVersion },
    });
    expect((await send(cluster, "PATCH", `${base}/a?dryRun=All`, { spec: { size: 8 } }, merge)).body.spec.size).toBe(8);
    expect((await send(cluster, "DELETE", `${base}/a?dryRun=All`)).status).toBe(200);
    expect((await send(cluster, "DELETE", `${base}/a`, { dryRun: ["All"] })).status).toBe(200);
    expect((await send(cluster, "DELETE", `${base}?dryRun=All`)).status).toBe(200);
    expect((await send(cluster, "POST", `${base}?dryRun=All`, gadget("a"))).status).toBe(409);
    expect(await cluster.storage.revision()).toBe(before);
    expect((await send(cluster, "GET", `${base}/a`)).body).toEqual(first);
  });

  test("takes the value All only", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    expect(await send(cluster, "POST", `${base}?dryRun=yes`, gadget("a"))).toMatchObject({
      status: 422,
      body: { details: { kind: "CreateOptions", causes: [{ field: "dryRun" }] } },
    });
    expect(await cluster.storage.revision()).toBe(1);
  });
});

describe("list", () => {
  async function three(): Promise<TestCluster> {
    const cluster = await startTestCluster({ definitions: [gadgets], namespaces: ["default", "other"] });
    for (const name of ["c", "a", "b"]) await send(cluster, "POST", base, gadget(name, {}, { labels: { n: name } }));
    await send(cluster, "POST", base.replace("default", "other"), gadget("z"));
    return cluster;
  }
  const namesOf = (body: Body): string[] =>
    body.items.map(({ metadata }: Body) => `${metadata.namespace}/${metadata.name}`);

  test.for([
    { query: "", names: ["default/a", "default/b", "default/c"] },
    { query: "?labelSelector=n%20in%20(a,b)", names: ["default/a", "default/b"] },
    { query: "?labelSelector=n!%3Da", names: ["default/b", "default/c"] },
    { query: "?fieldSelector=metadata.name%3Db", names: ["default/b"] },
    { query: "?fieldSelector=metadata.name!%3Db", names: ["default/a", "default/c"] },
    { query: "?fieldSelector=metadata.namespace%3Dother", names: [] },
    { query: "?resourceVersion=0", names: ["default/a", "default/b", "default/c"] },
  ])("$query gives $names, in order", async ({ query, names }) => {
    await using cluster = await three();
    const { body } = await send(cluster, "GET", base + query);
    expect(body).toMatchObject({ kind: "GadgetList", apiVersion: "test.example/v1" });
    expect(namesOf(body)).toEqual(names);
  });

  test("over all namespaces is ordered by namespace and name", async () => {
    await using cluster = await three();
    expect(namesOf((await send(cluster, "GET", "/apis/test.example/v1/gadgets")).body)).toEqual([
      "default/a",
      "default/b",
      "default/c",
      "other/z",
    ]);
  });

  test("in pages shows one state, whatever happens meanwhile", async () => {
    await using cluster = await three();
    const first = await send(cluster, "GET", `${base}?limit=2`);
    expect(namesOf(first.body)).toEqual(["default/a", "default/b"]);
    expect(first.body.metadata.remainingItemCount).toBe(1);
    await send(cluster, "DELETE", `${base}/c`);
    const second = await send(cluster, "GET", `${base}?limit=2&continue=${first.body.metadata.continue}`);
    expect(namesOf(second.body)).toEqual(["default/c"]);
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    expect(second.body.metadata.continue).toBe("");
  });

  test.for([
    ["after everything", "/z"],
    ["after the last of that time", "/b"],
  ])("a token of the past that begins %s gives an empty list", async ([, start]) => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    for (const name of ["a", "b"]) await send(cluster, "POST", base, gadget(name));
    const { resourceVersion } = (await send(cluster, "GET", base)).body.metadata;
    await send(cluster, "POST", base, gadget("c"));
    const token = JSON.stringify({ v: "meta.k8s.io/v1", rv: Number(resourceVersion), start: `${start}\0` });
    for (const limit of ["", "&limit=1"]) {
      const { status, body } = await send(cluster, "GET", `${base}?continue=${btoa(token)}${limit}`);
      expect({ status, items: body.items }).toEqual({ status: 200, items: [] });
      expect(body.metadata.continue ?? "").toBe("");
    }
  });

  test.for([
    { query: "labelSelector=a b", status: 400 },
    { query: "fieldSelector=spec.size%3D1", status: 400, message: "field label not supported: spec.size" },
    { query: "limit=x", status: 400 },
    { query: "continue=nonsense", status: 400 },
    { query: "resourceVersion=abc", status: 400 },
    { query: "resourceVersionMatch=Exact", status: 422 },
    { query: "sendInitialEvents=true", status: 422 },
    { query: "resourceVersion=99999", status: 504 },
  ])("?$query is $status", async ({ query, status, message }) => {
    await using cluster = await three();
    const answer = await send(cluster, "GET", `${base}?${query}`);
    expect(answer.status).toBe(status);
    if (message !== undefined) expect(answer.body.message).toBe(message);
  });

  test("as a table has the columns of the kind, and the objects' metadata", async () => {
    await using cluster = await three();
    const response = await cluster.request("GET", base, {
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" },
    });
    const body = response.json() as Body;
    expect(body.columnDefinitions.map(({ name }: Body) => name)).toEqual(["Name", "Size"]);
    expect(body.rows.map(({ cells }: Body) => cells)).toEqual([
      ["a", 1],
      ["b", 1],
      ["c", 1],
    ]);
    expect(body.rows[0].object).toMatchObject({ kind: "PartialObjectMetadata", metadata: { labels: { n: "a" } } });
  });
});

describe("watch", () => {
  async function take(events: AsyncIterable<unknown>, count: number): Promise<Body[]> {
    const taken: Body[] = [];
    for await (const event of events) {
      taken.push(event);
      if (taken.length === count) break;
    }
    return taken;
  }
  const shape = (events: Body[]): string[] => events.map(({ type, object }) => `${type} ${object.metadata.name ?? ""}`);

  test("from nothing gives the present state and then what changes", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    await send(cluster, "POST", base, gadget("a"));
    const watching = take(cluster.stream(`${base}?watch=1`), 4);
    await send(cluster, "POST", base, gadget("b"));
    await send(cluster, "PATCH", `${base}/a`, { spec: { size: 2 } }, merge);
    await send(cluster, "DELETE", `${base}/a`);
    expect(shape(await watching)).toEqual(["ADDED a", "ADDED b", "MODIFIED a", "DELETED a"]);
  });

  test("from a version gives each change after it once, in order, and then lives on", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    const { body: list } = await send(cluster, "GET", base);
    await send(cluster, "POST", base, gadget("a"));
    await send(cluster, "DELETE", `${base}/a`);
    const watching = take(cluster.stream(`${base}?watch=1&resourceVersion=${list.metadata.resourceVersion}`), 3);
    await send(cluster, "POST", base, gadget("c"));
    const events = await watching;
    expect(shape(events)).toEqual(["ADDED a", "DELETED a", "ADDED c"]);
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect(new Set(versions).size).toBe(3);
  });

  test("from a version that is no longer kept ends with 410 Expired", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    for (const name of ["a", "b", "c"]) await send(cluster, "POST", base, gadget(name));
    await send(cluster, "DELETE", `${base}/a`);
    await cluster.storage.compact(await cluster.storage.revision());
    const [event] = await take(cluster.stream(`${base}?watch=1&resourceVersion=1`), 1);
    expect(event).toMatchObject({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } });
  });

  test.for([true, false])(
    "with sendInitialEvents marks the end of the present state (objects there: %s)",
    async (filled) => {
      await using cluster = await startTestCluster({ definitions: [gadgets] });
      if (filled) await send(cluster, "POST", base, gadget("a"));
      const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
      const events = await take(cluster.stream(`${base}?${query}`), filled ? 2 : 1);
      expect(shape(events)).toEqual(filled ? ["ADDED a", "BOOKMARK "] : ["BOOKMARK "]);
      expect(events.at(-1)?.object).toEqual({
        apiVersion: "test.example/v1",
        kind: "Gadget",
        metadata: {
          annotations: { "k8s.io/initial-events-end": "true" },
          resourceVersion: String(await cluster.storage.revision()),
        },
      });
    },
  );

  test("sendInitialEvents without a match rule is refused, not ignored", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    expect(await send(cluster, "GET", `${base}?watch=1&sendInitialEvents=true`)).toMatchObject({
      status: 422,
      body: {
        message: expect.stringContaining("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
      },
    });
  });

  test("an object that leaves the selection is DELETED, one that enters it is ADDED", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    await send(cluster, "POST", base, gadget("a", {}, { labels: { color: "red" } }));
    const watching = take(cluster.stream(`${base}?watch=1&labelSelector=color%3Dred`), 3);
    await send(cluster, "PATCH", `${base}/a`, { metadata: { labels: { color: "blue" } } }, merge);
    await send(cluster, "PATCH", `${base}/a`, { spec: { size: 5 } }, merge);
    await send(cluster, "PATCH", `${base}/a`, { metadata: { labels: { color: "red" } } }, merge);
    const events = await watching;
    expect(shape(events)).toEqual(["ADDED a", "DELETED a", "ADDED a"]);
    expect(events[1]?.object.metadata.labels).toEqual({ color: "red" });
  });

  test("by name follows one object", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    for (const name of ["a", "b"]) await send(cluster, "POST", base, gadget(name));
    const watching = take(cluster.stream(`${base}?watch=1&fieldSelector=metadata.name%3Db&resourceVersion=0`), 2);
    await send(cluster, "DELETE", `${base}/a`);
    await send(cluster, "DELETE", `${base}/b`);
    expect(shape(await watching)).toEqual(["ADDED b", "DELETED b"]);
  });

  test("as a table names the columns in the first event only", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    for (const name of ["a", "b"]) await send(cluster, "POST", base, gadget(name));
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    const events = await take(cluster.stream(`${base}?watch=1`, { headers: { accept } }), 2);
    expect(events.map(({ object }) => object.columnDefinitions?.length ?? null)).toEqual([2, null]);
  });

  test("ends when its time is over", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    expect(await take(cluster.stream(`${base}?watch=1&timeoutSeconds=1`), 1)).toEqual([]);
  });
});

describe("around the kinds", () => {
  test.for([
    ["/apis/test.example/v1/nothings", 404],
    ["/apis/test.example/v2/gadgets", 404],
    ["/apis/nothing/v1/gadgets", 404],
    ["/nothing", 404],
    ["/apis/test.example/v1/gadgets/a", 404],
    ["/apis/test.example/v1/namespaces/default/gadgets/a/b/c", 404],
  ] as const)("GET %s is %s", async ([path, status]) => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    expect((await cluster.request("GET", path)).status).toBe(status);
  });

  test("without credentials only health and version answer", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    const status = async (path: string): Promise<number> =>
      (await cluster.request("GET", path, { anonymous: true })).status;
    for (const path of ["/healthz", "/livez", "/readyz", "/readyz/storage", "/version"])
      expect(await status(path)).toBe(200);
    for (const path of ["/", "/api", "/apis", base, "/openapi/v3", "/metrics"]) expect(await status(path)).toBe(401);
  });

  test("a method that no kind has is 405", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    expect((await cluster.request("OPTIONS", base)).json()).toMatchObject({ code: 405, reason: "MethodNotAllowed" });
  });

  test.for(["constructor", "__proto__", "toString"])("%s is no method and no media type", async (word) => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    await send(cluster, "POST", base, gadget("a"));
    expect((await cluster.request(word, base)).status).toBe(405);
    expect((await cluster.request(word, `${base}/a`)).status).toBe(405);
    expect((await send(cluster, "PATCH", `${base}/a`, {}, word)).status).toBe(415);
  });

  test.for([
    ["of the client", "mine", "mine"],
    ["made here when the client has none", undefined, expect.stringMatching(/^[0-9a-f-]{36}$/)],
    ["made here when the client's is empty", "", expect.stringMatching(/^[0-9a-f-]{36}$/)],
  ])("the audit id is %s", async ([, sent, answered]) => {
    await using cluster = await startTestCluster();
    const headers: Record<string, string> = sent === undefined ? {} : { "audit-id": sent };
    expect((await cluster.request("GET", "/version", { headers })).headers["audit-id"]).toEqual(answered);
  });

  test("kinds can be taken away and come back while the server runs", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    const resources = cluster.server.resources().filter(({ group }) => group === "test.example");
    const documents = async (): Promise<Body> => (await send(cluster, "GET", "/openapi/v3")).body.paths;
    const before = await documents();
    cluster.server.serve("test.example", "v1", []);
    expect((await cluster.request("GET", base)).status).toBe(404);
    expect(Object.keys(await documents())).toEqual(["api/v1", "apis/coordination.k8s.io/v1"]);
    cluster.server.serve("test.example", "v1", resources);
    expect((await cluster.request("GET", base)).status).toBe(200);
    expect(await documents()).toEqual(before);
  });

  test("discovery is the same in both forms, and cached by its tag", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets] });
    const { body: list } = await send(cluster, "GET", "/apis/test.example/v1");
    expect(list.resources.map(({ name }: Body) => name)).toEqual(["gadgets", "gadgets/status"]);
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const aggregated = await cluster.request("GET", "/apis", { headers: { accept } });
    expect(aggregated.headers["content-type"]).toBe(accept);
    const groups = (aggregated.json() as Body).items.map(({ metadata, versions }: Body) => [
      metadata.name,
      versions[0].resources.map(({ resource }: Body) => resource),
    ]);
    expect(groups).toEqual([
      ["coordination.k8s.io", ["leases"]],
      ["test.example", ["gadgets"]],
    ]);
    const again = await cluster.request("GET", "/apis", {
      headers: { accept, "if-none-match": String(aggregated.headers.etag) },
    });
    expect(again).toMatchObject({ status: 304, text: "" });
  });
});

describe("namespaces", () => {
  test("are labelled with their name and end with everything in them", async () => {
    await using cluster = await startTestCluster({ definitions: [gadgets], namespaces: ["default", "shop"] });
    const { body } = await send(cluster, "GET", "/api/v1/namespaces/shop");
    expect(body).toMatchObject({
      metadata: { labels: { "kubernetes.io/metadata.name": "shop" } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
    const inside = base.replace("default", "shop");
    await send(cluster, "POST", inside, gadget("a"));
    const watching = (async () => {
      for await (const event of cluster.stream("/api/v1/namespaces?watch=1&fieldSelector=metadata.name%3Dshop")) {
        if ((event as Body).type === "DELETED") return;
      }
    })();
    expect(await send(cluster, "DELETE", "/api/v1/namespaces/shop")).toMatchObject({
      status: 200,
      body: { status: { phase: "Terminating" } },
    });
    expect((await send(cluster, "POST", inside, gadget("b"))).status).toBeOneOf([403, 404]);
    await watching;
    expect((await send(cluster, "GET", inside)).body.items).toEqual([]);
  });

  test("that the cluster needs cannot be deleted", async () => {
    await using cluster = await startTestCluster();
    expect(await send(cluster, "DELETE", "/api/v1/namespaces/default")).toMatchObject({
      status: 403,
      body: { message: 'namespaces "default" is forbidden: this namespace may not be deleted' },
    });
  });
});

describe("secrets", () => {
  test("take text as bytes, and hold their type", async () => {
    await using cluster = await startTestCluster();
    const secrets = "/api/v1/namespaces/default/secrets";
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s" },
      data: { raw: "/wA=" },
      stringData: { a: "é", b: "日本" },
    };
    const { body } = await send(cluster, "POST", secrets, secret);
    expect(body).toMatchObject({ type: "Opaque", data: { raw: "/wA=", a: "w6k=", b: "5pel5pys" } });
    expect(body.stringData).toBeUndefined();
    expect(await send(cluster, "PATCH", `${secrets}/s`, { type: "other" }, merge)).toMatchObject({ status: 422 });
    expect(await send(cluster, "PATCH", `${secrets}/s`, { data: { x: "not base64!" } }, merge)).toMatchObject({
      status: 422,
    });
  });
});
