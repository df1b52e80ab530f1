import { startTestCluster, type TestCluster } from "@slipway/apiserver/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { widgetDefinition } from "../clients/definitions.ts";
import { type Answer, objection } from "./documented-answer.ts";
import { type FuzzRequest, fuzzRequest, fuzzRuns } from "./requests.ts";

/** The whole answer; a stream is asked to end as soon as it is there. */
async function send(cluster: TestCluster, { method, url, headers, body }: FuzzRequest): Promise<Answer> {
  const gone = new AbortController();
  const response = await cluster.server.handle({
    method,
    url,
    headers,
    body: (async function* () {
      if (body.length > 0) yield body;
    })(),
    signal: gone.signal,
  });
  const type = String(response.headers["content-type"] ?? "");
  let text = "";
  if (typeof response.body === "string") text = response.body;
  else if (response.body instanceof Uint8Array) text = new TextDecoder().decode(response.body);
  else if (response.body !== undefined) {
    gone.abort();
    for await (const chunk of response.body)
      text += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
  }
  return { status: response.status, type, text };
}

const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" }, spec: { size: 1 } };

test(`${fuzzRuns} times, whatever is asked is answered as documented`, { timeout: 3_600_000 }, async () => {
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(fuzzRequest, { minLength: 1, maxLength: 4 }), async (requests) => {
      await using cluster = await startTestCluster({ definitions: [widgetDefinition] });
      await cluster.request("POST", "/apis/example.com/v1/namespaces/default/widgets", { body: widget });
      for (const request of requests) {
        const answer = await send(cluster, request);
        expect(objection(answer)).toBeUndefined();
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      }
      // It is still there, and knows what it has.
      expect((await cluster.request("GET", "/readyz")).text).toBe("ok");
      expect((await cluster.request("GET", "/apis/example.com/v1/widgets")).status).toBe(200);
    }),
    { numRuns: fuzzRuns },
  );
  // It was not all refused at the door.
  for (const status of [200, 400, 404, 422]) expect([...statuses.keys()]).toContain(status);
});
