import { parseLabelSelector } from "@slipway/objects";
import { describe, expect, test, vi } from "vitest";
import { createMemoryStorage } from "../storage/memory-storage.ts";
import type { ObjectStorage } from "../storage/storage.ts";
import type { ChangeLogLimits } from "./change-log.ts";
import { objectCodec } from "./codec.ts";
import { ResourceReader } from "./reader.ts";
import type { RestEvent } from "./rest.ts";

const everything = {
  namespace: "",
  labels: parseLabelSelector(""),
  fields: [],
};

function readerOf(storage: ObjectStorage, limits: ChangeLogLimits = {}): ResourceReader {
  return new ResourceReader({
    storage,
    prefix: "/g/r/",
    namespaced: true,
    decode: objectCodec(undefined).decode,
    selectableFields: {},
    knownFieldsOnly: false,
    bookmarkIntervalMs: 1,
    ...limits,
  });
}

const bytes = (name: string, size = 0): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({ apiVersion: "g/v1", kind: "K", metadata: { name }, data: "x".repeat(size) }),
  );

async function create(storage: ObjectStorage, count: number, size = 0): Promise<number> {
  const from = await storage.revision();
  for (let number = from + 1; number <= from + count; number++) {
    await storage.create(`/g/r/ns/${number}`, bytes(String(number), size));
  }
  return from + count;
}

function watch(
  reader: ResourceReader,
  after: number,
  signal = new AbortController().signal,
): AsyncGenerator<RestEvent> {
  const context = { user: { name: "u", groups: [] }, signal, warn: () => {} };
  return reader.watch(context, { ...everything, resourceVersion: String(after) });
}

/** The next event that is no bookmark: its version, or how the watch ends. */
async function next(events: AsyncGenerator<RestEvent>): Promise<number | string> {
  for (;;) {
    try {
      const { value, done } = await events.next();
      if (done === true) return "end";
      if (value.type !== "BOOKMARK") return Number(value.object.metadata.resourceVersion);
    } catch (error) {
      return String(error);
    }
  }
}

async function take(events: AsyncGenerator<RestEvent>, count: number): Promise<(number | string)[]> {
  const taken: (number | string)[] = [];
  while (taken.length < count) taken.push(await next(events));
  return taken;
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe("a watch from before everything that is in memory", () => {
  test("gives the storage's history, then what has happened meanwhile, then what happens, each once", async () => {
    await using storage = createMemoryStorage();
    await create(storage, 300);
    const events = watch(readerOf(storage), 50);
    const seen = await take(events, 100);
    await create(storage, 200);
    seen.push(...(await take(events, 350)));
    const live = next(events);
    await create(storage, 1);
    seen.push(await live);
    expect(seen).toEqual(range(51, 501));
    await events.return(undefined);
  });

  test("then says how far it has come, like any other", async () => {
    await using storage = createMemoryStorage();
    await create(storage, 3);
    const events = watch(readerOf(storage), 1);
    expect(await take(events, 2)).toEqual([2, 3]);
    await storage.create("/other/kind", bytes("a"));
    await vi.waitFor(async () => {
      expect((await events.next()).value).toEqual({ type: "BOOKMARK", resourceVersion: "4", initialEventsEnd: false });
    });
    await events.return(undefined);
  });

  test("also when nothing of the kind has happened since", async () => {
    await using storage = createMemoryStorage();
    for (const name of ["a", "b", "c"]) await storage.create(`/other/${name}`, bytes(name));
    const events = watch(readerOf(storage), 1);
    expect((await events.next()).value).toEqual({ type: "BOOKMARK", resourceVersion: "3", initialEventsEnd: false });
    await events.return(undefined);
  });

  test("that is ended in the middle of it goes no further", async () => {
    await using storage = createMemoryStorage();
    await create(storage, 300);
    const abort = new AbortController();
    const events = watch(readerOf(storage), 1, abort.signal);
    expect(await take(events, 2)).toEqual([2, 3]);
    await create(storage, 10);
    abort.abort();
    const rest = await take(events, 400).then((all) => all.filter((event) => event !== "end"));
    expect(rest).toEqual(range(4, 3 + rest.length));
  });

  test("whose history goes meanwhile is told to list again", async () => {
    await using storage = createMemoryStorage();
    await create(storage, 300);
    const events = watch(readerOf(storage), 1);
    expect(await next(events)).toBe(2);
    await storage.compact(300);
    const rest = await take(events, 300);
    const end = rest.findIndex((event) => typeof event === "string");
    expect(rest.slice(0, end)).toEqual(range(3, 2 + end));
    expect(rest[end]).toMatch(/the watch was too slow/);
  });
});

describe("who stays behind", () => {
  test.for([
    { what: "what is always kept", behind: 10, limits: { windowSize: 10 }, isCut: false },
    { what: "more than is ever kept", behind: 20, limits: { windowSize: 10 }, isCut: true },
    { what: "few, but large ones", behind: 6, size: 10_000, limits: { windowBytes: 50_000 }, isCut: true },
    { what: "fewer large ones", behind: 4, size: 10_000, limits: { windowBytes: 50_000 }, isCut: false },
    {
      what: "one that is larger than all that may be kept",
      behind: 1,
      size: 60_000,
      limits: { windowBytes: 50_000 },
      isCut: false,
    },
  ])("by $what: cut off: $isCut", async ({ behind, size = 0, limits, isCut }) => {
    await using storage = createMemoryStorage();
    const first = await create(storage, 1);
    const events = watch(readerOf(storage, limits), first);
    const waiting = next(events);
    await create(storage, 1);
    expect(await waiting).toBe(first + 1);
    await create(storage, behind, size);
    const rest = await take(events, isCut ? 1 : behind);
    if (isCut) expect(rest).toEqual([expect.stringMatching(/the watch was too slow to keep up/)]);
    else expect(rest).toEqual(range(first + 2, first + 1 + behind));
    await events.return(undefined);
  });
});
