import { expect, test } from "vitest";
import { includeObjectOf, negotiate, negotiateWatch, plainRepresentation } from "./negotiate.ts";

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

test.for([
  { accept: undefined, as: "Object" },
  { accept: "*/*", as: "Object" },
  { accept: "application/json", as: "Object" },
  { accept: "application/json; charset=utf-8", as: "Object" },
  { accept: "application/vnd.kubernetes.protobuf,application/json", as: "Object" },
  { accept: `${table},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`, as: "Table" },
  { accept: "application/json;as=Unknown;v=v1;g=meta.k8s.io,application/json", as: "Object" },
  { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", as: "PartialObjectMetadata" },
  {
    accept:
      "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    as: "PartialObjectMetadataList",
  },
  { accept: `application/json;q=0.1,${table};q=0.9`, as: "Table" },
  { accept: "application/json;q=0", as: "Object" },
  { accept: "application/json;stream=watch", as: "Object" },
])("Accept: $accept is answered as $as", ({ accept, as }) => {
  expect(negotiate({ accept }, new URLSearchParams()).transform.as).toBe(as);
});

test.for([
  { accept: "application/yaml", format: "yaml" },
  { accept: "application/json;q=0.5, application/yaml;q=0.9", format: "yaml" },
  { accept: "application/yaml, application/json", format: "yaml" },
  { accept: "text/html, */*", format: "json" },
  { accept: "application/yaml;as=Table;v=v1;g=meta.k8s.io", format: "yaml" },
  { accept: "application/yaml;as=Chair;v=v1;g=meta.k8s.io,application/json", format: "json" },
])("Accept: $accept is answered in $format", ({ accept, format }) => {
  expect(negotiate({ accept }, new URLSearchParams()).format).toBe(format);
});

test("a watch in YAML cannot be had, whatever comes after it", () => {
  const types = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
  expect(() => negotiateWatch({ accept: "application/yaml" }, new URLSearchParams())).toThrow(types);
  expect(() => negotiateWatch({ accept: "application/yaml,*/*" }, new URLSearchParams())).toThrow(types);
  expect(negotiateWatch({ accept: "application/yaml;q=0.1,*/*" }, new URLSearchParams()).format).toBe("json");
  expect(() => negotiateWatch({ accept: "text/html" }, new URLSearchParams())).toThrow("application/yaml");
});

test.for([
  { accept: undefined, format: "json" },
  { accept: "", format: "json" },
  { accept: ";;,", format: undefined },
  { accept: "application/yaml", format: "yaml" },
  { accept: "application/json;as=Table;v=v1;g=meta.k8s.io", format: undefined },
  { accept: "application/json;as=Table;v=v1;g=meta.k8s.io, application/yaml", format: "yaml" },
])("what cannot be transformed is for $accept in $format", ({ accept, format }) => {
  expect(plainRepresentation({ accept }, new URLSearchParams())?.format).toBe(format);
});

test.for([
  "text/html",
  "application/json;as=Table;v=v7;g=meta.k8s.io",
  "application/json;as=Table;g=meta.k8s.io",
  "application/json;AS=Table;v=v1;g=meta.k8s.io",
  "application/json;v=v1",
  "application/json;stream=foo",
  "application/yaml;stream=watch",
  "APPLICATION/JSON",
  "application/vnd.kubernetes.protobuf",
])("Accept: %s cannot be served", (accept) => {
  const refusal = "only the following media types are accepted";
  expect(() => negotiate({ accept }, new URLSearchParams())).toThrow(refusal);
  expect(plainRepresentation({ accept }, new URLSearchParams())).toBeUndefined();
});

test("includeObject is checked when a table is shown, not before", () => {
  const query = new URLSearchParams({ includeObject: "Wrong" });
  expect(negotiate({ accept: table }, query).transform).toMatchObject({ includeObject: "Wrong" });
  expect(() => includeObjectOf("Wrong")).toThrow("must be 'Metadata', 'Object', 'None', or empty");
  expect(includeObjectOf("")).toBe("Metadata");
});

test.for([
  { agent: "curl/8.1", query: "", pretty: true },
  { agent: "Mozilla/5.0 (X11)", query: "", pretty: true },
  { agent: "kubectl/v1.36", query: "", pretty: false },
  { agent: "kubectl/v1.36", query: "pretty=true", pretty: true },
  { agent: "curl/8.1", query: "pretty=false", pretty: false },
  { agent: "curl/8.1", query: "pretty=yes", pretty: false },
  { agent: "curl/8.1", query: "pretty=", pretty: true },
  { agent: "kubectl/v1.36", query: "pretty", pretty: false },
])("$agent with ?$query is indented: $pretty", ({ agent, query, pretty }) => {
  expect(negotiate({ "user-agent": agent }, new URLSearchParams(query)).pretty).toBe(pretty);
});
