import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createGzip } from "./gzip.ts";

const text = "naïve 日本 ".repeat(50_000);

test("what comes out is read back as what went in, and is shorter", async () => {
  const compress = createGzip();
  for (const body of [text, Buffer.from(text)]) {
    const packed = await compress(body);
    expect(gunzipSync(packed).toString("utf8") === text).toBe(true);
    expect(packed.byteLength).toBeLessThan(text.length / 10);
  }
});

test("the same text is compressed once, also while it still is, and later", async () => {
  const compress = createGzip();
  const [first, second] = await Promise.all([compress(text), compress(`${text.slice(0, -1)} `)]);
  expect(second).toBe(first);
  expect(await compress(text)).toBe(first);
  expect(await compress(`${text}x`)).not.toBe(first);
});

test("the same bytes are compressed once as long as somebody has them", async () => {
  const compress = createGzip({ rememberBytes: 0 });
  const bytes = Buffer.from(text);
  expect(await compress(bytes)).toBe(await compress(bytes));
  expect(await compress(Buffer.from(text))).not.toBe(await compress(bytes));
});

test("no more text is remembered than was granted, the newest first", async () => {
  const [a, b] = ["a", "b"].map((char) => char.repeat(1_000)) as [string, string];
  const compress = createGzip({ rememberBytes: 1_500 });
  const first = await compress(a);
  expect(await compress(a)).toBe(first);
  const second = await compress(b);
  expect(await compress(b)).toBe(second);
  expect(await compress(a)).not.toBe(first);
});

test("what is being compressed is shared, whatever is remembered", async () => {
  const compress = createGzip({ rememberBytes: 0 });
  const [first, second] = await Promise.all([compress(text), compress(text)]);
  expect(second).toBe(first);
  expect(await compress(text)).not.toBe(first);
});
