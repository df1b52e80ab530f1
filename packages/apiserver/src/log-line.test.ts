import { expect, test } from "vitest";
import { errorLogLine, type LogFormat, requestLogLine } from "./log-line.ts";

const time = new Date("2026-11-30T12:27:36.434Z");
const options = (format: LogFormat) => ({ format, time, processId: 1234 });
const entry = {
  verb: "LIST",
  uri: "/api/v1/pods?limit=5",
  latencyMs: 1.234567,
  userAgent: 'kubectl "x"',
  auditId: "a-b",
  sourceAddress: "127.0.0.1:5",
  status: 200,
};

test("a request as klog writes it", () => {
  expect(requestLogLine(entry, options("text"))).toBe(
    'I1130 12:27:36.434000    1234 httplog:0] "HTTP" verb="LIST" URI="/api/v1/pods?limit=5" latency="1.234567ms" ' +
      'userAgent="kubectl \\"x\\"" audit-ID="a-b" srcIP="127.0.0.1:5" resp=200\n',
  );
});

test("a request as JSON", () => {
  const line = requestLogLine(entry, options("json"));
  expect(line.match(/\n/g)).toHaveLength(1);
  expect(JSON.parse(line)).toEqual({
    ts: time.getTime(),
    caller: "httplog:0",
    msg: "HTTP",
    v: 3,
    verb: "LIST",
    URI: "/api/v1/pods?limit=5",
    latency: "1.234567ms",
    userAgent: 'kubectl "x"',
    "audit-ID": "a-b",
    srcIP: "127.0.0.1:5",
    resp: 200,
  });
});

test.for(["text", "json"] as const)("nothing that a client sends ends the line or reaches a terminal: %s", (format) => {
  const line = requestLogLine({ ...entry, userAgent: 'a\nb\u001b[31m\u009bc\u2028d" verb="X' }, options(format));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what must not be there
  expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
  expect(line).toContain("userAgent".concat(format === "json" ? '":"' : '="', 'a\\nb\\u001b[31m\\u009bc\\u2028d\\"'));
});

test("a failure has its stack, in JSON on one line", () => {
  const error = new Error("disk is full");
  expect(errorLogLine("storage", error, options("text"))).toBe(
    `E1130 12:27:36.434000    1234 server:0] "storage" err=${error.stack}\n`,
  );
  const line = errorLogLine("storage", error, options("json"));
  expect(line.match(/\n/g)).toHaveLength(1);
  expect(JSON.parse(line)).toEqual({ ts: time.getTime(), caller: "server:0", msg: "storage", err: error.stack });
});
