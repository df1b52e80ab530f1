import { expect, test } from "vitest";
import { booleanParameter, requestInfo } from "./request-info.ts";

test.for([
  {
    rule: "a collection GET is a list",
    method: "GET",
    url: "/apis/apps/v1/deployments",
    verb: "list",
    resource: "deployments",
    group: "apps",
  },
  {
    rule: "a named GET is a get",
    method: "GET",
    url: "/apis/apps/v1/namespaces/a/deployments/b",
    verb: "get",
    resource: "deployments",
    namespace: "a",
    name: "b",
    group: "apps",
  },
  {
    rule: "watch=1 turns a list into a watch",
    method: "GET",
    url: "/api/v1/pods?watch=1",
    verb: "watch",
    resource: "pods",
  },
  {
    rule: "watch without a value is a watch",
    method: "GET",
    url: "/api/v1/pods?watch",
    verb: "watch",
    resource: "pods",
  },
  { rule: "watch=0 leaves it a list", method: "GET", url: "/api/v1/pods?watch=0", verb: "list", resource: "pods" },
  {
    rule: "watch=FALSE leaves it a list",
    method: "GET",
    url: "/api/v1/pods?watch=FALSE",
    verb: "list",
    resource: "pods",
  },
  {
    rule: "watch on one object is ignored",
    method: "GET",
    url: "/api/v1/namespaces/a/pods/b?watch=1",
    verb: "get",
    resource: "pods",
    namespace: "a",
    name: "b",
  },
  {
    rule: "the old watch prefix is a watch",
    method: "GET",
    url: "/api/v1/watch/namespaces/a/pods",
    verb: "watch",
    resource: "pods",
    namespace: "a",
  },
  {
    rule: "HEAD reads like GET",
    method: "HEAD",
    url: "/api/v1/namespaces/a/pods/b",
    verb: "get",
    resource: "pods",
    namespace: "a",
    name: "b",
  },
  {
    rule: "DELETE on a collection",
    method: "DELETE",
    url: "/api/v1/nodes",
    verb: "deletecollection",
    resource: "nodes",
  },
  { rule: "DELETE of one", method: "DELETE", url: "/api/v1/nodes/x", verb: "delete", resource: "nodes", name: "x" },
  { rule: "POST creates", method: "POST", url: "/api/v1/namespaces", verb: "create", resource: "namespaces" },
  {
    rule: "PUT updates",
    method: "PUT",
    url: "/api/v1/namespaces/x",
    verb: "update",
    resource: "namespaces",
    namespace: "x",
    name: "x",
  },
  {
    rule: "PATCH patches",
    method: "PATCH",
    url: "/apis/g/v1/things/x",
    verb: "patch",
    resource: "things",
    name: "x",
    group: "g",
  },
  {
    rule: "a third part is the subresource",
    method: "GET",
    url: "/apis/g/v1/namespaces/n/things/x/status",
    verb: "get",
    resource: "things",
    namespace: "n",
    name: "x",
    subresource: "status",
    group: "g",
  },
  {
    rule: "a namespace has subresources of its own",
    method: "PUT",
    url: "/api/v1/namespaces/x/finalize",
    verb: "update",
    resource: "namespaces",
    namespace: "x",
    name: "x",
    subresource: "finalize",
  },
  {
    rule: "percent-encoding is decoded before the path is cut",
    method: "GET",
    url: "/api/v1/namespaces/a%2Fpods",
    verb: "list",
    resource: "pods",
    namespace: "a",
  },
])("$rule", ({ method, url, ...expected }) => {
  const info = requestInfo(method, url);
  expect(info).toMatchObject({
    isResource: true,
    verb: expected.verb,
    resource: expected.resource,
    apiGroup: expected.group ?? "",
    namespace: expected.namespace ?? "",
    name: expected.name ?? "",
    subresource: expected.subresource ?? "",
  });
});

test.for(["/", "/api", "/apis", "/apis/apps", "/apis/apps/v1", "/version", "/openapi/v3/apis/apps/v1", "/healthz"])(
  "%s is no resource",
  (url) => {
    expect(requestInfo("GET", url)).toMatchObject({ isResource: false, verb: "get", path: url });
  },
);

test("a path that is no valid percent-encoding is a bad request", () => {
  expect(() => requestInfo("GET", "/api/v1/%zz")).toThrow("invalid URL escape");
});

test.for([
  ["", true],
  ["1", true],
  ["no", true],
  ["0", false],
  ["false", false],
  ["False", false],
] as const)("a boolean parameter of %j is %s", ([value, expected]) => {
  expect(booleanParameter(new URLSearchParams({ x: value }), "x")).toBe(expected);
  expect(booleanParameter(new URLSearchParams(), "x")).toBe(false);
});
