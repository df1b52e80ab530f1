import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execPath } from "node:process";
import { createInterface } from "node:readline";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import Database from "libsql";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compareKeys } from "../storage/keys.ts";
import type { ObjectStorage, StorageEvent } from "../storage/storage.ts";
import { storageContract } from "../storage/storage-contract.ts";
import { openSqliteStorage } from "./sqlite-storage.ts";

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-sqlite-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const newPath = (): string => join(folder, `${++files}.db`);

storageContract("sqlite", () => openSqliteStorage({ path: newPath() }));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array | undefined): string => new TextDecoder().decode(value);

async function take(events: AsyncIterable<StorageEvent>, count: number): Promise<StorageEvent[]> {
  const taken: StorageEvent[] = [];
  for await (const event of events) if (taken.push(event) === count) break;
  return taken;
}

/** Everything that can be seen of a storage now. */
async function stateOf(storage: ObjectStorage): Promise<unknown> {
  const { items, revision } = await storage.list("");
  return { revision, items: items.map((item) => ({ ...item, value: text(item.value) })) };
}

test("opened again, it goes on at the same revision with the same contents", async () => {
  const path = newPath();
  let before: unknown;
  let newest: number;
  {
    await using storage = await openSqliteStorage({ path });
    const a = await storage.create("/a", bytes("1"));
    await storage.create("/b\u{1f600}", Uint8Array.of(0, 255, 0));
    await storage.update("/a", bytes("2"), a.revision);
    newest = await storage.delete("/b\u{1f600}", a.revision + 1);
    before = await stateOf(storage);
  }
  await using storage = await openSqliteStorage({ path });
  expect(await stateOf(storage)).toEqual(before);
  expect((await storage.create("/c", bytes("1"))).revision).toBe(newest + 1);
});

test("opened again, a watch from an old revision and a list at one are answered", async () => {
  const path = newPath();
  {
    await using storage = await openSqliteStorage({ path });
    const { revision } = await storage.create("/a", bytes("1"));
    await storage.delete("/a", await storage.update("/a", bytes("2"), revision).then((value) => value.revision));
  }
  await using storage = await openSqliteStorage({ path });
  const events = await take(storage.watch("/", { after: 1 }), 2);
  expect(events.map(({ type, revision, previous }) => `${revision} ${type} of ${text(previous)}`)).toEqual([
    "2 put of 1",
    "3 delete of 2",
  ]);
  expect((await storage.list("/", { revision: 1 })).items.map(({ value }) => text(value))).toEqual(["1"]);
});

test("opened again, what was compacted stays refused, and revisions are not used twice", async () => {
  const path = newPath();
  {
    await using storage = await openSqliteStorage({ path });
    const { revision } = await storage.create("/a", bytes("1"));
    await storage.compact(await storage.delete("/a", revision));
  }
  await using storage = await openSqliteStorage({ path });
  expect(await storage.revision()).toBe(2);
  await expect(storage.list("/", { revision: 1 })).rejects.toMatchObject({ reason: "compacted", revision: 2 });
  expect((await storage.create("/a", bytes("2"))).revision).toBe(3);
});

test("after disposal everything is in the one file", async () => {
  const path = newPath();
  await (await openSqliteStorage({ path }))[Symbol.asyncDispose]();
  for (const beside of [`${path}-wal`, `${path}-shm`, `${path}-journal`]) {
    await expect(stat(beside)).rejects.toMatchObject({ code: "ENOENT" });
  }
});

test("a file of a later format is refused and left as it is", async () => {
  const path = newPath();
  await (await openSqliteStorage({ path }))[Symbol.asyncDispose]();
  alter(path, "UPDATE meta SET value = 2 WHERE name = 'format'");
  const before = await readFile(path);
  await expect(openSqliteStorage({ path })).rejects.toMatchObject({
    code: "DATA_FORMAT_TOO_NEW",
    message:
      `${path}: has data format 2, and this version of Slipway reads up to 1. ` +
      "Use the version of Slipway that wrote it or a later one, or another path.",
  });
  expect((await readFile(path)).equals(before)).toBe(true);
});

test("a file without a format is refused", async () => {
  const path = newPath();
  await (await openSqliteStorage({ path }))[Symbol.asyncDispose]();
  alter(path, "DELETE FROM meta WHERE name = 'format'");
  await expect(openSqliteStorage({ path })).rejects.toMatchObject({ code: "STORAGE_FAILED" });
});

function alter(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

test.for([
  { what: "text", make: (path: string) => writeFile(path, "no database. ".repeat(1_000)), says: "SQLITE_NOTADB" },
  {
    what: "another program's database",
    make: async (path: string) => alter(path, "CREATE TABLE meta (name TEXT, value INTEGER)"),
    says: "not a database of Slipway",
  },
])("a file that is $what is refused and left as it is", async ({ make, says }) => {
  const path = newPath();
  await make(path);
  const before = await readFile(path);
  await expect(openSqliteStorage({ path })).rejects.toMatchObject({
    code: "STORAGE_FAILED",
    message: expect.stringMatching(new RegExp(`^${path}: .*${says}.* Use another path, or move the file away`)),
  });
  expect((await readFile(path)).equals(before)).toBe(true);
});

test.for([
  { what: "a folder", path: () => mkdir(join(folder, "folder")).then(() => join(folder, "folder")) },
  { what: "in no folder", path: async () => join(folder, "missing", "x.db") },
])("a path that is $what is refused", async ({ path: make }) => {
  const path = await make();
  await expect(openSqliteStorage({ path })).rejects.toMatchObject({
    code: "STORAGE_FAILED",
    message: expect.stringContaining(`${path}: `),
  });
});

test("a damaged file is refused when it is opened or read, and says so", async () => {
  const path = newPath();
  {
    await using storage = await openSqliteStorage({ path });
    for (let i = 0; i < 50; i++) await storage.create(`/${i}`, bytes("x".repeat(1_000)));
  }
  const content = await readFile(path);
  await writeFile(path, content.fill(0x5a, 4_096 * 3));
  const openAndList = async (): Promise<void> => {
    const storage = await openSqliteStorage({ path });
    await storage.list("");
  };
  await expect(openAndList()).rejects.toMatchObject({
    code: "STORAGE_FAILED",
    message: expect.stringMatching(new RegExp(`^${path}: .*SQLITE_CORRUPT.* Restore the file from a copy`)),
  });
});

test("a file is open once at a time, and free as soon as it is disposed", async () => {
  const path = newPath();
  for (let round = 0; round < 3; round++) {
    await using storage = await openSqliteStorage({ path });
    await storage.create(`/${round}`, bytes("1"));
    await expect(openSqliteStorage({ path })).rejects.toMatchObject({
      code: "STORAGE_FAILED",
      message: expect.stringMatching(/\(SQLITE_BUSY\)\. Another process or storage has it open/),
    });
  }
});

test("what a crash leaves is complete, and again open once at a time", async () => {
  const [path, copy] = [newPath(), newPath()];
  let before: unknown;
  {
    await using storage = await openSqliteStorage({ path });
    for (const key of ["/a", "/b", "/c"]) await storage.create(key, bytes("1"));
    before = await stateOf(storage);
    for (const end of ["", "-wal"]) await copyFile(`${path}${end}`, `${copy}${end}`); // as after a crash at this point
  }
  for (let round = 0; round < 2; round++) {
    await using storage = await openSqliteStorage({ path: copy });
    expect(await stateOf(storage)).toEqual(before);
    await expect(openSqliteStorage({ path: copy })).rejects.toMatchObject({ cause: { code: "SQLITE_BUSY" } });
  }
});

test("writes of one turn share a commit", async () => {
  const path = newPath();
  await using storage = await openSqliteStorage({ path });
  const before = (await stat(`${path}-wal`)).size;
  await Promise.all(Array.from({ length: 100 }, (_, i) => storage.create(`/${i}`, bytes("1"))));
  const grown = (await stat(`${path}-wal`)).size - before;
  expect(grown, "each commit appends at least the page that it changed").toBeLessThan(100 * 4_096);
});

test("20,000 keys are listed in pages, each once and in order", async () => {
  await using storage = await openSqliteStorage({ path: newPath() });
  const keys = Array.from({ length: 20_000 }, (_, i) => `/g/r/ns-${i % 7}/${String(i).padStart(5, "0")}`);
  await Promise.all(keys.map((key) => storage.create(key, bytes(key))));
  const seen: string[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await storage.list("/g/r/", { limit: 1_500, after, revision: 20_000 });
    seen.push(...page.items.map(({ key }) => key));
    expect(page.remaining).toBe(keys.length - seen.length);
    if (!page.more) break;
    after = seen.at(-1);
  }
  expect(seen).toEqual(keys.toSorted(compareKeys));
});

test("the history is as long as asked for, to the revision", async () => {
  await using storage = await openSqliteStorage({ path: newPath(), historySize: 2 });
  for (const key of ["/a", "/b", "/c"]) await storage.create(key, bytes("1"));
  expect((await storage.list("/", { revision: 1 })).items).toHaveLength(1);
  await expect(storage.list("/", { revision: 0 })).rejects.toMatchObject({ reason: "compacted", revision: 1 });
});

test("the file does not grow with the number of changes, only with what it holds", async () => {
  const path = newPath();
  const value = bytes("x".repeat(2_000));
  let present: string[];
  {
    await using storage = await openSqliteStorage({ path, historySize: 100 });
    let { revision } = await storage.create("/hot", value);
    await storage.create("/cold", value);
    for (let i = 0; i < 2_000; i++) {
      revision = (await storage.update("/hot", value, revision)).revision;
      const short = await storage.create(`/short-lived/${i}`, value);
      await storage.delete(short.key, short.revision);
    }
    present = (await storage.list("")).items.map(({ key }) => key);
  }
  expect(present).toEqual(["/cold", "/hot"]);
  expect((await stat(path)).size, "6,000 changes of 2,000 bytes").toBeLessThan(1_500_000);
  const database = new Database(path);
  const [[rows]] = database.prepare("SELECT count(*) FROM revisions").raw().all([]) as unknown as [[number]];
  database.close();
  expect(rows).toBeLessThanOrEqual(100 + 10 + 2);
});

test("a full disk refuses the write, keeps nothing of it, and takes writes again when there is room", async () => {
  const path = newPath();
  await using storage = await openSqliteStorage({ path, maxBytes: 400_000 });
  const value = bytes("x".repeat(10_000));
  const first = await storage.create("/first", bytes("1"));
  const events = storage.watch("/", { after: first.revision })[Symbol.asyncIterator]();
  const nextEvent = events.next();
  const [small, large] = await Promise.allSettled([
    storage.create("/small", bytes("1")),
    storage.create("/large", new Uint8Array(1_000_000)),
  ]);
  for (const outcome of [small, large]) {
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "STORAGE_FAILED" } });
  }
  expect(await stateOf(storage)).toMatchObject({ revision: first.revision, items: [{ key: "/first" }] });

  let { revision } = await storage.create("/hot", value);
  expect((await nextEvent).value, "the first event after the refused writes").toMatchObject({ key: "/hot", revision });
  const filled: string[] = ["/first", "/hot"];
  const fill = async (): Promise<void> => {
    for (;;) {
      const { key, revision: at } = await storage.create(`/more/${filled.length}`, value);
      filled.push(key);
      revision = at;
    }
  };
  await expect(fill()).rejects.toMatchObject({
    code: "STORAGE_FAILED",
    message: expect.stringMatching(new RegExp(`^${path}: .*SQLITE_FULL.* Make room, and write again`)),
    cause: { code: "SQLITE_FULL" },
  });
  expect((await storage.list("")).items.map(({ key }) => key).toSorted(compareKeys)).toEqual(
    filled.toSorted(compareKeys),
  );
  expect(await storage.revision()).toBe(revision);

  const [more, gone] = await Promise.allSettled([
    storage.create("/not", value),
    storage.delete("/first", first.revision),
    storage.create("/nor", value),
  ]);
  expect(more, "in one commit with a deletion").toMatchObject({
    status: "rejected",
    reason: { code: "STORAGE_FAILED" },
  });
  expect(gone).toEqual({ status: "fulfilled", value: revision + 1 });
  const hot = await storage.get("/hot");
  await storage.delete("/hot", hot?.revision ?? 0);
  expect((await storage.create("/again", value)).revision).toBe(revision + 3);
});

test("a full disk costs the history before it costs a write", async () => {
  await using storage = await openSqliteStorage({ path: newPath(), maxBytes: 400_000 });
  const value = bytes("x".repeat(10_000));
  let { revision } = await storage.create("/hot", value);
  const watch = storage.watch("/", { after: revision })[Symbol.asyncIterator]();
  const first = watch.next();
  for (let i = 0; i < 200; i++) revision = (await storage.update("/hot", value, revision)).revision;
  expect(await storage.get("/hot")).toMatchObject({ revision });
  await expect(storage.list("/", { revision: 1 })).rejects.toMatchObject({ reason: "compacted" });
  const seen = [
    (await first).value?.revision,
    ...(await take({ [Symbol.asyncIterator]: () => watch }, 199)).map((event) => event.revision),
  ];
  expect(seen).toEqual(Array.from({ length: 200 }, (_, i) => i + 2));
});

test("a compaction under way when the storage is disposed rejects or finishes, and does no harm", async () => {
  const path = newPath();
  const storage = await openSqliteStorage({ path });
  await Promise.all(Array.from({ length: 1_000 }, (_, i) => storage.create(`/${i}`, bytes("1"))));
  const compaction = storage.compact(1_000);
  await nextTurn();
  await storage[Symbol.asyncDispose]();
  await expect(compaction).rejects.toMatchObject({ code: "STORAGE_FAILED" });
  await using again = await openSqliteStorage({ path });
  expect((await again.list("")).items).toHaveLength(1_000);
});

test.for([
  { writers: 1, after: 40 },
  { writers: 1, after: 400 },
  { writers: 16, after: 400 },
  { writers: 16, after: 4_000 },
])("kill -9 amid $writers writers, after $after writes: all that resolved is there", async ({ writers, after }) => {
  const path = newPath();
  for (let life = 0; life < 2; life++) {
    const { present, deleted, newest } = await writeAndKill(path, writers, after);
    await using storage = await openSqliteStorage({ path, historySize: 100 });
    const stored = new Map((await storage.list("")).items.map((item) => [item.key, item]));
    for (const [key, revision] of present) {
      const item = stored.get(key);
      // Its deletion may have been made and not yet been told of.
      if (item === undefined) expect(await storage.revision(), key).toBeGreaterThan(newest);
      else expect([item.revision, item.value.length]).toEqual([revision, 2_000]);
    }
    for (const key of deleted) expect(stored.has(key), key).toBe(false);
    const surplus = (await storage.revision()) - newest;
    expect(surplus, "each writer had at most one write under way").toBeLessThanOrEqual(writers);
  }
  const database = new Database(path);
  expect(database.prepare("PRAGMA integrity_check").raw().all([])).toEqual([["ok"]]);
  database.close();
});

/** What a process of that many writers was told before it was killed. */
async function writeAndKill(path: string, writers: number, after: number) {
  const script = fileURLToPath(new URL("testdata/keep-writing.mjs", import.meta.url));
  const child = spawn(execPath, [script, path, String(writers)], { stdio: ["ignore", "pipe", "inherit"] });
  const exit = once(child, "exit");
  const present = new Map<string, number>();
  const deleted = new Set<string>();
  let newest = 0;
  let lines = 0;
  for await (const line of createInterface(child.stdout)) {
    const [action, key = "", revision] = line.split(" ");
    newest = Math.max(newest, Number(revision));
    if (action === "created") present.set(key, Number(revision));
    else if (present.delete(key)) deleted.add(key);
    if (++lines === after) child.kill("SIGKILL");
  }
  expect(await exit).toEqual([null, "SIGKILL"]);
  return { present, deleted, newest };
}
