import { expect, test } from "vitest";
import { requestInfo } from "./request-info.ts";
import { loggedUri } from "./request-log.ts";

const secrets = "/api/v1/namespaces/a/secrets";

test.for([
  ["/api/v1/pods", "/api/v1/pods"],
  ["/api/v1/pods?", "/api/v1/pods?"],
  ["/api/v1/pods?limit=5&watch", "/api/v1/pods?limit=5&watch"],
  ["/api/v1/pods?labelSelector=a%3Db&continue=xyz", "/api/v1/pods?labelSelector=a%3Db&continue=xyz"],
  ["/api/v1/pods?access_token=abc&limit=1", "/api/v1/pods?access_token=***&limit=1"],
  ["/healthz?verbose=&token=", "/healthz?verbose=&token="],
  [`${secrets}?fieldSelector=type%3Dx&limit=1`, `${secrets}?fieldSelector=***&limit=1`],
  [`${secrets}/s?labelSelector=a&pretty=1`, `${secrets}/s?labelSelector=***&pretty=1`],
  ["/api/v1/pods?limit=5&limit%3D=6&a=b=c", "/api/v1/pods?limit=5&limit%3D=***&a=***"],
] as const)("%s is logged as %s", ([url, logged]) => {
  expect(loggedUri(url, requestInfo("GET", url))).toBe(logged);
});

test("a URL that cannot be read is logged by the same rule", () => {
  expect(loggedUri("/%zz?labelSelector=a&token=b", undefined)).toBe("/%zz?labelSelector=a&token=***");
});
