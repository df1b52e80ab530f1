import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { SlipwayError } from "@slipway/objects";

export interface FetchOptions {
  /** Names the URL in errors. */
  readonly source: string;
  /** Give up when nothing comes for this long, in milliseconds. */
  readonly idleTimeoutMs: number;
}

type Answer = { readonly body: Uint8Array } | { readonly error: string };

/** Of a text in memory, which is about what a string can hold. */
const MAX_BYTES = 512 * 1024 * 1024;

/** As many as cdk8s follows. */
const MAX_REDIRECTS = 21;

/**
 * The body that a server answers to a GET, redirects followed and compression undone. Nothing else runs in this thread
 * until it is there: constructs are made synchronously, so another thread has the connection.
 *
 * @throws {SlipwayError} `READ_FAILED` for another status than 200, for trouble of the network, and when nothing comes
 *   for `idleTimeoutMs`.
 */
export function fetchBytes(url: string, { source, idleTimeoutMs }: FetchOptions): Uint8Array {
  const progress = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(fetcher, {
    eval: true,
    execArgv: [], // no loaders or preloads of the program
    workerData: { url, port: port2, progress, maxBytes: MAX_BYTES, maxRedirects: MAX_REDIRECTS },
    transferList: [port2],
  });
  worker.unref();
  worker.on("error", () => {}); // an answer that does not come says enough
  try {
    const answer = waitForAnswer(progress, port1, idleTimeoutMs);
    if ("body" in answer) return answer.body;
    throw new SlipwayError(`${source}: http error: ${answer.error}. Check the URL, and that it can be reached.`, {
      code: "READ_FAILED",
    });
  } finally {
    port1.close();
    void worker.terminate();
  }
}

/** `progress` counts what has come. */
function waitForAnswer(progress: Int32Array, port: MessageChannel["port1"], idleTimeoutMs: number): Answer {
  for (;;) {
    const seen = Atomics.load(progress, 0);
    const received = receiveMessageOnPort(port) as { readonly message: Answer } | undefined;
    if (received !== undefined) return received.message;
    if (Atomics.wait(progress, 0, seen, idleTimeoutMs) === "timed-out") {
      return { error: `no answer for ${idleTimeoutMs / 1000} seconds` };
    }
  }
}

/**
 * What the other thread runs: text, so that it needs no file beside this one, compiled or bundled. The words of errors
 * are those of cdk8s.
 */
const fetcher = `"use strict";
const { workerData: { url, port, progress, maxBytes, maxRedirects } } = require("node:worker_threads");
const clients = { "http:": require("node:http"), "https:": require("node:https") };
const { createBrotliDecompress, createUnzip } = require("node:zlib");
const { pipeline, Writable } = require("node:stream");

const decoders = { br: createBrotliDecompress, deflate: createUnzip, gzip: createUnzip, "x-gzip": createUnzip };

function count() {
  Atomics.add(progress, 0, 1);
  Atomics.notify(progress, 0);
}

function finish(answer) {
  port.postMessage(answer);
  port.close();
  count();
}

function fail(error) {
  const { message, errors = [] } = error;
  finish({ error: message || errors.map((each) => each.message).join("; ") || String(error.code) });
}

function get(target, redirects) {
  const client = clients[target.protocol];
  if (client === undefined) return fail(new Error("Redirected request failed: unsupported protocol \\"" + target.protocol + "\\" in url: " + target.href));
  const request = client.get(target, { agent: false, headers: { "accept-encoding": "gzip" } }, (response) => {
    const { statusCode, statusMessage, headers } = response;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      request.removeListener("error", fail).on("error", () => {});
      response.destroy();
      if (redirects === maxRedirects) return fail(new Error("Maximum number of redirects exceeded"));
      return attempt(() => get(new URL(headers.location, target), redirects + 1));
    }
    if (statusCode !== 200) return fail(new Error("Redirected request failed: " + statusCode + " response from http get: " + statusMessage));
    read(response, headers["content-encoding"]);
  });
  request.on("error", fail);
  request.on("socket", (socket) => socket.on("connect", count));
}

function read(response, encoding = "identity") {
  const createDecoder = decoders[encoding.toLowerCase()];
  if (createDecoder === undefined && encoding !== "identity") {
    return fail(new Error("the content encoding " + encoding + " is not supported"));
  }
  const chunks = [];
  let length = 0;
  const body = new Writable({
    write(chunk, _, done) {
      chunks.push(chunk);
      length += chunk.length;
      done(length > maxBytes ? new Error("more than " + maxBytes + " bytes") : null);
    },
  });
  response.on("data", count);
  const streams = createDecoder === undefined ? [response, body] : [response, createDecoder(), body];
  pipeline(streams, (error) => (error ? fail(error) : finish({ body: Buffer.concat(chunks) })));
}

function attempt(work) {
  try {
    work();
  } catch (error) {
    fail(error);
  }
}

attempt(() => get(new URL(url), 0));
`;
