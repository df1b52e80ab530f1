import { formatJson, type JsonObject, parseJson } from "@slipway/objects";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeEvents, type RawEvent } from "./event-decoder.ts";

const encoder = new TextEncoder();

async function decode(chunks: Iterable<Uint8Array>, maxLineBytes = 1_000_000): Promise<RawEvent[]> {
  const events: RawEvent[] = [];
  for await (const event of decodeEvents(asStream(chunks), { maxLineBytes })) events.push(event);
  return events;
}

async function* asStream(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function decodeText(text: string, maxLineBytes?: number): Promise<RawEvent[]> {
  return decode([encoder.encode(text)], maxLineBytes);
}

/** Cuts `bytes` at the places given, in any order, some of them twice: then a chunk is empty. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
}

test.for([
  ["several lines", '{"type":"A","object":{"a":1}}\n{"type":"B","object":{}}\n', ["A", "B"]],
  ["a line separator of Unicode is an ordinary character", '{"type":"A","object":{"a":"\u2028\u2029\u0085"}}\n', ["A"]],
  ["a carriage return before the end", '{"type":"A","object":{}}\r\n{"type":"B","object":{}}\r\n', ["A", "B"]],
  ["blank lines", '\n \n{"type":"A","object":{}}\n\n', ["A"]],
  ["a whole last line without its end", '{"type":"A","object":{}}\n{"type":"B","object":{}}', ["A", "B"]],
  ["nothing", "", []],
] as const)("%s", async ([, text, types]) => {
  expect((await decodeText(text)).map(({ type }) => type)).toEqual(types);
});

test("integers keep their digits, and __proto__ is a member", async () => {
  const [event] = await decodeText('{"type":"A","object":{"n":9007199254740993,"__proto__":{"x":1}}}\n');
  expect(event?.object.n).toBe(9007199254740993n);
  expect(Object.keys(event?.object ?? {})).toEqual(["n", "__proto__"]);
});

describe("ends with an error:", () => {
  test.for([
    ["a line cut off", '{"type":"A","object":{"a":', /cut off/],
    ["a line that is no JSON", "<html>\n", /cannot be read/],
    ["a line that is no event", '{"kind":"Status"}\n', /no event/],
    ["an object that is none", '{"type":"A","object":[]}\n', /no event/],
    ["a member twice", '{"type":"A","object":{"a":1,"a":2}}\n', /cannot be read/],
  ] as const)("%s", async ([, text, message]) => {
    await expect(decodeText(text)).rejects.toMatchObject({
      code: "READ_FAILED",
      message: expect.stringMatching(message),
    });
  });

  test("bytes that are not UTF-8", async () => {
    const line = encoder.encode('{"type":"A","object":{"a":"x"}}\n');
    line[27] = 0xff;
    await expect(decode([line])).rejects.toThrow(/not UTF-8/);
  });

  test("a line beyond the bound, before it has come whole", async () => {
    const line = '{"type":"A","object":{"a":"€€€€€"}}';
    const bytes = encoder.encode(line).length;
    expect(await decodeText(`${line}\n${line}\n`, bytes)).toHaveLength(2);
    await expect(decodeText(`${line}\n`, bytes - 1)).rejects.toMatchObject({ code: "READ_FAILED" });
    let pulled = 0;
    const endless = (function* (): Generator<Uint8Array> {
      for (;;) {
        pulled += 1;
        yield encoder.encode("x".repeat(100));
      }
    })();
    await expect(decode(endless, 1_000)).rejects.toThrow(/larger than 1000 bytes/);
    expect(pulled).toBe(11);
  });
});

test("however the bytes are cut into chunks, the events are the same", async () => {
  const event = fc.record({
    type: fc.constantFrom("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"),
    object: fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary" })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(event), fc.array(fc.nat()), fc.boolean(), async (events, places, hasLastEnd) => {
      const lines = events.map((each) => formatJson(each as unknown as JsonObject));
      const text = lines.join("\n") + (hasLastEnd ? "\n" : "");
      const expected = lines.map((line) => parseJson(line));
      expect(await decode(cut(encoder.encode(text), places))).toEqual(expected);
    }),
  );
});

test("leaving the loop leaves the chunks", async () => {
  let isLeft = false;
  const chunks = (async function* (): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield encoder.encode('{"type":"A","object":{}}\n');
    } finally {
      isLeft = true;
    }
  })();
  for await (const _ of decodeEvents(chunks, { maxLineBytes: 100 })) break;
  expect(isLeft).toBe(true);
});
