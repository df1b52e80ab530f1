// biome-ignore lint/correctness/noUndeclaredDependencies: whoever runs the contract has it, see below
import fc from "fast-check";
// biome-ignore lint/correctness/noUndeclaredDependencies: likewise
import { describe, expect, test } from "vitest";
import type { ObjectStorage, StorageEvent, StorageList, StorageListOptions, StoredValue } from "./storage.ts";

/**
 * What every storage promises, as tests: `storageContract("mine", () => openMine())`.
 *
 * `open` gives an empty storage with the default sizes of history and watch buffer, each time another one. Imports
 * vitest and fast-check, which the caller has to have.
 */
export function storageContract(name: string, open: () => Promise<ObjectStorage>): void {
  describe(`storage contract: ${name}`, () => {
    describe("revisions", () => revisions(open));
    describe("values", () => values(open));
    describe("create", () => creates(open));
    describe("update and delete", () => updatesAndDeletes(open));
    describe("list", () => lists(open));
    describe("list at a revision", () => listsAtRevision(open));
    describe("compact", () => compaction(open));
    describe("watch", () => watches(open));
    describe("follow", () => following(open));
    describe("dispose", () => disposal(open));
    describe("many at once", () => concurrency(open));
  });
}

type Open = () => Promise<ObjectStorage>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const bytes = (text: string): Uint8Array => encoder.encode(text);
const text = (value: Uint8Array): string => decoder.decode(value);

const keysOf = (list: StorageList): string[] => list.items.map(({ key }) => key);

/** `key=value` of each item, in order. */
const contents = (list: StorageList): string[] => list.items.map(({ key, value }) => `${key}=${text(value)}`);

/** As people read it: `put /a: old -> new`. */
function describeEvent(event: StorageEvent): string {
  if (event.type === "delete") return `delete ${event.key}: ${text(event.previous)}`;
  const before = event.previous === undefined ? "" : `${text(event.previous)} -> `;
  return `put ${event.key}: ${before}${text(event.value)}`;
}

/** The next `count` events, without ending the iteration. */
async function take(events: AsyncIterator<StorageEvent>, count: number): Promise<StorageEvent[]> {
  const taken: StorageEvent[] = [];
  while (taken.length < count) {
    const result = await events.next();
    if (result.done) throw new Error(`the watch ended after ${taken.length} of ${count} events`);
    taken.push(result.value);
  }
  return taken;
}

function startWatch(storage: ObjectStorage, prefix: string, after: number): AsyncIterator<StorageEvent> {
  return storage.watch(prefix, { after })[Symbol.asyncIterator]();
}

async function createAll(storage: ObjectStorage, keys: readonly string[]): Promise<StoredValue[]> {
  const created: StoredValue[] = [];
  for (const key of keys) created.push(await storage.create(key, bytes(key)));
  return created;
}

async function refusal(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => "nothing was refused",
    (error: unknown) => error,
  );
}

function following(open: Open): void {
  test("the listener has each change before the write resolves, and only those of its prefix", async () => {
    await using storage = await open();
    await storage.create("/a/before", bytes("1"));
    const seen: string[] = [];
    const handle = storage.follow("/a/", (event) => seen.push(describeEvent(event)));
    expect(handle.revision).toBe(1);
    const { revision } = await storage.create("/a/x", bytes("1"));
    expect(seen).toEqual(["put /a/x: 1"]);
    await storage.create("/ab/y", bytes("1"));
    await storage.update("/a/x", bytes("2"), revision);
    await storage.delete("/a/before", 1);
    expect(seen).toEqual(["put /a/x: 1", "put /a/x: 1 -> 2", "delete /a/before: 1"]);
    expect(handle.revision).toBe(5);
    handle.end();
    await storage.create("/a/late", bytes("1"));
    expect(seen).toHaveLength(3);
  });

  test("a list at the revision where following began, and what followed, are the present state", async () => {
    await using storage = await open();
    const writes = Array.from({ length: 40 }, (_, i) => storage.create(`/k/${i}`, bytes("1")));
    await writes[10];
    const state = new Map<string, number>();
    const events: StorageEvent[] = [];
    const handle = storage.follow("/k/", (event) => events.push(event));
    const start = handle.revision;
    await Promise.all(writes);
    for (const { key, revision } of (await storage.list("/k/", { revision: start })).items) state.set(key, revision);
    for (const event of events) state.set(event.key, event.revision);
    const present = (await storage.list("/k/")).items.map(({ key, revision }) => [key, revision] as const);
    expect(new Map(present)).toEqual(state);
    handle.end();
  });
}

function revisions(open: Open): void {
  test("an empty storage is at revision 0", async () => {
    await using storage = await open();
    expect(await storage.revision()).toBe(0);
    expect(await storage.list("")).toEqual({ items: [], revision: 0, more: false, remaining: 0 });
  });

  test("every change of any key has a higher revision than the change before, deletions included", async () => {
    await using storage = await open();
    const seen = [0];
    const a = await storage.create("/a", bytes("1"));
    seen.push(a.revision);
    seen.push((await storage.create("/b", bytes("1"))).revision);
    seen.push((await storage.update("/a", bytes("2"), a.revision)).revision);
    seen.push(await storage.delete("/b", seen[2] as number));
    seen.push((await storage.create("/b", bytes("2"))).revision);
    expect(seen).toEqual([...new Set(seen)].toSorted((x, y) => x - y));
    expect(await storage.revision()).toBe(seen.at(-1));
  });

  test("a refused write takes no revision", async () => {
    await using storage = await open();
    const { revision } = await storage.create("/a", bytes("1"));
    await refusal(storage.create("/a", bytes("2")));
    await refusal(storage.update("/a", bytes("2"), revision + 7));
    await refusal(storage.delete("/b", revision));
    expect(await storage.revision()).toBe(revision);
  });

  test("an update that changes nothing is a change", async () => {
    await using storage = await open();
    const first = await storage.create("/a", bytes("same"));
    const second = await storage.update("/a", bytes("same"), first.revision);
    expect(second.revision).toBeGreaterThan(first.revision);
  });
}

function values(open: Open): void {
  test.for([
    { what: "no bytes at all", value: new Uint8Array(0) },
    { what: "NUL bytes", value: Uint8Array.of(0, 1, 0, 0) },
    { what: "every byte", value: Uint8Array.from({ length: 256 }, (_, i) => i) },
    { what: "the bytes of a lone surrogate, which are not UTF-8", value: Uint8Array.of(0xed, 0xa0, 0x80) },
    { what: "a part of a larger buffer", value: Uint8Array.of(9, 9, 1, 2, 9).subarray(2, 4) },
    { what: "more bytes than a page of a database", value: new Uint8Array(20_000).fill(7) },
  ])("$what: as they were, from get, list and watch", async ({ value }) => {
    await using storage = await open();
    const { revision } = await storage.create("/a", value);
    const plain = [...value];
    expect([...((await storage.get("/a"))?.value ?? [])]).toEqual(plain);
    expect([...((await storage.list("/")).items[0]?.value ?? [])]).toEqual(plain);
    await storage.delete("/a", revision);
    const [put, deletion] = await take(startWatch(storage, "/", 0), 2);
    expect(put?.type === "put" && [...put.value]).toEqual(plain);
    expect([...(deletion?.previous ?? [])]).toEqual(plain);
  });

  test("a value is a plain Uint8Array, whose slice is a copy", async () => {
    await using storage = await open();
    await storage.create("/a", bytes("1"));
    expect(Object.getPrototypeOf((await storage.get("/a"))?.value)).toBe(Uint8Array.prototype);
    expect(Object.getPrototypeOf((await storage.list("/")).items[0]?.value)).toBe(Uint8Array.prototype);
  });

  test("a key that does not exist has no value", async () => {
    await using storage = await open();
    await storage.create("/a/b", bytes("1"));
    expect(await storage.get("/a")).toBeUndefined();
    expect(await storage.get("/a/")).toBeUndefined();
    expect(await storage.get("/a/b\0")).toBeUndefined();
  });
}

function creates(open: Open): void {
  test("what create resolves to is what get finds", async () => {
    await using storage = await open();
    const created = await storage.create("/a", bytes("1"));
    expect(created).toEqual({ key: "/a", revision: await storage.revision(), value: bytes("1") });
    expect(await storage.get("/a")).toEqual(created);
  });

  test("a key that exists is refused and stays as it is", async () => {
    await using storage = await open();
    const created = await storage.create("/a", bytes("1"));
    await expect(storage.create("/a", bytes("2"))).rejects.toMatchObject({
      name: "StorageError",
      reason: "exists",
      revision: created.revision,
    });
    expect(await storage.get("/a")).toEqual(created);
  });

  test("a deleted key can be created again, and its first life is not seen", async () => {
    await using storage = await open();
    const first = await storage.create("/a", bytes("1"));
    await storage.delete("/a", first.revision);
    const second = await storage.create("/a", bytes("2"));
    expect(await storage.get("/a")).toEqual(second);
    await expect(storage.update("/a", bytes("3"), first.revision)).rejects.toMatchObject({ reason: "conflict" });
  });

  test.for([
    { what: "NUL, which databases cut text at", key: "/a\0b" },
    { what: "a lone high surrogate, which UTF-8 does not have", key: "/\ud800" },
    { what: "a lone low surrogate", key: "/\udc00x" },
  ])("a key with $what is refused, and no other key is meant by it", async ({ key }) => {
    await using storage = await open();
    await createAll(storage, ["/a", "/\ufffd", "/\ufffdx"]);
    await expect(storage.create(key, bytes("1"))).rejects.toThrow(TypeError);
    expect(await storage.get(key)).toBeUndefined();
    await expect(storage.delete(key, 1)).rejects.toMatchObject({ reason: "missing" });
  });

  test("of two creates of one key at once, one is refused", async () => {
    await using storage = await open();
    const outcomes = await Promise.allSettled([storage.create("/a", bytes("1")), storage.create("/a", bytes("2"))]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(text((await storage.get("/a"))?.value ?? bytes(""))).toBe("1");
  });
}

function updatesAndDeletes(open: Open): void {
  const writes = [
    { verb: "update", write: (storage: ObjectStorage, expected: number) => storage.update("/a", bytes("2"), expected) },
    { verb: "delete", write: (storage: ObjectStorage, expected: number) => storage.delete("/a", expected) },
  ];

  test.for(writes)("$verb of a key that never existed is refused as missing", async ({ write }) => {
    await using storage = await open();
    await storage.create("/b", bytes("1"));
    await expect(write(storage, 1)).rejects.toMatchObject({ name: "StorageError", reason: "missing" });
  });

  test.for(writes)("$verb of a deleted key is refused as missing", async ({ write }) => {
    await using storage = await open();
    const { revision } = await storage.create("/a", bytes("1"));
    const deletion = await storage.delete("/a", revision);
    await expect(write(storage, revision)).rejects.toMatchObject({ reason: "missing" });
    await expect(write(storage, deletion)).rejects.toMatchObject({ reason: "missing" });
  });

  test.for(writes)(
    "$verb with another revision than the present one is a conflict and changes nothing",
    async ({ write }) => {
      await using storage = await open();
      const first = await storage.create("/a", bytes("1"));
      const second = await storage.update("/a", bytes("1b"), first.revision);
      await storage.create("/b", bytes("1"));
      for (const expected of [0, first.revision, await storage.revision(), 1_000]) {
        await expect(write(storage, expected)).rejects.toMatchObject({
          reason: "conflict",
          revision: await storage.revision(),
          message: expect.stringContaining(`/a: is at revision ${second.revision}, not at ${expected}`),
        });
      }
      expect(await storage.get("/a")).toEqual(second);
    },
  );

  test("what update resolves to is what get finds", async () => {
    await using storage = await open();
    const first = await storage.create("/a", bytes("1"));
    const second = await storage.update("/a", bytes("2"), first.revision);
    expect(second).toEqual({ key: "/a", revision: await storage.revision(), value: bytes("2") });
    expect(await storage.get("/a")).toEqual(second);
  });

  test("delete resolves to the revision of the deletion", async () => {
    await using storage = await open();
    const { revision } = await storage.create("/a", bytes("1"));
    expect(await storage.delete("/a", revision)).toBe(await storage.revision());
    expect(await storage.get("/a")).toBeUndefined();
    expect(keysOf(await storage.list(""))).toEqual([]);
  });
}

function lists(open: Open): void {
  test.for([
    {
      rule: "a prefix that ends in / does not match a longer name",
      prefix: "/g/r/ns/",
      found: ["/g/r/ns/a", "/g/r/ns/b"],
    },
    {
      rule: "a prefix without / at its end does",
      prefix: "/g/r/ns",
      found: ["/g/r/ns/a", "/g/r/ns/b", "/g/r/ns2/a"],
    },
    { rule: "a key matches itself", prefix: "/g/r/ns/a", found: ["/g/r/ns/a"] },
    { rule: "_ means _", prefix: "/g/_/", found: ["/g/_/a"] },
    { rule: "% means %", prefix: "/g/%", found: ["/g/%/a"] },
    { rule: "* and ? and [ mean themselves", prefix: "/g/*", found: ["/g/*/a"] },
    { rule: "case counts", prefix: "/G/", found: ["/G/r/ns/a"] },
    { rule: "other scripts are text like any other", prefix: "/g/é", found: ["/g/é/a"] },
    { rule: "a character above U+FFFF is one", prefix: "/g/😀", found: ["/g/😀/a"] },
    { rule: "the last character before the surrogates has a successor", prefix: "/g/\ud7ff", found: ["/g/\ud7ff"] },
    { rule: "the last character of all has none", prefix: "/g/\u{10ffff}", found: ["/g/\u{10ffff}", "/g/\u{10ffff}a"] },
    { rule: "nothing matches", prefix: "/nothing", found: [] },
  ])("$rule", async ({ prefix, found }) => {
    await using storage = await open();
    await createAll(storage, [
      "/g/r/ns/b",
      "/g/r/ns/a",
      "/g/r/ns2/a",
      "/g/_/a",
      "/g/x/a",
      "/g/%/a",
      "/g/*/a",
      "/G/r/ns/a",
      "/g/é/a",
      "/g/😀/a",
      "/g/\ud7ff",
      "/g/\ue000",
      "/g/\u{10ffff}",
      "/g/\u{10ffff}a",
      "/h",
    ]);
    expect(keysOf(await storage.list(prefix))).toEqual(found);
  });

  test("keys are in the order of their UTF-8 bytes", async () => {
    await using storage = await open();
    const keys = [
      "/",
      "/-",
      "/a",
      "/a-",
      "/a/b",
      "/a0",
      "/b",
      "/é",
      "/\ud7ff",
      "/\ue000",
      "/\uffff",
      "/😀",
      "/\u{10ffff}",
    ];
    await createAll(storage, keys.toReversed());
    expect(keysOf(await storage.list(""))).toEqual(keys);
  });

  test("an item is what get finds, and the list is at the newest revision", async () => {
    await using storage = await open();
    const a = await storage.create("/a", bytes("1"));
    await storage.create("/b", bytes("1"));
    const updated = await storage.update("/a", bytes("2"), a.revision);
    const list = await storage.list("/a");
    expect(list.items).toEqual([updated]);
    expect(list.revision).toBe(await storage.revision());
  });

  test.for<{ rule: string; options: StorageListOptions; found: string[]; remaining: number }>([
    { rule: "without a limit, all", options: {}, found: ["a", "b", "c", "d"], remaining: 0 },
    { rule: "a limit cuts, and the rest is counted", options: { limit: 3 }, found: ["a", "b", "c"], remaining: 1 },
    { rule: "a limit of none only counts", options: { limit: 0 }, found: [], remaining: 4 },
    { rule: "a limit of one", options: { limit: 1 }, found: ["a"], remaining: 3 },
    {
      rule: "a limit that fits exactly leaves nothing",
      options: { limit: 4 },
      found: ["a", "b", "c", "d"],
      remaining: 0,
    },
    { rule: "a larger limit", options: { limit: 5 }, found: ["a", "b", "c", "d"], remaining: 0 },
    { rule: "after a key, that key is left out", options: { after: "/p/b" }, found: ["c", "d"], remaining: 0 },
    { rule: "after a key that does not exist", options: { after: "/p/bb" }, found: ["c", "d"], remaining: 0 },
    { rule: "after and limit", options: { after: "/p/a", limit: 2 }, found: ["b", "c"], remaining: 1 },
    { rule: "after the last", options: { after: "/p/d", limit: 2 }, found: [], remaining: 0 },
    { rule: "after a key before the prefix", options: { after: "/o/z", limit: 2 }, found: ["a", "b"], remaining: 2 },
    { rule: "after a key behind the prefix", options: { after: "/q" }, found: [], remaining: 0 },
    { rule: "after the prefix itself", options: { after: "/p/" }, found: ["a", "b", "c", "d"], remaining: 0 },
    { rule: "after a key that continues another", options: { after: "/p/b\0" }, found: ["c", "d"], remaining: 0 },
  ])("pages: $rule", async ({ options, found, remaining }) => {
    await using storage = await open();
    const created = await createAll(storage, ["/o/z", "/p/a", "/p/b", "/p/bx", "/p/c", "/p/d", "/q/a"]);
    await storage.delete("/p/bx", created[3]?.revision ?? 0);
    const list = await storage.list("/p/", options);
    expect(keysOf(list)).toEqual(found.map((key) => `/p/${key}`));
    expect({ more: list.more, remaining: list.remaining }).toEqual({ more: remaining > 0, remaining });
  });
}

function listsAtRevision(open: Open): void {
  test("the state of then: what was created, changed or deleted since is as it was", async () => {
    await using storage = await open();
    const changed = await storage.create("/changed", bytes("old"));
    const deleted = await storage.create("/deleted", bytes("old"));
    const gone = await storage.create("/gone", bytes("old"));
    await storage.delete("/gone", gone.revision);
    const then = await storage.revision();
    await storage.update("/changed", bytes("new"), changed.revision);
    await storage.delete("/deleted", deleted.revision);
    await storage.create("/created", bytes("new"));
    await storage.create("/gone", bytes("new"));

    const list = await storage.list("/", { revision: then });
    expect(contents(list)).toEqual(["/changed=old", "/deleted=old"]);
    expect(list.items[0]).toEqual(changed);
    expect(list.revision).toBe(then);
    expect(contents(await storage.list("/"))).toEqual(["/changed=new", "/created=new", "/gone=new"]);
  });

  test("pages at one revision fit together, whatever is written in between", async () => {
    await using storage = await open();
    const created = await createAll(storage, ["/a", "/b", "/c", "/d", "/e"]);
    const first = await storage.list("/", { limit: 2 });
    await storage.delete("/c", created[2]?.revision ?? 0);
    await storage.create("/bb", bytes("new"));
    await storage.update("/d", bytes("new"), created[3]?.revision ?? 0);
    const second = await storage.list("/", { limit: 2, after: "/b", revision: first.revision });
    const third = await storage.list("/", { limit: 2, after: "/d", revision: first.revision });
    expect([first, second, third].flatMap(contents)).toEqual(["/a=/a", "/b=/b", "/c=/c", "/d=/d", "/e=/e"]);
    expect([first, second, third].map(({ remaining }) => remaining)).toEqual([3, 1, 0]);
  });

  test("revision 0 is before everything", async () => {
    await using storage = await open();
    await storage.create("/a", bytes("1"));
    expect(await storage.list("/", { revision: 0 })).toEqual({ items: [], revision: 0, more: false, remaining: 0 });
  });

  test("a revision of the future is refused", async () => {
    await using storage = await open();
    const { revision } = await storage.create("/a", bytes("1"));
    await expect(storage.list("/", { revision: revision + 1 })).rejects.toMatchObject({
      name: "StorageError",
      reason: "future",
      revision,
    });
  });
}

function compaction(open: Open): void {
  /** `/kept` and `/changed` exist, `/deleted` does not; the revisions of the changes in between. */
  async function openWithHistory() {
    const storage = await open();
    const kept = await storage.create("/kept", bytes("1"));
    const deleted = await storage.create("/deleted", bytes("1"));
    const changed = await storage.create("/changed", bytes("1"));
    const afterUpdate = await storage.update("/changed", bytes("2"), changed.revision);
    const deletion = await storage.delete("/deleted", deleted.revision);
    return { storage, kept, afterUpdate, deletion };
  }

  test("present values stay, however old", async () => {
    const { storage: opened, kept, afterUpdate } = await openWithHistory();
    await using storage = opened;
    await storage.compact(await storage.revision());
    expect(await storage.get("/kept")).toEqual(kept);
    expect((await storage.list("/")).items).toEqual([afterUpdate, kept]);
    expect(await storage.get("/deleted")).toBeUndefined();
  });

  test("a list at the revision is answered, one before it is refused", async () => {
    const { storage: opened, afterUpdate } = await openWithHistory();
    await using storage = opened;
    await storage.compact(afterUpdate.revision);
    const list = await storage.list("/", { revision: afterUpdate.revision });
    expect(contents(list)).toEqual(["/changed=2", "/deleted=1", "/kept=1"]);
    for (const revision of [0, afterUpdate.revision - 1]) {
      await expect(storage.list("/", { revision })).rejects.toMatchObject({
        name: "StorageError",
        reason: "compacted",
        revision: afterUpdate.revision,
      });
    }
  });

  test("a watch after the revision sees all that follows, one from before it is refused", async () => {
    const { storage: opened, afterUpdate } = await openWithHistory();
    await using storage = opened;
    await storage.compact(afterUpdate.revision);
    const events = await take(startWatch(storage, "/", afterUpdate.revision), 1);
    expect(events.map(describeEvent)).toEqual(["delete /deleted: 1"]);
    await expect(startWatch(storage, "/", afterUpdate.revision - 1).next()).rejects.toMatchObject({
      name: "StorageError",
      reason: "compacted",
      revision: afterUpdate.revision,
    });
  });

  test("writes go on as if nothing had happened", async () => {
    const { storage: opened, kept, deletion } = await openWithHistory();
    await using storage = opened;
    await storage.compact(deletion);
    const recreated = await storage.create("/deleted", bytes("2"));
    expect(recreated.revision).toBeGreaterThan(deletion);
    await storage.update("/kept", bytes("2"), kept.revision);
    const events = await take(startWatch(storage, "/", deletion), 2);
    expect(events.map(describeEvent)).toEqual(["put /deleted: 2", "put /kept: 1 -> 2"]);
  });

  test("again, or to an older revision, does nothing", async () => {
    const { storage: opened, afterUpdate, deletion } = await openWithHistory();
    await using storage = opened;
    await storage.compact(afterUpdate.revision);
    await storage.compact(afterUpdate.revision);
    await storage.compact(0);
    await expect(storage.list("/", { revision: 0 })).rejects.toMatchObject({ revision: afterUpdate.revision });
    await storage.compact(deletion);
    await expect(storage.list("/", { revision: 0 })).rejects.toMatchObject({ revision: deletion });
  });

  test("everything can be deleted and forgotten, and the revision goes on rising", async () => {
    await using storage = await open();
    const { revision } = await storage.create("/a", bytes("1"));
    const deletion = await storage.delete("/a", revision);
    await storage.compact(deletion);
    expect(await storage.revision()).toBe(deletion);
    expect(contents(await storage.list("/"))).toEqual([]);
    expect((await storage.create("/a", bytes("2"))).revision).toBeGreaterThan(deletion);
  });

  test("a revision of the future is refused", async () => {
    await using storage = await open();
    await expect(storage.compact(1)).rejects.toMatchObject({ reason: "future", revision: 0 });
  });

  test("a running watch does not notice", async () => {
    await using storage = await open();
    const { revision } = await storage.create("/a", bytes("1"));
    const watch = startWatch(storage, "/", 0);
    await take(watch, 1);
    const next = watch.next();
    await storage.compact(revision);
    await storage.update("/a", bytes("2"), revision);
    expect(describeEvent((await next).value as StorageEvent)).toBe("put /a: 1 -> 2");
  });
}

function watches(open: Open): void {
  test("every kind of change has an event with what was there before", async () => {
    await using storage = await open();
    const first = await storage.create("/a", bytes("1"));
    const second = await storage.update("/a", bytes("2"), first.revision);
    const deletion = await storage.delete("/a", second.revision);
    const third = await storage.create("/a", bytes("3"));

    const events = await take(startWatch(storage, "/", 0), 4);
    expect(events.map(describeEvent)).toEqual(["put /a: 1", "put /a: 1 -> 2", "delete /a: 2", "put /a: 3"]);
    const expected = [first.revision, second.revision, deletion, third.revision];
    expect(events.map(({ revision }) => revision)).toEqual(expected);
    expect("previous" in (events[0] as StorageEvent), "a creation has no previous value").toBe(false);
  });

  test("live events are the same as those from the history", async () => {
    await using storage = await open();
    const live = startWatch(storage, "/", 0);
    const firstLive = live.next();
    const first = await storage.create("/a", bytes("1"));
    const second = await storage.update("/a", bytes("2"), first.revision);
    await storage.delete("/a", second.revision);
    await storage.create("/a", bytes("3"));
    const events = [(await firstLive).value as StorageEvent, ...(await take(live, 3))];
    expect(events).toEqual(await take(startWatch(storage, "/", 0), 4));
  });

  test("only changes after the revision", async () => {
    await using storage = await open();
    await storage.create("/a", bytes("1"));
    const { revision } = await storage.create("/b", bytes("1"));
    await storage.create("/c", bytes("1"));
    const watch = startWatch(storage, "/", revision);
    expect((await take(watch, 1)).map(describeEvent)).toEqual(["put /c: 1"]);
    await storage.create("/d", bytes("1"));
    expect((await take(watch, 1)).map(describeEvent)).toEqual(["put /d: 1"]);
  });

  test.for([
    { prefix: "", seen: ["/g/r/ns/a", "/g/r/ns2/a", "/g/_/a", "/g/x/a", "/😀/a"] },
    { prefix: "/g/r/ns/", seen: ["/g/r/ns/a"] },
    { prefix: "/g/r/ns", seen: ["/g/r/ns/a", "/g/r/ns2/a"] },
    { prefix: "/g/r/ns/a", seen: ["/g/r/ns/a"] },
    { prefix: "/g/_/", seen: ["/g/_/a"] },
    { prefix: "/😀/", seen: ["/😀/a"] },
  ])('below "$prefix": $seen, from the history and live', async ({ prefix, seen }) => {
    await using storage = await open();
    const keys = ["/g/r/ns/a", "/g/r/ns2/a", "/g/_/a", "/g/x/a", "/😀/a"];
    const live = startWatch(storage, prefix, 0);
    const firstLive = live.next();
    const created = await createAll(storage, keys);
    const end = await storage.create(`${prefix}end`, bytes("end"));

    const fromLive = [(await firstLive).value as StorageEvent, ...(await take(live, seen.length))];
    const fromHistory = await take(startWatch(storage, prefix, 0), seen.length + 1);
    const expected = [...created.filter(({ key }) => seen.includes(key)), end].map(({ revision }) => revision);
    expect(fromLive.map(({ revision }) => revision)).toEqual(expected);
    expect(fromHistory).toEqual(fromLive);
  });

  test("a list and a watch from its revision miss nothing and see nothing twice, while others write", async () => {
    await using storage = await open();
    const count = 300;
    const writing = (async () => {
      for (let i = 0; i < count; i++) await storage.create(`/k/${i}`, bytes(String(i)));
    })();
    await take(startWatch(storage, "/k/", 0), 50);
    const list = await storage.list("/k/");
    const watch = startWatch(storage, "/k/", list.revision);
    const events = await take(watch, count - list.items.length);
    await writing;
    const keys = [...keysOf(list), ...events.map(({ key }) => key)];
    expect(new Set(keys).size).toBe(count);
    expect(keys.length).toBe(count);
    expect(events.map(({ revision }) => revision)).toEqual(
      events.map(({ revision }) => revision).toSorted((a, b) => a - b),
    );
  });

  test("a history longer than any page is replayed whole, also while it grows", async () => {
    await using storage = await open();
    await Promise.all(Array.from({ length: 1_000 }, (_, i) => storage.create(`/k/${i}`, bytes(String(i)))));
    const watch = startWatch(storage, "/k/", 0);
    const events = await take(watch, 500);
    await storage.create("/k/late", bytes("late"));
    events.push(...(await take(watch, 501)));
    expect(events.map(({ revision }) => revision)).toEqual(
      Array.from(events, (_, i) => (events[0]?.revision ?? 0) + i),
    );
    expect(events.at(-1)?.key).toBe("/k/late");
  });

  test("an event is there at the latest when its write has resolved", async () => {
    await using storage = await open();
    const watch = startWatch(storage, "/", 0);
    const next = watch.next();
    const order: string[] = [];
    await Promise.all([
      next.then(() => order.push("event")),
      storage.create("/a", bytes("1")).then(async () => {
        await Promise.resolve();
        order.push("a while after the write");
      }),
    ]);
    expect(order).toContain("event");
    const { revision } = await storage.create("/b", bytes("1"));
    expect((await watch.next()).value).toMatchObject({ key: "/b", revision });
  });

  test("a refused write has no event", async () => {
    await using storage = await open();
    const { revision } = await storage.create("/a", bytes("1"));
    const watch = startWatch(storage, "/", revision);
    const next = watch.next();
    await refusal(storage.create("/a", bytes("2")));
    await refusal(storage.update("/a", bytes("2"), revision + 1));
    await storage.create("/b", bytes("1"));
    expect((await next).value).toMatchObject({ key: "/b" });
  });

  test("a revision of the future is waited for, and nothing up to it is delivered", async () => {
    await using storage = await open();
    const { revision } = await storage.create("/a", bytes("1"));
    const next = startWatch(storage, "/", revision + 2).next();
    const created = await createAll(storage, ["/b", "/c", "/d"]);
    const first = created.find((value) => value.revision > revision + 2);
    expect((await next).value).toMatchObject({ revision: first?.revision, key: first?.key });
  });

  test("watches do not take events from each other", async () => {
    await using storage = await open();
    const nexts = Array.from({ length: 20 }, () => startWatch(storage, "/", 0).next());
    const { revision } = await storage.create("/a", bytes("1"));
    for (const next of nexts) expect((await next).value).toMatchObject({ revision });
  });

  test("one watch can be iterated twice, from its start each time", async () => {
    await using storage = await open();
    await createAll(storage, ["/a", "/b"]);
    const watch = storage.watch("/", { after: 0 });
    for (const round of [1, 2]) {
      const events = await take(watch[Symbol.asyncIterator](), 2);
      expect(
        events.map(({ key }) => key),
        `round ${round}`,
      ).toEqual(["/a", "/b"]);
    }
  });

  test("several calls of next at once are answered in order", async () => {
    await using storage = await open();
    const watch = startWatch(storage, "/", 0);
    const nexts = [watch.next(), watch.next(), watch.next()];
    await createAll(storage, ["/a", "/b", "/c"]);
    const events = await Promise.all(nexts);
    expect(events.map(({ value }) => value?.key)).toEqual(["/a", "/b", "/c"]);
  });

  test("up to a revision: what happened by then, and the end, whatever happens meanwhile", async () => {
    await using storage = await open();
    const created = await createAll(storage, ["/a", "/b", "/other", "/c"]);
    const [first = 0, second = 0, other = 0, last = 0] = created.map(({ revision }) => revision);
    const seen = async (prefix: string, after: number, through: number): Promise<string[]> => {
      const keys: string[] = [];
      for await (const { key } of storage.watch(prefix, { after, through })) {
        keys.push(key);
        await storage.create(`/later/${prefix.length}/${after}/${through}/${keys.length}`, bytes("1"));
      }
      return keys;
    };
    expect(await seen("/", 0, second)).toEqual(["/a", "/b"]);
    expect(await seen("/", first, other)).toEqual(["/b", "/other"]);
    expect(await seen("/c", 0, other), "nothing of the prefix by then").toEqual([]);
    expect(await seen("/c", 0, last)).toEqual(["/c"]);
    expect(await seen("/", last, last)).toEqual([]);
    const ahead = (await storage.revision()) + 1;
    expect(await refusal(seen("/", 0, ahead))).toMatchObject({ reason: "future" });
  });

  test.for([
    { when: "before it begins", events: 0, waits: false },
    { when: "with events left", events: 1, waits: false },
    { when: "while it waits", events: 3, waits: true },
  ])("an abort $when ends the iteration without an error", async ({ events, waits }) => {
    await using storage = await open();
    await createAll(storage, ["/a", "/b", "/c"]);
    const abort = new AbortController();
    const watch = storage.watch("/", { after: 0, signal: abort.signal })[Symbol.asyncIterator]();
    await take(watch, events);
    const waiting = waits ? watch.next() : undefined;
    abort.abort();
    const next = waiting ?? watch.next();
    expect(await next).toEqual({ done: true, value: undefined });
    await storage.create("/d", bytes("1"));
    expect(await watch.next()).toEqual({ done: true, value: undefined });
  });

  test("a signal that is aborted already gives an empty iteration", async () => {
    await using storage = await open();
    await storage.create("/a", bytes("1"));
    const seen: StorageEvent[] = [];
    for await (const event of storage.watch("/", { after: 0, signal: AbortSignal.abort() })) seen.push(event);
    expect(seen).toEqual([]);
  });

  test("break ends the iteration, and the storage goes on", async () => {
    await using storage = await open();
    await createAll(storage, ["/a", "/b"]);
    const seen: string[] = [];
    for await (const { key } of storage.watch("/", { after: 0 })) {
      seen.push(key);
      break;
    }
    expect(seen).toEqual(["/a"]);
    await storage.create("/c", bytes("1"));
  });

  test("return answers a next that waits", async () => {
    await using storage = await open();
    const watch = startWatch(storage, "/", 0);
    const waiting = watch.next();
    await watch.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test("a consumer that is too slow is cut off and told so; others are not", async () => {
    await using storage = await open();
    const slow = startWatch(storage, "/", 0);
    const other = startWatch(storage, "/other/", 0);
    const otherNext = other.next();
    const firstNext = slow.next();
    const count = 10_100;
    for (let written = 0; written < count; written += 500) {
      await Promise.all(Array.from({ length: 500 }, (_, i) => storage.create(`/k/${written + i}`, bytes("1"))));
    }
    expect((await firstNext).value).toMatchObject({ key: "/k/0" });
    await expect(slow.next()).rejects.toMatchObject({ name: "StorageError", reason: "slow" });
    expect(await slow.next()).toEqual({ done: true, value: undefined });
    await storage.create("/other/a", bytes("1"));
    expect((await otherNext).value).toMatchObject({ key: "/other/a" });
  });

  test("1,000 watches on prefixes of their own each see their own change", async () => {
    await using storage = await open();
    const nexts = Array.from({ length: 1_000 }, (_, i) => startWatch(storage, `/k/${i}/`, 0).next());
    await Promise.all(Array.from({ length: 1_000 }, (_, i) => storage.create(`/k/${i}/a`, bytes("1"))));
    const events = await Promise.all(nexts);
    expect(events.map(({ value }) => value?.key)).toEqual(Array.from({ length: 1_000 }, (_, i) => `/k/${i}/a`));
  });
}

function disposal(open: Open): void {
  test("ends watches without an error, waiting ones and others", async () => {
    const storage = await open();
    await storage.create("/a", bytes("1"));
    const behind = startWatch(storage, "/", 0);
    const waiting = startWatch(storage, "/", await storage.revision()).next();
    await take(behind, 1);
    await storage[Symbol.asyncDispose]();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await behind.next()).toEqual({ done: true, value: undefined });
  });

  test("waits for the writes under way", async () => {
    const storage = await open();
    const writing = storage.create("/a", bytes("1"));
    await storage[Symbol.asyncDispose]();
    expect((await writing).key).toBe("/a");
  });

  test("a second time does nothing", async () => {
    const storage = await open();
    await storage[Symbol.asyncDispose]();
    await storage[Symbol.asyncDispose]();
  });

  const calls: Record<string, (storage: ObjectStorage) => Promise<unknown>> = {
    revision: (storage) => storage.revision(),
    get: (storage) => storage.get("/a"),
    list: (storage) => storage.list("/"),
    create: (storage) => storage.create("/b", bytes("1")),
    update: (storage) => storage.update("/a", bytes("2"), 1),
    delete: (storage) => storage.delete("/a", 1),
    watch: (storage) => startWatch(storage, "/", 0).next(),
    compact: (storage) => storage.compact(1),
  };

  test.for(Object.keys(calls))("%s rejects afterwards", async (call) => {
    const storage = await open();
    await storage.create("/a", bytes("1"));
    await storage[Symbol.asyncDispose]();
    await expect(calls[call]?.(storage)).rejects.toMatchObject({ code: "STORAGE_FAILED" });
  });
}

function concurrency(open: Open): void {
  test("200 writers that add to one key with retries lose nothing", async () => {
    await using storage = await open();
    await storage.create("/counter", bytes("0"));
    const add = async (): Promise<void> => {
      for (;;) {
        const present = (await storage.get("/counter")) as StoredValue;
        const next = bytes(String(Number(text(present.value)) + 1));
        const error = await storage.update("/counter", next, present.revision).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        if (error === undefined) return;
        expect(error).toMatchObject({ reason: "conflict" });
      }
    };
    await Promise.all(Array.from({ length: 200 }, add));
    expect(text((await storage.get("/counter"))?.value ?? bytes(""))).toBe("200");
  });

  test("writes of one turn are applied in the order of their calls, each with its own outcome", async () => {
    await using storage = await open();
    const base = await storage.create("/base", bytes("0"));
    const outcomes = await Promise.allSettled([
      storage.create("/a", bytes("1")),
      storage.create("/a", bytes("2")),
      storage.update("/base", bytes("1"), base.revision),
      storage.update("/base", bytes("2"), base.revision),
      storage.delete("/nothing", 1),
      storage.create("/b", bytes("1")),
    ]);
    expect(outcomes.map((outcome) => (outcome.status === "fulfilled" ? "done" : outcome.reason.reason))).toEqual([
      "done",
      "exists",
      "done",
      "conflict",
      "missing",
      "done",
    ]);
    expect(contents(await storage.list("/"))).toEqual(["/a=1", "/b=1", "/base=1"]);
  });

  test("any sequence of calls gives what a simple model gives", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 40 }), async (steps) => {
        await using storage = await open();
        const model = new Model();
        for (const step of steps) {
          expect(await runOnStorage(storage, model, step), JSON.stringify(step)).toEqual(model.run(step));
        }
        expect(await everyEvent(storage, model)).toEqual(model.eventsSince(model.oldest));
      }),
      { numRuns: 60, seed: 20_261_130 },
    );
  });
}

type Step =
  | {
      readonly do: "create" | "update" | "delete";
      readonly key: string;
      readonly value: string;
      readonly isStale: boolean;
    }
  | {
      readonly do: "list";
      readonly prefix: string;
      readonly ago: number;
      readonly limit: number;
      readonly after: string;
    }
  | { readonly do: "compact"; readonly ago: number };

const anyKey = fc.constantFrom("/a", "/a/", "/a/b", "/a_b", "/a%", "/b", "/b/\uffff", "/b/😀", "/b/😀a");

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom("create" as const, "update" as const, "delete" as const),
      key: anyKey,
      value: fc.string({ maxLength: 3 }),
      isStale: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("list" as const),
      prefix: fc.oneof(anyKey, fc.constantFrom("", "/", "/b/")),
      ago: fc.nat(10),
      limit: fc.integer({ min: 1, max: 4 }),
      after: fc.oneof(anyKey, fc.constant("")),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const), ago: fc.nat(8) }) },
);

/** Every state there ever was, in full. Takes the revisions from the storage, which may leave gaps. */
class Model {
  readonly #states: { revision: number; values: Map<string, { revision: number; value: string }> }[] = [
    { revision: 0, values: new Map() },
  ];
  readonly #events: { revision: number; text: string }[] = [];
  oldest = 0;

  get newest(): number {
    return this.#states.at(-1)?.revision ?? 0;
  }

  present(key: string): { revision: number; value: string } | undefined {
    return this.#states.at(-1)?.values.get(key);
  }

  /** The revision that was the newest so many changes ago. */
  revisionAgo(changes: number): number {
    return this.#states[Math.max(0, this.#states.length - 1 - changes)]?.revision ?? 0;
  }

  eventsSince(revision: number): string[] {
    return this.#events.filter((event) => event.revision > revision).map((event) => event.text);
  }

  expected(step: Extract<Step, { readonly key: string }>): number {
    return step.isStale ? this.revisionAgo(1) : (this.present(step.key)?.revision ?? 1);
  }

  run(step: Step): unknown {
    if (step.do === "list") return this.#list(step);
    if (step.do === "compact") {
      this.oldest = Math.max(this.oldest, this.revisionAgo(step.ago));
      return "compacted";
    }
    const present = this.present(step.key);
    if (step.do === "create") {
      if (present !== undefined) return "exists";
    } else {
      if (present === undefined) return "missing";
      if (present.revision !== this.expected(step)) return "conflict";
    }
    const revision = this.newest + 1;
    const values = new Map(this.#states.at(-1)?.values);
    if (step.do === "delete") values.delete(step.key);
    else values.set(step.key, { revision, value: step.value });
    this.#states.push({ revision, values });
    const before = step.do === "update" ? `${present?.value} -> ` : "";
    const event =
      step.do === "delete" ? `delete ${step.key}: ${present?.value}` : `put ${step.key}: ${before}${step.value}`;
    this.#events.push({ revision, text: event });
    return revision;
  }

  #list({ prefix, ago, limit, after }: Step & { readonly do: "list" }): unknown {
    const revision = this.revisionAgo(ago);
    if (revision < this.oldest) return "compacted";
    const values = this.#states.findLast((state) => state.revision <= revision)?.values ?? new Map();
    const found = [...values]
      .filter(([key]) => key.startsWith(prefix) && byUtf8(key, after) > 0)
      .toSorted(([a], [b]) => byUtf8(a, b))
      .map(([key, stored]) => `${key}=${stored.value}@${stored.revision}`);
    return { items: found.slice(0, limit), remaining: Math.max(0, found.length - limit) };
  }
}

function byUtf8(a: string, b: string): number {
  const [x, y] = [bytes(a), bytes(b)];
  const at = x.findIndex((byte, i) => byte !== y[i]);
  return at === -1 ? x.length - y.length : (x[at] as number) - (y[at] ?? -1);
}

async function runOnStorage(storage: ObjectStorage, model: Model, step: Step): Promise<unknown> {
  const call = async (): Promise<unknown> => {
    switch (step.do) {
      case "create":
        return (await storage.create(step.key, bytes(step.value))).revision;
      case "update":
        return (await storage.update(step.key, bytes(step.value), model.expected(step))).revision;
      case "delete":
        return storage.delete(step.key, model.expected(step));
      case "compact":
        await storage.compact(model.revisionAgo(step.ago));
        return "compacted";
      case "list": {
        const { prefix, limit, after } = step;
        const list = await storage.list(prefix, { limit, after, revision: model.revisionAgo(step.ago) });
        const items = list.items.map(({ key, value, revision }) => `${key}=${text(value)}@${revision}`);
        expect(list.more).toBe(list.remaining > 0);
        return { items, remaining: list.remaining };
      }
    }
  };
  return call().catch((error: { readonly reason?: string }) => error.reason ?? error);
}

async function everyEvent(storage: ObjectStorage, model: Model): Promise<string[]> {
  const count = model.eventsSince(model.oldest).length;
  return (await take(startWatch(storage, "/", model.oldest), count)).map(describeEvent);
}
