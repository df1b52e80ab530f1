/**
 * Load on a Kubernetes API from a process of its own, so that the server's figures are the server's alone.
 * Reads one task as JSON on standard input, prints the figures as JSON.
 */
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { median } from "./statistics.mjs";

/** @type {{ url: string, ca: string, cert: string, key: string, collection: string, object: object, task: string, [option: string]: unknown }} */
const task = JSON.parse(await text(process.stdin));
const agent = new Agent({
  keepAlive: true,
  ca: task.ca,
  cert: task.cert,
  key: task.key,
  maxSockets: Number.POSITIVE_INFINITY,
});

/** @returns {Promise<{ status: number, bytes: number }>} */
function send(method, path, body, headers = {}) {
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, task.url),
      { method, agent, headers: { "user-agent": "bench", ...headers } },
      (response) => {
        let bytes = 0;
        response.on("data", (chunk) => {
          bytes += chunk.length;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, bytes }));
        response.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function named(name) {
  return { ...task.object, metadata: { ...task.object.metadata, name } };
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function expectStatus(promise, status) {
  const answer = await promise;
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}`);
  return answer;
}

const json = { "content-type": "application/json" };
const asTable = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };

const tasks = {
  /** Creates `count` objects with `clients` at once. */
  async create({ count, clients, prefix }) {
    const latencies = [];
    let next = 0;
    const totalMs = await timed(() =>
      Promise.all(
        Array.from({ length: clients }, async () => {
          while (next < count) {
            const name = `${prefix}${next++}`;
            latencies.push(await timed(() => expectStatus(send("POST", task.collection, named(name), json), 201)));
          }
        }),
      ),
    );
    return { p50: median(latencies), perSecond: (count / totalMs) * 1000 };
  },
  async get({ count, clients, name }) {
    const latencies = [];
    let next = 0;
    const totalMs = await timed(() =>
      Promise.all(
        Array.from({ length: clients }, async () => {
          while (next++ < count) {
            latencies.push(await timed(() => expectStatus(send("GET", `${task.collection}/${name}`), 200)));
          }
        }),
      ),
    );
    return { p50: median(latencies), perSecond: (count / totalMs) * 1000 };
  },
  async list({ count, table }) {
    const latencies = [];
    let bytes = 0;
    for (let i = 0; i < count; i++) {
      latencies.push(
        await timed(async () => {
          ({ bytes } = await expectStatus(send("GET", task.collection, undefined, table ? asTable : {}), 200));
        }),
      );
    }
    return { p50: median(latencies), bytes };
  },
  /** Opens watches from the list's version, then makes changes one by one; each counts until the last watcher has it. */
  async watch({ watchers, changes, name }) {
    const { metadata } = await read(`${task.collection}?limit=1`);
    let received = 0;
    let arrived = () => {};
    const streams = await Promise.all(
      Array.from({ length: watchers }, () =>
        open(`${task.collection}?watch=1&resourceVersion=${metadata.resourceVersion}`, () => {
          received++;
          arrived();
        }),
      ),
    );
    const started = new Promise((resolve) => process.once("SIGUSR2", resolve));
    process.stdout.write("ready\n");
    await started;
    const latencies = [];
    for (let change = 1; change <= changes; change++) {
      latencies.push(
        await timed(async () => {
          const patch = { metadata: { annotations: { change: String(change) } } };
          const type = { "content-type": "application/merge-patch+json" };
          await expectStatus(send("PATCH", `${task.collection}/${name}`, patch, type), 200);
          while (received < change * watchers) {
            await new Promise((resolve) => {
              arrived = resolve;
            });
          }
        }),
      );
    }
    for (const stream of streams) stream.destroy();
    return { p50: median(latencies), received };
  },
};

function read(path) {
  return new Promise((resolve, reject) => {
    request(new URL(path, task.url), { agent }, (response) =>
      text(response).then((body) => resolve(JSON.parse(body)), reject),
    )
      .on("error", reject)
      .end();
  });
}

/** A stream of lines; resolves when the answer has begun. */
function open(path, onLine) {
  return new Promise((resolve, reject) => {
    request(new URL(path, task.url), { agent }, (response) => {
      response.on("data", (chunk) => {
        for (const byte of chunk) if (byte === 10) onLine();
      });
      response.on("error", () => {});
      resolve(response);
    })
      .on("error", reject)
      .end();
  });
}

const result = await tasks[task.task](task);
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);
