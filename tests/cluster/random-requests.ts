import type { JsonObject, JsonValue } from "@slipway/objects";
import { type Random, seededRandom } from "../replay/mutations.ts";

/** A kind with what its objects may hold, right and wrong. */
interface Kind {
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly members: (pick: Picker) => JsonObject;
  readonly subresources: readonly string[];
  readonly patchTypes: readonly string[];
}

interface Picker {
  readonly random: Random;
  readonly one: <T>(items: readonly T[]) => T;
  /** Some of the entries, each with this chance. */
  readonly some: (from: Readonly<Record<string, readonly JsonValue[]>>, chance: number) => JsonObject;
  readonly chance: (probability: number) => boolean;
}

const merge = "application/merge-patch+json";
const json = "application/json-patch+json";
const strategic = "application/strategic-merge-patch+json";
const junk = [null, 0, -1, 1.5, "", "x", true, [], {}, ["a", "a"], { a: null }, [null], { unknown: [{ deep: 1 }] }];

/**
 * By name; `rules` are left out, since those are not evaluated. No two of them are refused without a field: which of such
 * problems comes first is not fixed, and they are not told apart.
 */
const widgetSpec: Readonly<Record<string, readonly JsonValue[]>> = {
  size: [0, 7, 100, 101, -1],
  replicas: [0, 3, -1],
  title: ["Hello", "H", "1abc"],
  mode: ["Auto", "Off", "Nope"],
  port: [80, "http", 1.5],
  ratio: [0.5, 0.7, 10],
  note: [null, "n"],
  noteDefault: [null, "n"],
  tags: [["a", "b"], ["a", "b", "a"], []],
  ports: [
    [{ name: "a" }, { name: "b", port: 0 }],
    [{ name: "a" }, { name: "a", protocol: "X" }],
    [{ port: 1, more: 2 }],
  ],
  routes: [
    [{ host: "h" }, { host: "h", path: "/x" }],
    [{ host: "h" }, { host: "h", path: "/" }],
  ],
  attributes: [{ a: "b", c: null }, { a: 1 }, { a: "1", b: "2", c: "3", d: "4", e: "5" }],
  nested: [{}, { enabled: null }, { timeouts: { read: null } }, { deep: { items: [{}, { key: null }] }, more: 1 }],
  template: [{ apiVersion: "v1", kind: "Pod" }, { kind: "" }, { apiVersion: "v1", kind: "Pod", metadata: { no: 1 } }],
  config: [{ a: null, known: { a: "x", b: 2 } }, { known: { a: 1 } }],
  must: [{ first: "a", second: 1 }, { first: 1 }],
  formats: [{ ipv4: "1.2.3" }, { date: "2020-02-30", dateTime: [] }, { duration: "5s", uuid: "x" }, { byte: "" }],
  unknown: [1, { a: 1 }],
  "10": ["numeric"],
};

function kindsIn(namespace: string): readonly Kind[] {
  const custom = (version: string, plural: string): string =>
    `/apis/record.example.dev/${version}/namespaces/${namespace}/${plural}`;
  const gadget: Kind["members"] = ({ some }) => ({
    spec: some({ color: ["red", 1], count: [1, "x", null], shade: ["dark", null] }, 0.5),
    ...some({ status: [{ a: null }, { b: [1] }] }, 0.2),
  });
  const definition = { subresources: ["", "", "/status"], patchTypes: [merge, merge, json] };
  return [
    {
      ...definition,
      path: custom("v1", "widgets"),
      apiVersion: "record.example.dev/v1",
      kind: "Widget",
      members: ({ some, one, chance }) => ({
        spec: { ...some(widgetSpec, 0.12), ...(chance(0.2) ? { [one(Object.keys(widgetSpec))]: one(junk) } : {}) },
        ...some({ status: [{ phase: "P" }, { replicas: "x" }, { conditions: [{ type: "A" }], more: 1 }] }, 0.2),
      }),
      subresources: ["", "", "/status", "/scale"],
    },
    {
      ...definition,
      path: custom("v1", "gadgets"),
      apiVersion: "record.example.dev/v1",
      kind: "Gadget",
      members: gadget,
    },
    {
      ...definition,
      path: custom("v1beta1", "gadgets"),
      apiVersion: "record.example.dev/v1beta1",
      kind: "Gadget",
      members: gadget,
    },
    {
      ...definition,
      path: custom("v1", "blobs"),
      apiVersion: "record.example.dev/v1",
      kind: "Blob",
      members: ({ some }) => some({ spec: junk, x: junk, "9": junk, "10": junk }, 0.5),
      subresources: [""],
    },
    {
      path: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`,
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      members: ({ some }) => ({
        spec: some(
          {
            holderIdentity: ["a", 5],
            leaseDurationSeconds: [15, 0, "15", null],
            renewTime: ["2020-01-01T00:00:00.000001Z", "2020-01-01T00:00:00Z", "noon"],
            more: [1],
          },
          0.3,
        ),
      }),
      subresources: [""],
      patchTypes: [merge, json, strategic],
    },
    {
      path: `/api/v1/namespaces/${namespace}/configmaps`,
      apiVersion: "v1",
      kind: "ConfigMap",
      members: ({ some }) =>
        some(
          { data: [{ a: "1" }, { "?": "x" }, { a: 1 }, null], binaryData: [{ b: "!" }], immutable: [false, "x"] },
          0.4,
        ),
      subresources: [""],
      patchTypes: [merge, json, strategic],
    },
  ];
}

const pointers = [
  "/spec/size",
  "/spec/tags/-",
  "/spec/tags/0",
  "/metadata/labels/l",
  "/spec",
  "/more",
  "/metadata/name",
];
const representations = [
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
  "*/*",
];

/**
 * A sequence of random requests, as lines of a recording of which only what is sent counts. The same seed gives the same
 * lines. The first creates the namespace.
 */
export function randomSequence(name: string, seed: string, length: number): string[] {
  const namespace = `rec-${name}`;
  const pick = picker(seededRandom(seed));
  const kinds = kindsIn(namespace);
  const lines = [
    { setup: true, request: { method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } } },
  ];
  const steps = Array.from({ length }, () => ({
    request: randomRequest(pick, pick.one([...kinds, ...kinds.slice(0, 2)])),
  }));
  return [...lines, ...steps].map(({ request, ...step }, index) => {
    const id = `${name}-${String(index).padStart(3, "0")}`;
    const type = "body" in request ? { "Content-Type": "application/json" } : {};
    const headers = { "User-Agent": "record/1", ...type, ...("headers" in request ? request.headers : {}) };
    const about = `${request.method} ${request.path}`;
    return JSON.stringify({ id, about, ...step, request: { ...request, headers }, response: { status: 0 } });
  });
}

function picker(random: Random): Picker {
  const one = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const chance = (probability: number): boolean => random() < probability;
  const some: Picker["some"] = (from, probability) =>
    Object.fromEntries(
      Object.entries(from)
        .filter(() => chance(probability))
        .map(([name, values]) => [name, one(values)]),
    );
  return { random, one, some, chance };
}

interface RandomRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonValue;
}

function randomRequest(pick: Picker, kind: Kind): RandomRequest {
  const { one, chance } = pick;
  const name = one(["a", "b", "c"]);
  const headers = chance(0.3) ? { Accept: one(representations) } : {};
  switch (one(["create", "create", "create", "update", "patch", "patch", "patch", "delete", "get", "list"])) {
    case "create": {
      const body = randomObject(pick, kind, one([name, name, name, name, "Bad", ""]));
      return { method: "POST", path: kind.path + writeQuery(pick), headers, body };
    }
    case "update":
      return {
        method: "PUT",
        path: `${kind.path}/${name}${one(kind.subresources).replace("/scale", "")}${writeQuery(pick)}`,
        headers,
        body: randomObject(pick, kind, name, one([{}, { resourceVersion: "1" }])),
      };
    case "patch":
      return randomPatch(pick, kind, name, headers);
    case "delete": {
      const body = one([
        undefined,
        { gracePeriodSeconds: 1 },
        { propagationPolicy: "Now" },
        { preconditions: { uid: "x" } },
      ]);
      return { method: "DELETE", path: `${kind.path}/${name}`, headers, ...(body === undefined ? {} : { body }) };
    }
    case "get":
      return { method: "GET", path: `${kind.path}/${name}${one([...kind.subresources, "/none"])}`, headers };
    default:
      return { method: "GET", path: kind.path + listQuery(pick, kind), headers };
  }
}

function randomObject(pick: Picker, kind: Kind, name: string, metadata: JsonObject = {}): JsonObject {
  const { one, some, chance } = pick;
  const more = some(
    {
      labels: [{ l: "1" }, { l: "2", app: "x" }, { "a b": "-" }, { l: null }, { l: 1 }, null],
      annotations: [{ "a/b": "<c>" }, { "?": "d" }],
      finalizers: [["a.example/b"], ["bad name"], []],
      ownerReferences: [[{}], "x"],
      generation: [5, "x"],
      more: [1],
    },
    0.12,
  );
  // A rule of widgets asks for their name, and whose kind is another is not spared that.
  const type = name !== "" && chance(0.05) ? one([{}, { kind: "Zone" }, { apiVersion: "v1", kind: kind.kind }]) : {};
  const isWhole = Object.keys(type).length > 0 || chance(0.97);
  const known = isWhole ? { apiVersion: kind.apiVersion, kind: kind.kind } : {};
  return {
    ...known,
    ...type,
    metadata: { ...(name === "" ? {} : { name }), ...metadata, ...more },
    ...kind.members(pick),
  };
}

function randomPatch(pick: Picker, kind: Kind, name: string, headers: RandomRequest["headers"]): RandomRequest {
  const { one, chance } = pick;
  const type = one(kind.patchTypes);
  // What a JSON patch of a status reaches elsewhere changes who owns fields, and with it the version of the object.
  const subresource = type === json ? "" : one(kind.subresources);
  const path = `${kind.path}/${name}${subresource}${writeQuery(pick)}`;
  return { method: "PATCH", path, headers: { ...headers, "Content-Type": type }, body: patchBody() };

  function patchBody(): JsonValue {
    if (type === json) return [randomOperation(pick)];
    if (subresource === "/scale") return { spec: { replicas: one([1, 5, -1, null, "x"]) } };
    const { status = { phase: "Q" }, ...members } = kind.members(pick);
    if (subresource === "/status") return { status };
    // Nothing that is refused: problems of metadata are told more than once beside others, whose order is not fixed.
    const labels = one<JsonValue>([{ l: "1" }, { l: "2" }, null]);
    return { ...members, ...(chance(0.3) ? { metadata: { labels } } : {}) };
  }
}

function randomOperation({ one, chance }: Picker): JsonObject {
  const op = one(["add", "add", "replace", "remove", "test", "copy", "nope"]);
  return {
    op,
    path: one(pointers),
    ...(op === "copy" ? { from: one(pointers) } : {}),
    ...(op === "remove" || chance(0.1) ? {} : { value: one([5, "x", { l: "1" }, null]) }),
  };
}

function writeQuery({ one, chance }: Picker): string {
  if (!chance(0.4)) return "";
  const validation = ["Strict", "Warn", "Ignore", "Other"].map((value) => `fieldValidation=${value}`);
  return `?${one([...validation, "dryRun=All", "dryRun=Some", "fieldManager=%07", "pretty=true"])}`;
}

/** ConfigMaps that the cluster makes itself are left out. */
function listQuery({ one }: Picker, { kind }: Kind): string {
  if (kind === "ConfigMap") return "?labelSelector=l";
  const selectors = ["l=1", "l!=1", "l in (1,2)", "!l", "a b"].map(
    (text) => `labelSelector=${encodeURIComponent(text)}`,
  );
  const fields = ["metadata.name=a", "spec.mode=Auto", "none=x"].map(
    (text) => `fieldSelector=${encodeURIComponent(text)}`,
  );
  return one([
    "",
    "",
    ...["limit=1", "limit=x", "resourceVersion=x", ...selectors, ...fields].map((text) => `?${text}`),
  ]);
}
