import fc from "fast-check";

/** A request before it is one: nothing in it needs to make sense. */
export interface FuzzRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Texts that have made trouble somewhere, and any others. */
const text: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("", " ", "..", ".", "/", "%", "%zz", "%00", "%2F", "\0", "\ud800", "💥", "__proto__", "constructor"),
  fc.constantFrom(
    "0",
    "-1",
    "1",
    "9007199254740993",
    "1e999",
    "NaN",
    "true",
    "false",
    "null",
    "[]",
    "{}",
    "a,b",
    "a=b",
  ),
  fc.constantFrom("x".repeat(64), "x".repeat(254), "x".repeat(5_000), "(".repeat(1_000), "a in (b", "!a", "a notin ()"),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ maxLength: 12 }),
);

/** Mostly what is there, now and then anything. */
const mostly = <T extends string>(...known: readonly T[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: text });

const method = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("HEAD", "OPTIONS", "TRACE", "PROPFIND", "get", "", "constructor", "__proto__"),
  },
);

/** Halves of surrogate pairs cannot be escaped. */
const escaped = (value: string): string => encodeURIComponent(value.replace(/\p{Surrogate}/gu, "\ufffd"));
const segment = fc.oneof({ weight: 5, arbitrary: text.map(escaped) }, { weight: 1, arbitrary: text });

const group = fc.constantFrom("/api/v1", "/apis/example.com/v1");
const plural = fc.constantFrom(
  "widgets",
  "configmaps",
  "secrets",
  "services",
  "events",
  "namespaces",
  "serviceaccounts",
);
const name = fc.constantFrom("a", "b", "default");
const path: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(group, plural, name).map(([g, p, n]) => `${g}/namespaces/default/${p}/${n}`) },
  { weight: 4, arbitrary: fc.tuple(group, plural).map(([g, p]) => `${g}/namespaces/default/${p}`) },
  { weight: 2, arbitrary: fc.tuple(group, plural, name).map(([g, p, n]) => `${g}/${p}/${n}`) },
  { weight: 2, arbitrary: fc.tuple(group, plural).map(([g, p]) => `${g}/${p}`) },
  { weight: 2, arbitrary: fc.tuple(group, plural, segment).map(([g, p, s]) => `${g}/namespaces/default/${p}/a/${s}`) },
  {
    weight: 2,
    arbitrary: fc.array(fc.oneof(segment, plural, name), { maxLength: 8 }).map((parts) => `/${parts.join("/")}`),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        "/",
        "/api",
        "/apis",
        "/apis/example.com",
        "/apis/example.com/v1",
        "/api/v1",
        "/version",
        "/healthz",
        "/livez/ping",
      ],
      ...[
        "/readyz/storage",
        "/openapi/v2",
        "/openapi/v3",
        "/openapi/v3/api/v1",
        "/openapi/v3/apis/example.com/v1",
        "/metrics",
      ],
      ...[
        "/api/v1/watch/namespaces",
        "/apis/example.com/v1/namespaces/default/widgets/a/status",
        "/api/v1/namespaces/a/finalize",
      ],
    ),
  },
);

const parameters = {
  watch: mostly("true", "1", "0", "false", ""),
  limit: mostly("1", "0", "500", "-1"),
  continue: mostly("e30", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhXHUwMDAwIn0"),
  resourceVersion: mostly("0", "1", "2", "999999", ""),
  resourceVersionMatch: mostly("Exact", "NotOlderThan", ""),
  labelSelector: mostly("a=b", "a!=b", "a in (b,c)", "!a", "a"),
  fieldSelector: mostly("metadata.name=a", "metadata.namespace!=default", "spec.type=ClusterIP", "type=Opaque"),
  timeoutSeconds: mostly("0", "1", "-1"),
  sendInitialEvents: mostly("true", "false"),
  allowWatchBookmarks: mostly("true", "false"),
  dryRun: mostly("All", ""),
  fieldManager: mostly("me"),
  fieldValidation: mostly("Strict", "Warn", "Ignore"),
  force: mostly("true", "false"),
  pretty: mostly("true", "false", "1"),
  propagationPolicy: mostly("Orphan", "Background", "Foreground"),
  gracePeriodSeconds: mostly("0", "30", "-1"),
  orphanDependents: mostly("true", "false"),
  timeout: mostly("1s", "0", "-1h", "1m30s"),
  includeObject: mostly("None", "Metadata", "Object"),
  verbose: mostly(""),
  exclude: mostly("ping", "storage"),
  ignoreStoreReadErrorWithClusterBreakingPotential: mostly("true", "false"),
} satisfies Readonly<Record<string, fc.Arbitrary<string>>>;

const parameter: fc.Arbitrary<string> = fc.oneof(
  ...Object.entries(parameters).map(([key, value]) => value.map((chosen) => `${key}=${escaped(chosen)}`)),
  fc.tuple(segment, segment).map(([key, value]) => `${key}=${value}`),
  segment,
);
const query = fc.array(parameter, { maxLength: 4 }).map((parts) => (parts.length === 0 ? "" : `?${parts.join("&")}`));

const media = fc.constantFrom(
  ...[
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "*/*",
    "text/html",
    "application/cbor",
  ],
  ...["application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json"],
  ...["application/apply-patch+yaml", "application/json;as=Table;g=meta.k8s.io;v=v1", "application/json;stream=watch"],
  ...[
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    "application/json; charset=utf-8",
    "multipart/mixed",
  ],
  ...[
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;q=0.1",
    "application/json;q=x",
  ],
);
const headerValue = fc.oneof({ weight: 5, arbitrary: media }, { weight: 1, arbitrary: text });
/** What an HTTP parser lets through: no control characters. */
const clean = (value: string): string => value.replace(/[^\t\x20-\x7e\x80-\xff]/g, "");
const headers: fc.Arbitrary<Record<string, string>> = fc
  .record(
    {
      accept: headerValue,
      "content-type": headerValue,
      "content-encoding": fc.constantFrom("gzip", "identity", "br"),
      "audit-id": text,
      "if-none-match": text,
      "user-agent": text,
      "x-remote-user": text,
      "impersonate-user": text,
      authorization: text,
      expect: fc.constantFrom("100-continue", "other"),
    },
    { requiredKeys: [] },
  )
  .map((record) => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, clean(value)])));

const json = fc.jsonValue({ maxDepth: 4 });
const metadata = fc.record(
  {
    name: fc.oneof(name, text, json),
    generateName: fc.oneof(name, text, json),
    namespace: fc.oneof(fc.constant("default"), json),
    resourceVersion: fc.oneof(fc.constantFrom("", "0", "1", "5"), text, json),
    uid: fc.oneof(text, json),
    labels: fc.oneof(fc.dictionary(text, text, { maxKeys: 2 }), json),
    annotations: fc.oneof(fc.dictionary(text, text, { maxKeys: 2 }), json),
    finalizers: fc.oneof(fc.array(fc.oneof(fc.constant("a/b"), text), { maxLength: 2 }), json),
    ownerReferences: json,
    managedFields: json,
    creationTimestamp: fc.oneof(fc.constantFrom(null, "2026-01-01T00:00:00Z", "soon"), json),
    deletionTimestamp: fc.oneof(fc.constantFrom(null, "2026-01-01T00:00:00Z"), json),
    deletionGracePeriodSeconds: json,
    generation: json,
  },
  { requiredKeys: [] },
);
const object = fc.record(
  {
    apiVersion: fc.oneof(fc.constantFrom("v1", "example.com/v1"), json),
    kind: fc.oneof(
      fc.constantFrom("Widget", "ConfigMap", "Secret", "Service", "Event", "Namespace", "DeleteOptions"),
      json,
    ),
    metadata: fc.oneof({ weight: 6, arbitrary: metadata }, { weight: 1, arbitrary: json }),
    spec: fc.oneof(fc.record({ size: fc.oneof(fc.nat(), json), color: json }, { requiredKeys: [] }), json),
    status: json,
    data: fc.oneof(fc.dictionary(text, text, { maxKeys: 2 }), json),
    stringData: fc.oneof(fc.dictionary(text, text, { maxKeys: 2 }), json),
    type: json,
    preconditions: json,
    propagationPolicy: json,
    gracePeriodSeconds: json,
    dryRun: json,
    $patch: json,
    "$setElementOrder/finalizers": json,
    "$deleteFromPrimitiveList/finalizers": json,
  },
  { requiredKeys: [] },
);
const pointer = fc.oneof(
  fc.constantFrom(
    "",
    "/",
    "/spec",
    "/spec/size",
    "/metadata",
    "/metadata/labels/a~1b",
    "/data/-",
    "/metadata/finalizers/0",
  ),
  text,
);
const patch = fc.array(
  fc.record(
    {
      op: mostly("add", "remove", "replace", "move", "copy", "test"),
      path: fc.oneof(pointer, json),
      from: pointer,
      value: json,
    },
    { requiredKeys: [] },
  ),
  { maxLength: 3 },
);
const encoder = new TextEncoder();
const bytes = (value: string): Uint8Array => encoder.encode(value);
const body: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 8, arbitrary: object.map((value) => bytes(JSON.stringify(value))) },
  { weight: 3, arbitrary: patch.map((value) => bytes(JSON.stringify(value))) },
  { weight: 2, arbitrary: json.map((value) => bytes(JSON.stringify(value))) },
  { weight: 1, arbitrary: text.map(bytes) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
  // The envelope of protobuf, with anything in it.
  {
    weight: 1,
    arbitrary: fc.uint8Array({ maxLength: 60 }).map((rest) => Uint8Array.from([0x6b, 0x38, 0x73, 0, ...rest])),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        ...[
          "",
          "[".repeat(100_000),
          '{"a":'.repeat(20_000),
          "a: &x [*x]",
          "&a [&b [*b]]",
          "--- a\n--- b",
          "a: b\na: c",
          "\ufeff{}",
        ],
        ...[
          '{"kind":"Widget","kind":"Gadget"}',
          '{"a":1e400}',
          '{"a":12345678901234567890}',
          '{"__proto__":{"a":1}}',
          "{} {}",
        ],
        ...[
          "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 0x10}\n",
          "{'a': !!binary '@'}",
        ],
      )
      .map(bytes),
  },
);

const wildRequest: fc.Arbitrary<FuzzRequest> = fc.record({
  method,
  url: fc.tuple(path, query).map(([where, what]) => `${where}${what}`),
  headers,
  body: fc.oneof({ weight: 1, arbitrary: fc.constant(new Uint8Array()) }, { weight: 2, arbitrary: body }),
});

const writableKinds = [
  { prefix: "/apis/example.com/v1", apiVersion: "example.com/v1", kind: "Widget", plural: "widgets" },
  { prefix: "/api/v1", apiVersion: "v1", kind: "ConfigMap", plural: "configmaps" },
  { prefix: "/api/v1", apiVersion: "v1", kind: "Secret", plural: "secrets" },
  { prefix: "/api/v1", apiVersion: "v1", kind: "Service", plural: "services" },
] as const;
const writes = [
  { method: "POST", type: "application/json", isOfOne: false },
  { method: "PUT", type: "application/json", isOfOne: true },
  { method: "PATCH", type: "application/merge-patch+json", isOfOne: true },
  { method: "PATCH", type: "application/strategic-merge-patch+json", isOfOne: true },
] as const;

/** A write that gets as far as the object, in which something may be wrong. */
const writeRequest: fc.Arbitrary<FuzzRequest> = fc
  .record({
    kind: fc.constantFrom(...writableKinds),
    write: fc.constantFrom(...writes),
    name,
    what: fc.oneof({ weight: 3, arbitrary: fc.constant("") }, { weight: 1, arbitrary: query }),
    object,
    metadata,
    keeps: fc.constantFrom("all", "metadata", "object"),
  })
  .map(({ kind, write, name, what, object, metadata, keeps }) => ({
    method: write.method,
    url: `${kind.prefix}/namespaces/default/${kind.plural}${write.isOfOne ? `/${name}` : ""}${what}`,
    headers: { accept: "application/json", "content-type": write.type },
    body: bytes(
      JSON.stringify({
        ...(keeps === "metadata" ? {} : object),
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        metadata: { ...(keeps === "object" ? {} : metadata), name },
      }),
    ),
  }));

/** One request of any kind. */
export const fuzzRequest: fc.Arbitrary<FuzzRequest> = fc.oneof(
  { weight: 3, arbitrary: wildRequest },
  { weight: 2, arbitrary: writeRequest },
);

/** How many cases are tried; `SLIPWAY_FUZZ_RUNS` says another number. */
export const fuzzRuns: number = Number(process.env.SLIPWAY_FUZZ_RUNS ?? "300");
