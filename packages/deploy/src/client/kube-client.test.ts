import { formatJson, type JsonObject, type KubeClient, type WatchEvent } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { createKubeClient, type KubeClientOptions } from "./kube-client.ts";
import type { TransportRequest } from "./transport.ts";

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | JsonObject;
}

interface Wire {
  readonly client: KubeClient;
  /** What was sent, without discovery. */
  readonly sent: TransportRequest[];
}

/** A client whose requests get the answers given, one after another; it has ConfigMaps, Nodes, and Widgets. */
function wire(answers: readonly Answer[], options: Partial<KubeClientOptions> = {}): Wire {
  const sent: TransportRequest[] = [];
  const left = answers.values();
  return {
    sent,
    client: createKubeClient({
      ...options,
      transport: {
        async send(request) {
          const index = indexes[request.path];
          if (index === undefined) sent.push(request);
          const answer = index === undefined ? left.next().value : { body: index };
          if (answer === undefined) throw new Error(`no answer for ${request.method} ${request.path}`);
          const { status = 200, headers = { "content-type": "application/json" }, body } = answer;
          const text = typeof body === "string" ? body : formatJson(body);
          return {
            status,
            headers,
            body: (async function* () {
              yield new TextEncoder().encode(text);
            })(),
          };
        },
      },
    }),
  };
}

const indexes: Readonly<Record<string, JsonObject>> = {
  "/api": {
    kind: "APIGroupDiscoveryList",
    items: [
      {
        metadata: {},
        versions: [
          {
            version: "v1",
            resources: [
              { resource: "configmaps", responseKind: { kind: "ConfigMap" }, scope: "Namespaced" },
              { resource: "nodes", responseKind: { kind: "Node" }, scope: "Cluster" },
            ],
          },
        ],
      },
    ],
  },
  "/apis": {
    kind: "APIGroupDiscoveryList",
    items: [
      {
        metadata: { name: "g.example" },
        versions: [
          {
            version: "v1",
            resources: [{ resource: "widgets", responseKind: { kind: "Widget" }, scope: "Namespaced" }],
          },
        ],
      },
    ],
  },
};

const configMaps = { group: "", version: "v1", kind: "ConfigMap" };
const widgets = { group: "g.example", version: "v1", kind: "Widget" };
const ref = { ...widgets, namespace: "a", name: "b" };
const widget = { apiVersion: "g.example/v1", kind: "Widget", metadata: { name: "b", namespace: "a" } };
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b", namespace: "a" } };
const emptyList = { kind: "List", apiVersion: "v1", metadata: { resourceVersion: "7" }, items: [] };

async function collect(events: AsyncIterable<WatchEvent>): Promise<WatchEvent[]> {
  const all: WatchEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe("requests:", () => {
  test.for<[string, (client: KubeClient) => Promise<unknown>, string, JsonObject | undefined, JsonObject]>([
    ["get", (client) => client.get(ref), "GET /apis/g.example/v1/namespaces/a/widgets/b", undefined, widget],
    ["list", (client) => client.list(widgets), "GET /apis/g.example/v1/widgets", undefined, emptyList],
    [
      "list with selectors",
      (client) =>
        client.list(configMaps, { namespace: "a", labelSelector: "x in (y, z)", fieldSelector: "metadata.name!=b" }),
      "GET /api/v1/namespaces/a/configmaps?labelSelector=x+in+%28y%2C+z%29&fieldSelector=metadata.name%21%3Db",
      undefined,
      emptyList,
    ],
    ["create", (client) => client.create(widget), "POST /apis/g.example/v1/namespaces/a/widgets", widget, widget],
    [
      "create, dry, with a manager",
      (client) => client.create(widget, { dryRun: true, fieldManager: "me & you" }),
      "POST /apis/g.example/v1/namespaces/a/widgets?dryRun=All&fieldManager=me+%26+you",
      widget,
      widget,
    ],
    ["update", (client) => client.update(configMap), "PUT /api/v1/namespaces/a/configmaps/b", configMap, configMap],
    [
      "update, dry",
      (client) => client.update(configMap, { dryRun: true }),
      "PUT /api/v1/namespaces/a/configmaps/b?dryRun=All",
      configMap,
      configMap,
    ],
    [
      "delete",
      (client) => client.delete(ref),
      "DELETE /apis/g.example/v1/namespaces/a/widgets/b",
      undefined,
      { kind: "Status", apiVersion: "v1" },
    ],
    [
      "delete with everything",
      (client) =>
        client.delete(ref, {
          dryRun: true,
          fieldManager: "me",
          preconditions: { uid: "u", resourceVersion: "9" },
          propagationPolicy: "Foreground",
          gracePeriodSeconds: 0,
        }),
      "DELETE /apis/g.example/v1/namespaces/a/widgets/b",
      {
        kind: "DeleteOptions",
        apiVersion: "v1",
        gracePeriodSeconds: 0,
        preconditions: { uid: "u", resourceVersion: "9" },
        propagationPolicy: "Foreground",
        dryRun: ["All"],
      },
      { kind: "Status", apiVersion: "v1" },
    ],
    [
      "watch",
      (client) => collect(client.watch(widgets)),
      "GET /apis/g.example/v1/widgets?watch=true&allowWatchBookmarks=true",
      undefined,
      { type: "ADDED", object: widget },
    ],
    [
      "watch with everything",
      (client) =>
        collect(
          client.watch(widgets, { namespace: "a", labelSelector: "x", resourceVersion: "5", sendInitialEvents: true }),
        ),
      "GET /apis/g.example/v1/namespaces/a/widgets?labelSelector=x&watch=true&allowWatchBookmarks=true" +
        "&resourceVersion=5&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
      undefined,
      { type: "ADDED", object: widget },
    ],
  ])("%s", async ([, call, line, body, answer]) => {
    const { client, sent } = wire([{ body: answer }]);
    await call(client);
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([line]);
    expect(sent[0]?.body).toBe(body === undefined ? undefined : formatJson(body));
    expect(sent[0]?.headers).toEqual({
      accept: "application/json",
      "user-agent": "slipway",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    });
    expect(sent[0]?.isOpenEnded).toBe(line.includes("watch=true"));
  });

  test("a big integer is sent with its digits", async () => {
    const { client, sent } = wire([{ body: widget }]);
    await client.create({ ...widget, spec: { n: 9223372036854775807n } });
    expect(sent[0]?.body).toContain('"n":9223372036854775807');
  });
});

describe("answers:", () => {
  test("items of a built-in kind get the kind that their list leaves out", async () => {
    const { client } = wire([
      {
        body: {
          kind: "ConfigMapList",
          apiVersion: "v1",
          metadata: { resourceVersion: "7" },
          items: [{ metadata: { name: "b" }, data: { a: "1" } }],
        },
      },
    ]);
    expect(await client.list(configMaps)).toEqual({
      items: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" }, data: { a: "1" } }],
      resourceVersion: "7",
    });
  });

  test("a list that comes in pages is read to its end", async () => {
    const page = (name: string, next: string): JsonObject => ({
      metadata: { resourceVersion: "7", continue: next },
      items: [{ ...widget, metadata: { name } }],
    });
    const { client, sent } = wire([{ body: page("a", "token=1") }, { body: page("b", "") }]);
    const { items } = await client.list(widgets, { labelSelector: "x" });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    expect(sent.map(({ path }) => path.split("?")[1])).toEqual([
      "labelSelector=x",
      "labelSelector=x&continue=token%3D1",
    ]);
  });

  test("no items may be null", async () => {
    const { client } = wire([{ body: { ...emptyList, items: null } }]);
    expect(await client.list(widgets)).toEqual({ items: [], resourceVersion: "7" });
  });

  test("a deletion that answers with the last state is complete, one that answers with a marked object is not", async () => {
    const marked = { ...widget, metadata: { ...widget.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    const { client } = wire([{ body: widget }, { body: marked }]);
    expect(await client.delete(ref)).toBeUndefined();
    expect(await client.delete(ref)).toEqual(marked);
  });

  test("warnings are handed on", async () => {
    const warnings: string[] = [];
    const headers = { warning: '299 - "unknown field \\"spec.a\\"", 299 - "old, \\\\ and tired"' };
    const { client } = wire([{ headers, body: widget }], { onWarning: (text) => warnings.push(text) });
    await client.create(widget);
    expect(warnings).toEqual(['unknown field "spec.a"', "old, \\ and tired"]);
  });

  test.for([
    ["no JSON", "<html>"],
    ["no object", "[]"],
    ["no Kubernetes object", "{}"],
    ["a member twice", '{"apiVersion":"v1","kind":"A","metadata":{},"metadata":{}}'],
  ] as const)("%s is an error", async ([, body]) => {
    const { client } = wire([{ body }, { body }]);
    await expect(client.get(ref)).rejects.toMatchObject({ code: "READ_FAILED" });
    await expect(client.list(widgets)).rejects.toMatchObject({ code: "READ_FAILED" });
  });

  test("an answer beyond the bound is an error", async () => {
    const { client } = wire([{ body: { ...widget, text: "x".repeat(2_000) } }], { maxAnswerBytes: 2_000 });
    await expect(client.get(ref)).rejects.toThrow(/larger than 2000 bytes/);
  });
});

describe("refusals:", () => {
  const notFound = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: 'widgets.g.example "b" not found',
    reason: "NotFound",
    details: { name: "b", group: "g.example", kind: "widgets" },
    code: 404,
  };
  const text = { "content-type": "text/plain; charset=utf-8" };

  test("a Status is passed on as it is", async () => {
    const status = {
      ...notFound,
      reason: "Gone-Fishing",
      code: 418,
      details: { causes: [{ field: "a", extra: 2n ** 60n }] },
    };
    const { client } = wire([{ status: 418, body: status }]);
    await expect(client.get(ref)).rejects.toMatchObject({ code: "API_STATUS", status });
  });

  test("an object that is not there is undefined to get, and a refusal to others", async () => {
    const { client } = wire([
      { status: 404, body: notFound },
      { status: 404, body: notFound },
    ]);
    expect(await client.get(ref)).toBeUndefined();
    await expect(client.update(widget)).rejects.toMatchObject({ status: notFound });
  });

  test.for([
    ["a page that is not there", { headers: text, body: "404 page not found\n" }],
    [
      "a Status about no object",
      { body: { ...notFound, message: "the server could not find the requested resource", details: {} } },
    ],
    ["a Status without details", { body: { ...notFound, details: undefined } }],
  ] as const)("%s is a kind that is not there, and get rejects", async ([, answer]) => {
    const { client } = wire([{ status: 404, ...answer }]);
    await expect(client.get(ref)).rejects.toMatchObject({
      code: "API_STATUS",
      status: { reason: "NotFound", code: 404 },
    });
  });

  test.for<[number, string, string | undefined, string]>([
    [400, "BadRequest", undefined, "the server rejected our request for an unknown reason (get widgets.g.example b)"],
    [
      401,
      "Unauthorized",
      undefined,
      "the server has asked for the client to provide credentials (get widgets.g.example b)",
    ],
    [403, "Forbidden", "no entry\n", "no entry (get widgets.g.example b)"],
    [
      404,
      "NotFound",
      "404 page not found\n",
      "the server could not find the requested resource (get widgets.g.example b)",
    ],
    [
      405,
      "MethodNotAllowed",
      undefined,
      "the server does not allow this method on the requested resource (get widgets.g.example b)",
    ],
    [409, "Conflict", undefined, "the server reported a conflict (get widgets.g.example b)"],
    [
      429,
      "TooManyRequests",
      "slow down",
      "the server has received too many requests and has asked us to try again later (get widgets.g.example b)",
    ],
    [
      500,
      "InternalError",
      'panic "a"\n',
      'an error on the server ("panic \\"a\\"") has prevented the request from succeeding (get widgets.g.example b)',
    ],
    [
      502,
      "InternalError",
      undefined,
      'an error on the server ("unknown") has prevented the request from succeeding (get widgets.g.example b)',
    ],
    [
      503,
      "ServiceUnavailable",
      "no backend",
      "the server is currently unable to handle the request (get widgets.g.example b)",
    ],
    [
      504,
      "Timeout",
      undefined,
      "the server was unable to return a response in the time allotted, but may still be processing the request (get widgets.g.example b)",
    ],
  ])("%i without a Status is told as clients tell it", async ([code, reason, body, message]) => {
    const headers = {
      ...(body === undefined ? { "content-type": "application/octet-stream" } : text),
      "retry-after": "3",
    };
    const { client } = wire([{ status: code, headers, body: body ?? "<html>" }]);
    await expect(client.get(ref)).rejects.toMatchObject({
      code: "API_STATUS",
      message,
      status: { code, reason, details: { name: "b", group: "g.example", kind: "widgets", retryAfterSeconds: 3 } },
    });
  });

  test("409 of a creation means that the object is there; a status nobody knows has no reason", async () => {
    const { client } = wire([
      { status: 409, headers: {}, body: "" },
      { status: 302, headers: {}, body: "" },
    ]);
    await expect(client.create(widget)).rejects.toMatchObject({ status: { reason: "AlreadyExists" } });
    await expect(client.list(widgets)).rejects.toMatchObject({
      message:
        "the server responded with the status code 302 but did not return more information (get widgets.g.example)",
      status: { reason: undefined, code: 302 },
    });
  });

  test("kube-apiserver's own deadline: a Status in plain text that says neither kind nor apiVersion", async () => {
    const body = {
      metadata: {},
      status: "Failure",
      message: "Timeout: request did not complete",
      reason: "Timeout",
      details: {},
      code: 504,
    };
    const { client } = wire([{ status: 504, headers: text, body }]);
    await expect(client.list(widgets)).rejects.toMatchObject({ message: body.message, status: { reason: "Timeout" } });
  });
});

describe("watch:", () => {
  const event = (type: string, object: JsonObject): string => `${formatJson({ type, object })}\n`;

  test("events, bookmarks, and the end that the server makes", async () => {
    const bookmark = { kind: "Widget", apiVersion: "g.example/v1", metadata: { resourceVersion: "8" } };
    const end = {
      ...bookmark,
      metadata: { resourceVersion: "9", annotations: { "k8s.io/initial-events-end": "true" } },
    };
    const body =
      event("ADDED", widget) +
      event("BOOKMARK", end) +
      event("MODIFIED", widget) +
      event("BOOKMARK", bookmark) +
      event("DELETED", widget);
    const { client } = wire([{ body }]);
    expect(await collect(client.watch(widgets))).toEqual([
      { type: "ADDED", object: widget },
      { type: "BOOKMARK", resourceVersion: "9", initialEventsEnd: true },
      { type: "MODIFIED", object: widget },
      { type: "BOOKMARK", resourceVersion: "8", initialEventsEnd: false },
      { type: "DELETED", object: widget },
    ]);
  });

  test("an ERROR event is thrown, after what came before it", async () => {
    const status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason: "Expired",
      message: "too old",
      code: 410,
    };
    const { client } = wire([{ body: event("ADDED", widget) + event("ERROR", status) }]);
    const seen: WatchEvent[] = [];
    const loop = async (): Promise<void> => {
      for await (const each of client.watch(widgets)) seen.push(each);
    };
    await expect(loop()).rejects.toMatchObject({ code: "API_STATUS", status });
    expect(seen).toHaveLength(1);
  });

  test.for([
    ["an ERROR event that says nothing", event("ERROR", {}), "API_STATUS"],
    ["a type that nobody knows", event("RENAMED", widget), "READ_FAILED"],
    ["an object that is none", event("ADDED", {}), "READ_FAILED"],
    ["a bookmark without version", event("BOOKMARK", { metadata: {} }), "READ_FAILED"],
  ] as const)("%s is thrown", async ([, body, code]) => {
    const { client } = wire([{ body }]);
    await expect(collect(client.watch(widgets))).rejects.toMatchObject({ code });
  });

  test("an event beyond the bound ends the watch", async () => {
    const { client } = wire([{ body: event("ADDED", { ...widget, text: "x".repeat(500) }) }], { maxEventBytes: 500 });
    await expect(collect(client.watch(widgets))).rejects.toThrow(/larger than 500 bytes/);
  });

  test("a refusal before the first event is thrown", async () => {
    const body = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason: "Forbidden",
      message: "no",
      code: 403,
    };
    const { client } = wire([{ status: 403, body }]);
    await expect(collect(client.watch(widgets))).rejects.toMatchObject({ status: { reason: "Forbidden" } });
  });

  test("nothing is sent before the loop begins, and every loop is a watch of its own", async () => {
    const { client, sent } = wire([{ body: event("ADDED", widget) }, { body: "" }]);
    const watch = client.watch(widgets);
    expect(sent).toHaveLength(0);
    expect(await collect(watch)).toHaveLength(1);
    expect(await collect(watch)).toHaveLength(0);
    expect(sent).toHaveLength(2);
  });
});
