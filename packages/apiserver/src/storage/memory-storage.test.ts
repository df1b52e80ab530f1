import { expect, test } from "vitest";
import { createMemoryStorage } from "./memory-storage.ts";
import { storageContract } from "./storage-contract.ts";

storageContract("memory", async () => createMemoryStorage());

const value = new TextEncoder().encode("{}");

test("the history is as long as asked for, to the revision", async () => {
  await using storage = createMemoryStorage({ historySize: 2 });
  for (const key of ["/a", "/b", "/c"]) await storage.create(key, value);
  expect((await storage.list("/", { revision: 1 })).items).toHaveLength(1);
  await expect(storage.list("/", { revision: 0 })).rejects.toMatchObject({ reason: "compacted", revision: 1 });
});

test("a watch holds as many events as asked for, and one more cuts it off", async () => {
  await using storage = createMemoryStorage({ watchBufferSize: 2 });
  const watch = storage.watch("/", { after: 0 })[Symbol.asyncIterator]();
  const first = watch.next();
  for (const key of ["/a", "/b", "/c"]) await storage.create(key, value);
  await first;
  expect((await watch.next()).value).toMatchObject({ key: "/b" });
  for (const key of ["/d", "/e"]) await storage.create(key, value);
  await expect(watch.next()).rejects.toMatchObject({
    reason: "slow",
    message: 'watch of "/": the consumer is behind by more than 2 changes. List again, and watch from there.',
  });
});

test("a watch that still replays the history is not cut off by the size of its buffer, but by the end of the history", async () => {
  await using storage = createMemoryStorage({ watchBufferSize: 1, historySize: 300 });
  for (let i = 0; i < 300; i++) await storage.create(`/${i}`, value);
  const patient = storage.watch("/", { after: 0 })[Symbol.asyncIterator]();
  const late = storage.watch("/", { after: 0 })[Symbol.asyncIterator]();
  await late.next();
  for (let i = 0; i < 300; i++) expect((await patient.next()).value).toMatchObject({ key: `/${i}` });
  for (let i = 300; i < 600; i++) await storage.create(`/${i}`, value);
  for (let i = 1; i < 100; i++) expect((await late.next()).value).toMatchObject({ key: `/${i}` });
  await expect(late.next()).rejects.toMatchObject({ reason: "slow" });
});
