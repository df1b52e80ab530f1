import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import * as cdk8s from "cdk8s";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeSource, loadText } from "./load.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";

/** Runs in a thread of its own: this one waits while a URL is loaded. */
const server = `
const { createServer } = require("node:http");
const { parentPort } = require("node:worker_threads");
const { brotliCompressSync, deflateSync, gzipSync } = require("node:zlib");
const text = "a: é\\n".repeat(1000);
const answers = {
  "/text": (response) => response.end(text),
  "/empty": (response) => response.end(),
  "/headers": (response, request) => response.end(JSON.stringify(request.headers)),
  "/gzip": (response) => response.setHeader("content-encoding", "gzip").end(gzipSync(text)),
  "/deflate": (response) => response.setHeader("content-encoding", "deflate").end(deflateSync(text)),
  "/br": (response) => response.setHeader("content-encoding", "br").end(brotliCompressSync(text)),
  "/zstd": (response) => response.setHeader("content-encoding", "zstd").end(text),
  "/cut-gzip": (response) => response.setHeader("content-encoding", "gzip").end(gzipSync(text).subarray(0, 20)),
  "/latin": (response) => response.end(Buffer.from("a: 1\\nb: é\\n", "latin1")),
  "/big": (response) => response.end("a: " + "x".repeat(11 * 1024 * 1024)),
  "/created": (response) => response.writeHead(201).end(text),
  "/missing": (response) => response.writeHead(404).end("no"),
  "/cut": (response) => response.writeHead(200, { "content-length": 1000 }).write("a: 1", () => response.destroy()),
  "/loop": (response) => response.writeHead(302, { location: "/loop" }).end(),
  "/ftp": (response) => response.writeHead(302, { location: "ftp://example.com/x" }).end(),
  "/nowhere": (response) => response.writeHead(302, { location: "http://" }).end(),
  "/unmoved": (response) => response.writeHead(304).end(),
  "/silent": () => {},
};
const listener = createServer((request, response) => {
  const [, count] = /^\\/hops\\/(\\d+)$/.exec(request.url) ?? [];
  if (count === undefined) return (answers[request.url] ?? answers["/missing"])(response, request);
  const location = count === "0" ? "../text" : String(count - 1);
  response.writeHead(count % 2 === 0 ? 301 : 307, { location }).end("moved");
});
listener.listen(0, "127.0.0.1", () => parentPort.postMessage(listener.address().port));
`;
const text = "a: é\n".repeat(1000);

/** What cdk8s says about each of `sources`. A process of its own keeps the stack traces that it prints. */
function refusalsOfCdk8s(sources: readonly string[]): string[] {
  const program = `
    const { Yaml } = require(${JSON.stringify(createRequire(import.meta.url).resolve("cdk8s"))});
    const refusal = (source) => { try { return "read: " + Yaml.load(source); } catch (error) { return error.message; } };
    console.log(JSON.stringify(process.argv.slice(1).map(refusal)));
  `;
  const { stdout } = spawnSync(process.execPath, ["-e", program, ...sources], { encoding: "utf8" });
  return JSON.parse(stdout);
}

let thread: Worker;
let base = "";

beforeAll(async () => {
  thread = new Worker(server, { eval: true });
  const [port] = await once(thread, "message");
  base = `http://127.0.0.1:${port}`;
});

afterAll(async () => {
  await thread.terminate();
});

describe("a URL", () => {
  test.for([
    { path: "/text" },
    { path: "/hops/1" },
    { path: "/hops/20" }, // 21 redirects
    { path: "/gzip" },
    { path: "/deflate" },
    { path: "/br" },
  ])("$path", ({ path }) => {
    expect(loadText(base + path)).toBe(text);
  });

  test("an empty answer", () => {
    expect(loadText(`${base}/empty`)).toBe("");
  });

  test("of more than 10 MiB, which cdk8s does not take", () => {
    expect(loadText(`${base}/big`)).toHaveLength(11 * 1024 * 1024 + 3);
  });

  test("has no headers but those of node, and what it takes", () => {
    const host = base.slice("http://".length);
    expect(JSON.parse(loadText(`${base}/headers`))).toEqual({
      host,
      connection: "close",
      "accept-encoding": "gzip",
    });
    const headers = JSON.parse(loadText(`http://me:p%40ss@${host}/headers`));
    expect(headers.authorization).toBe(`Basic ${btoa("me:p@ss")}`);
  });

  test("is refused in the words of cdk8s", () => {
    const refused = [
      { path: "/missing", words: "http error: Redirected request failed: 404 response from http get: Not Found" },
      { path: "/created", words: "http error: Redirected request failed: 201 response from http get: Created" },
      { path: "/unmoved", words: "http error: Redirected request failed: 304 response from http get: Not Modified" },
      { path: "/loop", words: "http error: Maximum number of redirects exceeded" },
      { path: "/hops/21", words: "http error: Maximum number of redirects exceeded" },
    ].map(({ path, words }) => ({ url: base + path, words }));
    const theirs = refusalsOfCdk8s(refused.map(({ url }) => url));
    for (const [index, { url, words }] of refused.entries()) {
      expect(theirs[index]).toContain(words);
      const message = `${url}: ${words}. Check the URL, and that it can be reached.`;
      expect(() => loadText(url)).toThrow(expect.objectContaining({ code: "READ_FAILED", message }));
    }
  });

  test.for([
    { path: "/cut", words: "http error: aborted" },
    { path: "/cut-gzip", words: "http error: unexpected end of file" },
    { path: "/zstd", words: "http error: the content encoding zstd is not supported" },
    { path: "/ftp", words: 'unsupported protocol "ftp:" in url: ftp://example.com/x' },
    { path: "/nowhere", words: "http error: Invalid URL" },
  ])("$path is refused", ({ path, words }) => {
    expect(() => loadText(base + path)).toThrow(words);
  });

  test("where nobody listens", () => {
    expect(() => loadText("http://127.0.0.1:1/x")).toThrow("http error: connect ECONNREFUSED 127.0.0.1:1");
  });

  test("https is spoken where it is asked for", () => {
    expect(() => loadText(`${base.replace("http:", "https:")}/text`)).toThrow(/http error: .*(?:SSL|EPROTO)/);
  });

  test("a server that sends nothing is left alone after a while", () => {
    expect(() => loadText(`${base}/silent`, { idleTimeoutMs: 500 })).toThrow(
      `${base}/silent: http error: no answer for 0.5 seconds.`,
    );
  });

  test("that is no UTF-8", () => {
    expect(() => loadText(`${base}/latin`)).toThrow(`${base}/latin:2: this is not UTF-8.`);
  });

  test("is shown without its password", () => {
    expect(describeSource("https://me:secret@example.com/a@b:c")).toBe("https://me:***@example.com/a@b:c");
    expect(() => loadText("http://me:secret@127.0.0.1:1/x")).toThrow("http://me:***@127.0.0.1:1/x: http error:");
  });
});

describe("a file", () => {
  test("is read in this process, whatever its size", () => {
    withTemporaryFolder("slipway-load-", (folder) => {
      const path = `${folder}/big.yaml`;
      writeFileSync(path, "a: 1\n");
      truncateSync(path, 11 * 1024 * 1024);
      expect(() => cdk8s.Yaml.load(path)).toThrow("ENOBUFS");
      expect(loadText(path)).toHaveLength(11 * 1024 * 1024);
    });
  });

  test("is found behind symbolic links, where cdk8s finds nothing", () => {
    withTemporaryFolder("slipway-load-", (folder) => {
      writeFileSync(`${folder}/a.yaml`, "a: 1\n");
      symlinkSync("a.yaml", `${folder}/b.yaml`);
      symlinkSync("b.yaml", `${folder}/c.yaml`);
      expect(cdk8s.Yaml.load(`${folder}/c.yaml`)).toEqual([]);
      expect(loadText(`${folder}/c.yaml`)).toBe("a: 1\n");
    });
  });

  test("and a folder is none, where cdk8s reads it as empty", () => {
    withTemporaryFolder("slipway-load-", (folder) => {
      expect(cdk8s.Yaml.load(folder)).toEqual([]);
      expect(() => loadText(folder)).toThrow(`${folder}: this is a folder. Name a file in it.`);
    });
  });

  test("that is no UTF-8", () => {
    withTemporaryFolder("slipway-load-", (folder) => {
      writeFileSync(`${folder}/a.yaml`, Buffer.from("a: 1\nb: é\n", "latin1"));
      expect(() => loadText(`${folder}/a.yaml`)).toThrow(`${folder}/a.yaml:2: this is not UTF-8.`);
    });
  });

  test("that is none is refused in the words of cdk8s", () => {
    const refused = [
      { path: "no/such.yaml", words: "unable to determine protocol from url: no/such.yaml" },
      { path: "ftp://example.com/x", words: 'unsupported protocol "ftp:" in url: ftp://example.com/x' },
      { path: "file:///etc/hosts", words: 'unsupported protocol "file:" in url: file:///etc/hosts' },
    ];
    const theirs = refusalsOfCdk8s(refused.map(({ path }) => path));
    for (const [index, { path, words }] of refused.entries()) {
      expect(theirs[index]).toContain(words);
      expect(() => loadText(path)).toThrow(words);
      expect(() => loadText(path)).toThrow(expect.objectContaining({ code: "READ_FAILED" }));
    }
  });

  test.for([
    { what: "an empty path", path: "" },
    { what: "a path that is too long", path: "x".repeat(5000) },
    { what: "a path with NUL", path: "a\0b" },
  ])("$what is refused", ({ path }) => {
    expect(() => loadText(path)).toThrow(expect.objectContaining({ code: "READ_FAILED" }));
  });

  test("a long URL is none", () => {
    expect(() => loadText(`http://127.0.0.1:1/${"x".repeat(5000)}`)).toThrow("http error: connect ECONNREFUSED");
  });
});
