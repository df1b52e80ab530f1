import { expect, test } from "vitest";
import { acceptsGzip, compressed } from "./compression.ts";

test.for([
  [undefined, false],
  ["", false],
  ["gzip", true],
  ["gzip, deflate, br", true],
  ["br,gzip", true],
  ["gzip;q=1", false],
  ["x-gzip", false],
  ["GZIP", false],
  ["*", false],
  ["identity", false],
] as const)("Accept-Encoding %s: %s", ([header, accepted]) => {
  expect(acceptsGzip(header)).toBe(accepted);
});

const threshold = 128 * 1024;
const pack = async (): Promise<Uint8Array> => new TextEncoder().encode("packed");
async function* stream(): AsyncGenerator<string> {
  yield "x".repeat(threshold * 2);
}

test.for([
  { rule: "a text of the threshold is not", body: "x".repeat(threshold), isPacked: false },
  { rule: "one byte more is", body: "x".repeat(threshold + 1), isPacked: true },
  { rule: "bytes count, not characters", body: "é".repeat(threshold / 2 + 1), isPacked: true },
  { rule: "a text that might be long, and is not", body: `${"x".repeat(threshold - 2)}é`, isPacked: false },
  { rule: "bytes of the threshold are not", body: new Uint8Array(threshold), isPacked: false },
  { rule: "more bytes are", body: new Uint8Array(threshold + 1), isPacked: true },
  { rule: "a stream never is", body: stream(), isPacked: false },
  { rule: "no body is not", body: undefined, isPacked: false },
])("compressed: $rule", async ({ body, isPacked }) => {
  const response = { status: 200, headers: { "content-type": "application/json" }, body };
  const answer = await compressed(response, pack);
  if (!isPacked) expect(answer).toBe(response);
  else {
    expect(answer).toEqual({
      status: 200,
      headers: { "content-type": "application/json", "content-encoding": "gzip", vary: ["Accept-Encoding"] },
      body: new TextEncoder().encode("packed"),
    });
  }
});

test("a Vary that is there stays", async () => {
  const answer = await compressed({ status: 200, headers: { vary: "Accept" }, body: "x".repeat(threshold + 1) }, pack);
  expect(answer.headers.vary).toEqual(["Accept", "Accept-Encoding"]);
});

test("what is encoded already is left alone", async () => {
  const response = { status: 200, headers: { "content-encoding": "br" }, body: "x".repeat(threshold + 1) };
  expect(await compressed(response, pack)).toBe(response);
});
