import {
  type GroupVersionKind,
  type JsonObject,
  type KubeClient,
  type KubernetesObject,
  type ObjectRef,
  parseJson,
  type WatchEvent,
} from "@slipway/objects";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** A client, and the cluster behind it, which has {@link contractDefinitions} and the namespaces `one` and `two`. */
export interface ContractCluster extends AsyncDisposable {
  readonly client: KubeClient;
  /** A version from before what the server still knows. */
  readonly expiredVersion: string;
}

export const contractNamespaces: readonly string[] = ["one", "two"];

/** A kind in namespaces with a schema that checks something, and one without namespaces that takes everything. */
export const contractDefinitions: readonly KubernetesObject[] = [
  definition("Gadget", "Namespaced", {
    type: "object",
    properties: {
      spec: {
        type: "object",
        "x-kubernetes-preserve-unknown-fields": true,
        properties: { size: { type: "integer", minimum: 1 }, serial: { type: "integer", format: "int64" } },
      },
    },
  }),
  definition("Region", "Cluster", { type: "object", "x-kubernetes-preserve-unknown-fields": true }),
];

function definition(kind: string, scope: string, openAPIV3Schema: JsonObject): KubernetesObject {
  const singular = kind.toLowerCase();
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${singular}s.contract.example` },
    spec: {
      group: "contract.example",
      scope,
      names: { kind, plural: `${singular}s`, singular, listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

const gadgets: GroupVersionKind = { group: "contract.example", version: "v1", kind: "Gadget" };
const regions: GroupVersionKind = { group: "contract.example", version: "v1", kind: "Region" };
const configMaps: GroupVersionKind = { group: "", version: "v1", kind: "ConfigMap" };
const nowhere: GroupVersionKind = { group: "contract.example", version: "v1", kind: "Nowhere" };

function gadget(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): KubernetesObject {
  return { apiVersion: "contract.example/v1", kind: "Gadget", metadata: { name, namespace: "one", ...metadata }, spec };
}

function ref(kind: GroupVersionKind, name: string, namespace = "one"): ObjectRef {
  return { ...kind, namespace, name };
}

/** The names of the events' objects; the end of the initial events, the word `end`. */
function told(events: readonly WatchEvent[]): string[] {
  return events.map((event) =>
    event.type === "BOOKMARK"
      ? event.initialEventsEnd
        ? "end"
        : "bookmark"
      : `${event.type} ${event.object.metadata.name}`,
  );
}

function labelled(name: string): { readonly namespace: string; readonly labelSelector: string } {
  return { namespace: "one", labelSelector: `test=${name}` };
}

/** The first `count` events; then the watch is left. Bookmarks other than the end of the initial events do not count. */
async function take(events: AsyncIterable<WatchEvent>, count: number): Promise<WatchEvent[]> {
  const taken: WatchEvent[] = [];
  if (count === 0) return taken;
  for await (const event of events) {
    if (event.type === "BOOKMARK" && !event.initialEventsEnd) continue;
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

function refusal(reason: string, message?: string): object {
  return expect.objectContaining({
    code: "API_STATUS",
    status: expect.objectContaining({ reason, ...(message === undefined ? {} : { message }) }),
  });
}

/** What every `KubeClient` promises. */
export function kubeClientContract(name: string, open: () => Promise<ContractCluster>): void {
  describe(`KubeClient contract: ${name}`, () => {
    let cluster: ContractCluster;
    let client: KubeClient;
    beforeAll(async () => {
      cluster = await open();
      client = cluster.client;
    });
    afterAll(() => cluster[Symbol.asyncDispose]());

    describe("get", () => {
      test("what was created is read back, with what the server has added", async () => {
        const created = await client.create(gadget("get-1", { size: 3, note: "a" }));
        expect(created).toEqual({
          ...gadget("get-1", { size: 3, note: "a" }),
          metadata: {
            name: "get-1",
            namespace: "one",
            uid: expect.any(String),
            resourceVersion: expect.stringMatching(/^[1-9]\d*$/),
            generation: 1,
            creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
            ...(created.metadata.managedFields === undefined ? {} : { managedFields: expect.any(Array) }),
          },
        });
        expect(await client.get(ref(gadgets, "get-1"))).toEqual(created);
      });

      test("an object that is not there is undefined, in a namespace that is there or not", async () => {
        expect(await client.get(ref(gadgets, "missing"))).toBeUndefined();
        expect(await client.get(ref(gadgets, "missing", "no-such-namespace"))).toBeUndefined();
        expect(await client.get(ref(configMaps, "missing"))).toBeUndefined();
        expect(await client.get(ref(regions, "missing", ""))).toBeUndefined();
      });

      test("a kind that is not served rejects: it is not the object that is missing", async () => {
        for (const kind of [
          nowhere,
          { group: "no.such.group", version: "v1", kind: "Gadget" },
          { group: "contract.example", version: "v9", kind: "Gadget" },
          { group: "", version: "v1", kind: "Nowhere" },
        ]) {
          await expect(client.get(ref(kind, "a"))).rejects.toMatchObject({ code: "INVALID_OBJECT" });
          await expect(client.list(kind)).rejects.toMatchObject({ code: "INVALID_OBJECT" });
          await expect(take(client.watch(kind), 1)).rejects.toMatchObject({ code: "INVALID_OBJECT" });
          await expect(client.delete(ref(kind, "a"))).rejects.toMatchObject({ code: "INVALID_OBJECT" });
        }
        await expect(client.create({ ...gadget("a"), kind: "Nowhere" })).rejects.toMatchObject({
          code: "INVALID_OBJECT",
        });
      });

      test("a kind without namespaces has none", async () => {
        const region: KubernetesObject = {
          apiVersion: "contract.example/v1",
          kind: "Region",
          metadata: { name: "north" },
        };
        const created = await client.create(region);
        expect(created.metadata.namespace).toBeUndefined();
        expect(await client.get(ref(regions, "north", ""))).toEqual(created);
        expect((await client.list(regions)).items).toEqual([created]);
        await client.delete(ref(regions, "north", ""));
      });

      test("names that mean something in a URL do not reach what they mean there", async () => {
        await client.create(gadget("url-1"));
        for (const name of ["", ".", "..", "../gadgets/url-1", "url-1/status", "url-1?x=1", "url-1#a", "%75rl-1"]) {
          const outcome = await client.get(ref(gadgets, name)).catch((error: unknown) => error);
          if (outcome !== undefined) expect(outcome, name).toBeInstanceOf(Error);
        }
        await expect(client.delete(ref(gadgets, ""))).rejects.toThrow();
        expect(await client.get(ref(gadgets, "url-1"))).toBeDefined();
      });
    });

    describe("list", () => {
      test("of one namespace, of all, with labels, with fields; always in order of namespace and name", async () => {
        const label = { labels: { test: "list" } };
        await client.create(gadget("list-b", {}, label));
        await client.create(gadget("list-a", {}, { labels: { test: "list", tier: "front" } }));
        await client.create(gadget("list-c", {}, { namespace: "two", ...label }));
        const names = async (options: Parameters<KubeClient["list"]>[1]): Promise<unknown[]> =>
          (await client.list(gadgets, options)).items.map(({ metadata }) => metadata.name);
        expect(await names({ labelSelector: "test=list" })).toEqual(["list-a", "list-b", "list-c"]);
        expect(await names({ namespace: "two", labelSelector: "test=list" })).toEqual(["list-c"]);
        expect(await names({ labelSelector: "test in (list),!tier" })).toEqual(["list-b", "list-c"]);
        expect(await names({ namespace: "one", fieldSelector: "metadata.name=list-b" })).toEqual(["list-b"]);
        expect(await names({ labelSelector: "test=list", fieldSelector: "metadata.namespace!=one" })).toEqual([
          "list-c",
        ]);
        expect(await names({ labelSelector: "test=nobody" })).toEqual([]);
        expect(await names({ namespace: "no-such-namespace" })).toEqual([]);
      });

      test("items are whole objects, as get gives them", async () => {
        await client.create({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "list-1", namespace: "one", labels: { test: "items" } },
          data: { a: "1" },
        });
        const { items, resourceVersion } = await client.list(configMaps, labelled("items"));
        expect(items).toEqual([await client.get(ref(configMaps, "list-1"))]);
        expect(items[0]).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } });
        expect(resourceVersion).toMatch(/^[1-9]\d*$/);
      });

      test("a selector that cannot be read is refused in Kubernetes' words", async () => {
        await expect(client.list(gadgets, { labelSelector: "a=b=c" })).rejects.toThrow(/unable to parse|found '='/);
        await expect(client.list(gadgets, { fieldSelector: "spec.size=1" })).rejects.toEqual(
          refusal("BadRequest", "field label not supported: spec.size"),
        );
        await expect(take(client.watch(gadgets, { fieldSelector: "spec.size=1" }), 1)).rejects.toEqual(
          refusal("BadRequest", "field label not supported: spec.size"),
        );
      });

      test("a thousand objects come whole, and a watch from nothing tells each of them once", async () => {
        const count = 1_000;
        const names = Array.from({ length: count }, (_, index) => `many-${String(index).padStart(4, "0")}`);
        const queue = names.values();
        const worker = async (): Promise<void> => {
          for (const each of queue) await client.create(gadget(each, { size: 1 }, { labels: { test: "many" } }));
        };
        await Promise.all(Array.from({ length: 16 }, worker));
        const { items } = await client.list(gadgets, labelled("many"));
        expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
        const events = await take(client.watch(gadgets, labelled("many")), count);
        expect(events.map((event) => event.type !== "BOOKMARK" && event.object)).toEqual(items);
      });
    });

    describe("create", () => {
      test("a second one of that name is refused", async () => {
        await client.create(gadget("twice"));
        await expect(client.create(gadget("twice"))).rejects.toEqual(
          refusal("AlreadyExists", 'gadgets.contract.example "twice" already exists'),
        );
      });

      test("an object that its schema refuses tells every field", async () => {
        await expect(client.create(gadget("wrong", { size: 0, serial: "x" }))).rejects.toMatchObject({
          code: "API_STATUS",
          status: {
            reason: "Invalid",
            code: 422,
            details: {
              causes: expect.arrayContaining([
                expect.objectContaining({ field: "spec.size" }),
                expect.objectContaining({ field: "spec.serial" }),
              ]),
            },
          },
        });
        expect(await client.get(ref(gadgets, "wrong"))).toBeUndefined();
      });

      test("into a namespace that is not there is refused, and it is the namespace that is not found", async () => {
        await expect(client.create(gadget("lost", {}, { namespace: "no-such-namespace" }))).rejects.toEqual(
          refusal("NotFound", 'namespaces "no-such-namespace" not found'),
        );
      });

      test("with generateName the server completes the name", async () => {
        const { metadata } = gadget("unused");
        const { name: _, ...rest } = metadata;
        const created = await client.create({ ...gadget("unused"), metadata: { ...rest, generateName: "made-" } });
        expect(created.metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
      });

      test("a dry run answers as the real one and stores nothing", async () => {
        const answer = await client.create(gadget("dry-1", { size: 2 }), { dryRun: true });
        expect(answer).toMatchObject({ spec: { size: 2 }, metadata: { uid: expect.any(String) } });
        expect(await client.get(ref(gadgets, "dry-1"))).toBeUndefined();
        await expect(client.create(gadget("dry-1", { size: 0 }), { dryRun: true })).rejects.toEqual(refusal("Invalid"));
      });

      test("the object given is not changed", async () => {
        const given = deepFreeze(gadget("frozen", { list: [{ a: 1 }] }, { labels: { a: "b" } }));
        await client.create(given);
        const stored = await client.get(ref(gadgets, "frozen"));
        await client.update(deepFreeze({ ...(stored as KubernetesObject), spec: { size: 5 } }));
      });
    });

    describe("values", () => {
      test.for([
        ["integers beyond 2^53 keep their digits", '{"serial":9223372036854775807,"list":[-9223372036854775808]}'],
        [
          "__proto__, constructor and toString are ordinary members",
          '{"__proto__":{"a":1},"constructor":2,"toString":"x"}',
        ],
        ["every character", `{"text":${JSON.stringify('ä €😀\u2028\u2029\u0000\u001f\\"/\n\r\t\ufeff\ufffd')}}`],
        ["names of members too", `{${JSON.stringify('é€😀\u2028"')}:1,"":2," ":3}`],
        ["empty, zero, false", '{"a":"","b":0,"c":false,"d":[],"e":{},"f":[[],[{}]]}'],
        ["fractions and exponents", '{"a":0.1,"b":-1.5,"c":1e21,"d":5e-324}'],
        ["a long text", `{"text":"${"ab€".repeat(50_000)}"}`],
      ] as const)("%s", async ([label, text]) => {
        const name = `value-${label.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;
        const spec = parseJson(text) as JsonObject;
        const created = await client.create(gadget(name, spec, { labels: { test: "values" } }));
        expect(created.spec).toEqual(spec);
        const stored = (await client.get(ref(gadgets, name))) as KubernetesObject;
        expect(stored).toEqual(created);
        const selected = { namespace: "one", fieldSelector: `metadata.name=${name}` };
        expect((await client.list(gadgets, selected)).items).toEqual([created]);
        expect(await take(client.watch(gadgets, selected), 1)).toEqual([{ type: "ADDED", object: created }]);
        // Written back as it came it is the same object: nothing is stored.
        expect((await client.update(stored)).metadata.resourceVersion).toBe(created.metadata.resourceVersion);
      });

      test("a ConfigMap may have a key __proto__", async () => {
        const data = parseJson('{"__proto__":"a","b":"1"}') as JsonObject;
        const metadata = { name: "proto", namespace: "one" };
        await client.create({ apiVersion: "v1", kind: "ConfigMap", metadata, data });
        const stored = await client.get(ref(configMaps, "proto"));
        expect(Object.entries(stored?.data as JsonObject)).toEqual([
          ["__proto__", "a"],
          ["b", "1"],
        ]);
      });
    });

    describe("update", () => {
      test("replaces the object", async () => {
        const created = await client.create(gadget("update-1", { size: 1, note: "a" }));
        const updated = await client.update({ ...created, spec: { size: 2 } });
        expect(updated).toMatchObject({ spec: { size: 2 }, metadata: { uid: created.metadata.uid, generation: 2 } });
        expect(updated.spec).toEqual({ size: 2 });
        expect(updated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
        expect(await client.get(ref(gadgets, "update-1"))).toEqual(updated);
      });

      test("a stale resourceVersion is a conflict and changes nothing", async () => {
        const created = await client.create(gadget("update-2", { size: 1 }));
        const updated = await client.update({ ...created, spec: { size: 2 } });
        await expect(client.update({ ...created, spec: { size: 3 } })).rejects.toEqual(
          refusal(
            "Conflict",
            'Operation cannot be fulfilled on gadgets.contract.example "update-2": the object has been modified; ' +
              "please apply your changes to the latest version and try again",
          ),
        );
        expect(await client.get(ref(gadgets, "update-2"))).toEqual(updated);
      });

      test("another uid is another object", async () => {
        const created = await client.create(gadget("update-3"));
        const other = { ...created, metadata: { ...created.metadata, uid: "6f3f2cb1-0000-4000-8000-000000000000" } };
        await expect(client.update(other)).rejects.toEqual(refusal("Conflict"));
      });

      test("what is not there cannot be replaced", async () => {
        const missing = gadget("update-missing", {}, { resourceVersion: "1" });
        await expect(client.update(missing)).rejects.toEqual(
          refusal("NotFound", 'gadgets.contract.example "update-missing" not found'),
        );
      });

      test("a dry run answers as the real one and stores nothing", async () => {
        const created = await client.create(gadget("update-4", { size: 1 }));
        const answer = await client.update({ ...created, spec: { size: 2 } }, { dryRun: true });
        expect(answer.spec).toEqual({ size: 2 });
        expect(await client.get(ref(gadgets, "update-4"))).toEqual(created);
        await expect(client.update({ ...created, spec: { size: 0 } }, { dryRun: true })).rejects.toEqual(
          refusal("Invalid"),
        );
      });
    });

    describe("delete", () => {
      test("undefined when the object is gone; then it is not found", async () => {
        await client.create(gadget("delete-1"));
        expect(await client.delete(ref(gadgets, "delete-1"))).toBeUndefined();
        expect(await client.get(ref(gadgets, "delete-1"))).toBeUndefined();
        await expect(client.delete(ref(gadgets, "delete-1"))).rejects.toEqual(
          refusal("NotFound", 'gadgets.contract.example "delete-1" not found'),
        );
      });

      test("the object, marked, while a finalizer holds it; gone with the last finalizer", async () => {
        await client.create(gadget("delete-2", {}, { finalizers: ["contract.example/hold"] }));
        const held = await client.delete(ref(gadgets, "delete-2"));
        expect(held?.metadata).toMatchObject({
          deletionTimestamp: expect.any(String),
          finalizers: ["contract.example/hold"],
        });
        expect(await client.get(ref(gadgets, "delete-2"))).toEqual(held);
        const { finalizers: _, ...metadata } = (held as KubernetesObject).metadata;
        await client.update({ ...(held as KubernetesObject), metadata });
        expect(await client.get(ref(gadgets, "delete-2"))).toBeUndefined();
      });

      test.for([
        ["uid", { uid: "6f3f2cb1-0000-4000-8000-000000000000" }, /the UID in the precondition/],
        ["resourceVersion", { resourceVersion: "1" }, /the ResourceVersion in the precondition/],
      ] as const)("another %s than the precondition's is a conflict", async ([field, preconditions, message]) => {
        const name = `delete-pre-${field.toLowerCase()}`;
        const created = await client.create(gadget(name));
        const attempt = client.delete(ref(gadgets, name), { preconditions });
        await expect(attempt).rejects.toEqual(refusal("Conflict"));
        await expect(attempt).rejects.toThrow(message);
        expect(await client.get(ref(gadgets, name))).toEqual(created);
        const { uid, resourceVersion } = created.metadata;
        const fitting = field === "uid" ? { uid } : { resourceVersion };
        expect(await client.delete(ref(gadgets, name), { preconditions: fitting })).toBeUndefined();
      });

      test("a dry run answers as the real one and deletes nothing", async () => {
        const created = await client.create(gadget("delete-3"));
        expect(await client.delete(ref(gadgets, "delete-3"), { dryRun: true })).toBeUndefined();
        expect(await client.get(ref(gadgets, "delete-3"))).toEqual(created);
      });

      test("a policy and a grace period are taken", async () => {
        await client.create(gadget("delete-4"));
        await client.delete(ref(gadgets, "delete-4"), { propagationPolicy: "Background", gracePeriodSeconds: 0 });
        expect(await client.get(ref(gadgets, "delete-4"))).toBeUndefined();
      });
    });

    describe("watch", () => {
      const labels = (test: string): JsonObject => ({ labels: { test } });

      test("from the list's version: each later change once, in order", async () => {
        const first = await client.create(gadget("watch-a", { size: 1 }, labels("order")));
        const { resourceVersion } = await client.list(gadgets, labelled("order"));
        const events = take(client.watch(gadgets, { ...labelled("order"), resourceVersion }), 4);
        const second = await client.update({ ...first, spec: { size: 2 } });
        const other = await client.create(gadget("watch-b", {}, labels("order")));
        await client.create(gadget("watch-c", {}, labels("another")));
        await client.delete(ref(gadgets, "watch-a"));
        const last = await client.update({ ...other, spec: { size: 9 } });
        const received = await events;
        expect(told(received)).toEqual(["MODIFIED watch-a", "ADDED watch-b", "DELETED watch-a", "MODIFIED watch-b"]);
        expect(received).toMatchObject([{ object: second }, { object: other }, {}, { object: last }]);
        const versions = received.map(
          (event) => event.type !== "BOOKMARK" && Number(event.object.metadata.resourceVersion),
        );
        expect(versions).toEqual(versions.toSorted((a, b) => Number(a) - Number(b)));
      });

      test("from nothing: the present state first, then changes", async () => {
        await client.create(gadget("start-a", {}, labels("start")));
        await client.create(gadget("start-b", {}, labels("start")));
        const seen: string[] = [];
        for await (const event of client.watch(gadgets, labelled("start"))) {
          if (event.type === "BOOKMARK") continue;
          seen.push(...told([event]));
          if (seen.length === 2) await client.create(gadget("start-c", {}, labels("start")));
          if (seen.length === 3) break;
        }
        expect(seen).toEqual(["ADDED start-a", "ADDED start-b", "ADDED start-c"]);
      });

      test("with sendInitialEvents the present state ends with a bookmark, whatever the version", async () => {
        const created = await client.create(gadget("initial-a", {}, labels("initial")));
        const { resourceVersion } = await client.list(gadgets, labelled("initial"));
        for (const version of [resourceVersion, undefined]) {
          const options = { ...labelled("initial"), resourceVersion: version, sendInitialEvents: true };
          const events = await take(client.watch(gadgets, options), 2);
          expect(events).toEqual([
            { type: "ADDED", object: created },
            { type: "BOOKMARK", resourceVersion: expect.stringMatching(/^\d+$/), initialEventsEnd: true },
          ]);
        }
      });

      test("with sendInitialEvents false the present state is not told", async () => {
        await client.create(gadget("silent-a", {}, labels("silent")));
        const { resourceVersion } = await client.list(gadgets, labelled("silent"));
        const options = { ...labelled("silent"), resourceVersion, sendInitialEvents: false };
        const events = take(client.watch(gadgets, options), 1);
        await client.create(gadget("silent-b", {}, labels("silent")));
        expect(told(await events)).toEqual(["ADDED silent-b"]);
      });

      test("entering a selection is ADDED, leaving it is DELETED", async () => {
        const created = await client.create(gadget("move-a", {}, labels("outside")));
        const { resourceVersion } = await client.list(gadgets, labelled("inside"));
        const events = take(client.watch(gadgets, { ...labelled("inside"), resourceVersion }), 2);
        const inside = await client.update({ ...created, metadata: { ...created.metadata, ...labels("inside") } });
        await client.update({ ...inside, metadata: { ...inside.metadata, ...labels("outside") } });
        expect(told(await events)).toEqual(["ADDED move-a", "DELETED move-a"]);
      });

      test("of one namespace, of all, of one object", async () => {
        const { resourceVersion } = await client.list(gadgets);
        const all = take(client.watch(gadgets, { labelSelector: "test=spread", resourceVersion }), 2);
        const two = take(client.watch(gadgets, { namespace: "two", labelSelector: "test=spread", resourceVersion }), 1);
        const fieldSelector = "metadata.name=spread-a";
        const single = take(client.watch(gadgets, { namespace: "one", fieldSelector, resourceVersion }), 1);
        await client.create(gadget("spread-a", {}, labels("spread")));
        await client.create(gadget("spread-b", {}, { namespace: "two", ...labels("spread") }));
        expect(told(await all)).toEqual(["ADDED spread-a", "ADDED spread-b"]);
        expect(told(await two)).toEqual(["ADDED spread-b"]);
        expect(told(await single)).toEqual(["ADDED spread-a"]);
      });

      test("a dry run sends no event", async () => {
        const { resourceVersion } = await client.list(gadgets);
        const events = take(client.watch(gadgets, { ...labelled("dry"), resourceVersion }), 1);
        await client.create(gadget("watch-dry", {}, labels("dry")), { dryRun: true });
        await client.create(gadget("watch-real", {}, labels("dry")));
        expect(told(await events)).toEqual(["ADDED watch-real"]);
      });

      test("a version that is no longer kept is thrown as Expired", async () => {
        const resourceVersion = cluster.expiredVersion;
        await expect(take(client.watch(gadgets, { resourceVersion }), 1)).rejects.toEqual(refusal("Expired"));
      });

      test("a version that cannot be read is refused", async () => {
        await expect(take(client.watch(gadgets, { resourceVersion: "soon" }), 1)).rejects.toMatchObject({
          code: "API_STATUS",
        });
      });

      test("an abort ends the loop without an error, before it begins and while it waits", async () => {
        const before = new AbortController();
        before.abort();
        expect(await take(client.watch(gadgets, { signal: before.signal }), 1)).toEqual([]);

        const waiting = new AbortController();
        const { resourceVersion } = await client.list(gadgets);
        const events = take(client.watch(gadgets, { resourceVersion, signal: waiting.signal }), 1);
        await client.list(gadgets); // the watch is on its way
        waiting.abort(new Error("enough"));
        expect(await events).toEqual([]);
      });

      test("an abort ends the loop also when further events have come already", async () => {
        await client.create(gadget("abort-a", {}, labels("abort")));
        await client.create(gadget("abort-b", {}, labels("abort")));
        const between = new AbortController();
        const seen: WatchEvent[] = [];
        for await (const event of client.watch(gadgets, { ...labelled("abort"), signal: between.signal })) {
          seen.push(event);
          between.abort();
        }
        expect(told(seen)).toEqual(["ADDED abort-a"]);
      });

      test("what the consumer throws leaves the loop as it is", async () => {
        await client.create(gadget("throw-a", {}, labels("throw")));
        const problem = new Error("mine");
        const loop = async (): Promise<void> => {
          for await (const _ of client.watch(gadgets, labelled("throw"))) throw problem;
        };
        await expect(loop()).rejects.toBe(problem);
      });
    });

    test("an aborted signal rejects with its reason, and nothing is written", async () => {
      const created = await client.create(gadget("abort-1", { size: 1 }));
      const controller = new AbortController();
      const reason = new Error("no longer wanted");
      controller.abort(reason);
      const { signal } = controller;
      await expect(client.list(gadgets, { signal })).rejects.toBe(reason);
      await expect(client.update({ ...created, spec: { size: 2 } }, { signal })).rejects.toBe(reason);
      await expect(client.delete(ref(gadgets, "abort-1"), { signal })).rejects.toBe(reason);
      expect(await client.get(ref(gadgets, "abort-1"))).toEqual(created);
      await expect(client.get(ref(gadgets, "abort-1"), { signal })).rejects.toBe(reason);
      await expect(client.create(gadget("abort-2"), { signal })).rejects.toBe(reason);
      expect(await client.get(ref(gadgets, "abort-2"))).toBeUndefined();
    });
  });
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
