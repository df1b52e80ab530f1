import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@slipway/deploy/node";
import type { KubeClient, KubernetesObject, WatchEvent } from "@slipway/objects";
import Database from "libsql";
import { afterEach, beforeEach, expect, test } from "vitest";
import { serveBooks } from "../../examples/api-server/books.ts";

const kind = { group: "library.example", version: "v1", kind: "Book" };
const ref = (name: string) => ({ ...kind, namespace: "", name });
const book = (name: string, spec: object, metadata: object = {}): KubernetesObject =>
  ({ apiVersion: "library.example/v1", kind: "Book", metadata: { name, ...metadata }, spec }) as KubernetesObject;

let folder: string;
let path: string;
let server: Awaited<ReturnType<typeof serveBooks>>;
let client: Awaited<ReturnType<typeof connect>>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-books-"));
  path = join(folder, "library.db");
  sql("CREATE TABLE books (isbn TEXT PRIMARY KEY, title TEXT NOT NULL, copies INTEGER NOT NULL DEFAULT 1)");
  sql("INSERT INTO books VALUES ('111', 'One', 3), ('222', 'Two', 1)");
  await start();
});
afterEach(async () => {
  await stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  server = await serveBooks(path, 0, join(folder, "data"));
  client = await connect({ kubeconfig: server.kubeconfig });
}

async function stop(): Promise<void> {
  await client[Symbol.asyncDispose]();
  await server.close();
}

/** Somebody else with the same database. */
function sql(statement: string): unknown[] {
  const database = new Database(path);
  try {
    const prepared = database.prepare(statement);
    if (prepared.reader) return prepared.raw(true).all();
    prepared.run();
    return [];
  } finally {
    database.close();
  }
}

const rows = (): unknown[] => sql("SELECT isbn, title, copies FROM books ORDER BY isbn");
const names = async (): Promise<unknown[]> => (await client.list(kind)).items.map(({ metadata }) => metadata.name);

test("the rows that were there are objects", async () => {
  const { items } = await client.list(kind);
  expect(items).toMatchObject([
    { kind: "Book", metadata: { name: "111", resourceVersion: "1" }, spec: { title: "One", copies: 3 } },
    { kind: "Book", metadata: { name: "222", resourceVersion: "2" }, spec: { title: "Two", copies: 1 } },
  ]);
  expect(await client.get(ref("222"))).toEqual(items[1]);
  expect(await client.get(ref("333"))).toBeUndefined();
  const { items: chosen } = await client.list(kind, { fieldSelector: "metadata.name!=111" });
  expect(chosen).toEqual([items[1]]);
});

test("objects are written to the table", async () => {
  const created = await client.create(book("333", { title: "Three" }));
  expect(created.spec).toEqual({ title: "Three", copies: 1 });
  const updated = await client.update({ ...created, spec: { title: "Three", copies: 9 } });
  expect(updated.metadata.uid).toBe(created.metadata.uid);
  expect(updated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
  await client.delete(ref("111"));
  expect(rows()).toEqual([
    ["222", "Two", 1],
    ["333", "Three", 9],
  ]);
});

test("a row that is made again is another object", async () => {
  const before = await client.get(ref("111"));
  await client.delete(ref("111"));
  const after = await client.create(book("111", { title: "One" }));
  expect(after.metadata.uid).not.toBe(before?.metadata.uid);
});

test.for<[what: string, work: (client: KubeClient) => Promise<unknown>, reason: string]>([
  ["an ISBN that is taken", (client) => client.create(book("111", { title: "Other" })), "AlreadyExists"],
  ["a name that is none", (client) => client.create(book("one", { title: "Other" })), "Invalid"],
  ["a row without a title", (client) => client.create(book("444", { copies: 1 })), "Invalid"],
  ["fewer copies than none", (client) => client.create(book("444", { title: "Four", copies: -1 })), "Invalid"],
  ["an old version", (client) => client.update(book("111", { title: "Other" }, { resourceVersion: "99" })), "Conflict"],
  ["a book that is not there", (client) => client.update(book("444", { title: "Other" })), "NotFound"],
  ["a deletion of what is not there", (client) => client.delete(ref("444")), "NotFound"],
  [
    "a deletion of another life",
    (client) => client.delete(ref("111"), { preconditions: { uid: "other" } }),
    "Conflict",
  ],
  ["a selector of another field", (client) => client.list(kind, { fieldSelector: "spec.title=One" }), "BadRequest"],
])("%s is refused, and nothing is written", async ([, work, reason]) => {
  const before = rows();
  await expect(work(client)).rejects.toMatchObject({ status: { reason } });
  expect(rows()).toEqual(before);
});

test("a dry run writes nothing", async () => {
  expect((await client.create(book("333", { title: "Three" }), { dryRun: true })).spec).toMatchObject({ copies: 1 });
  await client.update(book("111", { title: "Other" }), { dryRun: true });
  await client.delete(ref("222"), { dryRun: true });
  expect(rows()).toEqual([
    ["111", "One", 3],
    ["222", "Two", 1],
  ]);
  expect((await client.list(kind)).resourceVersion).toBe("2");
});

test("a watch sees the changes of everybody, once and in order", async () => {
  const { resourceVersion } = await client.list(kind);
  await client.create(book("333", { title: "Three" }));
  sql("UPDATE books SET copies = 7 WHERE isbn = '333'");
  const seen: string[] = [];
  for await (const event of client.watch(kind, { resourceVersion })) {
    seen.push(describe(event));
    if (seen.length === 2) {
      sql("UPDATE books SET isbn = '444' WHERE isbn = '333'");
      await client.update(book("444", { title: "Four", copies: 7 }));
      await client.update(book("444", { title: "Four", copies: 7 }));
      sql("DELETE FROM books WHERE isbn = '111'");
    }
    if (seen.length === 6) break;
  }
  expect(seen).toEqual([
    'ADDED 333 {"title":"Three","copies":1}',
    'MODIFIED 333 {"title":"Three","copies":7}',
    'DELETED 333 {"title":"Three","copies":7}',
    'ADDED 444 {"title":"Three","copies":7}',
    'MODIFIED 444 {"title":"Four","copies":7}',
    'DELETED 111 {"title":"One","copies":3}',
  ]);
});

test("a watch without a version begins with what is there", async () => {
  const seen: string[] = [];
  for await (const event of client.watch(kind, { sendInitialEvents: true })) {
    seen.push(describe(event));
    if (event.type === "BOOKMARK") break;
  }
  expect(seen).toEqual(['ADDED 111 {"title":"One","copies":3}', 'ADDED 222 {"title":"Two","copies":1}', "BOOKMARK 2"]);
});

function describe(event: WatchEvent): string {
  if (event.type === "BOOKMARK") return `BOOKMARK ${event.resourceVersion}`;
  return `${event.type} ${event.object.metadata.name} ${JSON.stringify(event.object.spec)}`;
}

test("versions go on after a restart, and rows that came meanwhile are there", async () => {
  await client.create(book("333", { title: "Three" }));
  const { resourceVersion } = await client.list(kind);
  await stop();
  sql("INSERT INTO books VALUES ('444', 'Four', 4)");
  sql("UPDATE books SET copies = 0 WHERE isbn = '111'");
  await start();
  const seen: string[] = [];
  for await (const event of client.watch(kind, { resourceVersion })) {
    seen.push(describe(event));
    if (seen.length === 2) break;
  }
  expect(seen).toEqual(['ADDED 444 {"title":"Four","copies":4}', 'MODIFIED 111 {"title":"One","copies":0}']);
  expect(await names()).toEqual(["111", "222", "333", "444"]);
});

test("two who write at once both succeed, or one is told", async () => {
  const at = (copies: number) => client.update(book("222", { title: "Two", copies }));
  await Promise.all([at(5), at(6), at(7)]);
  const present = await client.get(ref("222"));
  const results = await Promise.allSettled(
    [8, 9].map((copies) =>
      client.update({ ...book("222", { title: "Two", copies }), metadata: present?.metadata ?? {} }),
    ),
  );
  expect(results.map(({ status }) => status).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(["fulfilled", "rejected"]);
});
