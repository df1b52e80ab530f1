import { expect, test } from "vitest";
import { requestLabels } from "./metrics.ts";
import { requestInfo } from "./request-info.ts";

const widgets = "/apis/example.com/v1/namespaces/shop/widgets";

test.for([
  ["GET", `${widgets}/a`, "GET resource"],
  ["HEAD", `${widgets}/a`, "GET resource"],
  ["GET", widgets, "LIST namespace"],
  ["HEAD", widgets, "LIST namespace"],
  ["GET", "/apis/example.com/v1/widgets", "LIST cluster"],
  ["GET", `${widgets}?watch=1`, "WATCH namespace"],
  ["GET", "/apis/example.com/v1/watch/widgets", "WATCH cluster"],
  ["POST", widgets, "POST resource"],
  ["POST", `${widgets}?dryRun=All`, "POST resource All"],
  ["POST", `${widgets}?dryRun=All&dryRun=All`, "POST resource All"],
  ["POST", `${widgets}?dryRun=maybe`, "POST resource invalid"],
  ["PUT", `${widgets}/a`, "PUT resource"],
  ["PATCH", `${widgets}/a`, "APPLY resource"],
  ["DELETE", `${widgets}/a`, "DELETE resource"],
  ["DELETE", widgets, "DELETE namespace"],
] as const)("%s %s is counted as %s", ([method, url, expected]) => {
  const labels = requestLabels(method, requestInfo(method, url), "application/apply-patch+yaml", true);
  expect([labels.verb, labels.scope, labels.dryRun].filter((part) => part !== "").join(" ")).toBe(expected);
  expect(labels).toMatchObject({ group: "example.com", version: "v1", resource: "widgets", subresource: "" });
});

test.for([
  ["a patch of another type is a PATCH", "PATCH", `${widgets}/a`, { verb: "PATCH" }],
  ["a subresource is named", "PUT", `${widgets}/a/status`, { subresource: "status" }],
  ["one that nobody knows is not", "GET", `${widgets}/a/4711`, { resource: "widgets", subresource: "" }],
  ["health has its path", "GET", "/readyz?verbose", { verb: "GET", subresource: "/readyz", scope: "", resource: "" }],
  ["a path that nobody serves has none", "GET", "/whatever/4711", { subresource: "" }],
  ["a method that is none is other", "BREW", "/apis", { verb: "other", subresource: "/apis" }],
] as const)("%s", ([, method, url, labels]) => {
  expect(requestLabels(method, requestInfo(method, url), undefined, true)).toMatchObject(labels);
});

test("names of a kind that is not served are the client's choice: they are no labels", () => {
  const info = requestInfo("GET", `${widgets}/a/status`);
  expect(requestLabels("GET", info, undefined, false)).toEqual({
    verb: "GET",
    dryRun: "",
    group: "",
    version: "",
    resource: "",
    subresource: "",
    scope: "resource",
  });
});
