import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execPath, platform } from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import Database from "libsql";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster, type TestResponse } from "../testing.ts";
import { openSqliteStorage } from "./sqlite-storage.ts";

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-failures-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const newPath = (): string => join(folder, `${++files}.db`);
const configMaps = "/api/v1/namespaces/default/configmaps";

/** Where the test cluster throws what the server logs: these are no faults of the cluster, but real ones. */
async function attempt(
  cluster: TestCluster,
  method: string,
  path: string,
  body?: object,
): Promise<TestResponse | Error> {
  return cluster
    .request(method, path, body === undefined ? {} : { body: JSON.stringify(body) })
    .catch((error) => error);
}

test("a server whose disk is full refuses writes, answers reads, and takes writes again when there is room", async () => {
  const storage = await openSqliteStorage({ path: newPath(), maxBytes: 600_000 });
  await using cluster = await startTestCluster({ storage });
  const create = (name: string, size: number) =>
    attempt(cluster, "POST", configMaps, { metadata: { name }, data: { text: "x".repeat(size) } });
  const watch = cluster.stream(`${configMaps}?watch=1`)[Symbol.asyncIterator]();
  const acknowledged: string[] = [];
  let refused: TestResponse | Error | undefined;
  for (let number = 0; refused === undefined; number++) {
    const name = `c${String(number).padStart(3, "0")}`;
    const answer = await create(name, 20_000);
    if (!(answer instanceof Error) && answer.status === 201) acknowledged.push(name);
    else refused = answer;
  }
  expect(acknowledged.length).toBeGreaterThan(10);
  // The test cluster throws what the server logs; the client gets a 500 instead, see `testing.test.ts`.
  expect(refused).toMatchObject({ cause: { code: "STORAGE_FAILED", cause: { code: "SQLITE_FULL" } } });

  const names = async (): Promise<string[]> => {
    const { items } = JSON.parse((await cluster.request("GET", configMaps)).text);
    return items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  };
  expect(await names()).toEqual(acknowledged);
  const seen: unknown[] = [];
  for (const _ of acknowledged) {
    const { value } = await watch.next();
    seen.push((value as { object: { metadata: { name: string } } }).object.metadata.name);
  }
  expect(seen).toEqual(acknowledged);

  // Deletions are always taken: somebody has to make room.
  for (const name of acknowledged.splice(0, 10)) {
    const answer = await attempt(cluster, "DELETE", `${configMaps}/${name}`);
    expect(answer).toMatchObject({ status: 200 });
  }
  expect(await create("z", 20_000)).toMatchObject({ status: 201 });
  expect(await names()).toEqual([...acknowledged, "z"]);
});

test.skipIf(platform === "win32")(
  "a disk that takes no more, as the system says it: what was acknowledged is there, and nothing else",
  async () => {
    const path = newPath();
    const script = fileURLToPath(new URL("testdata/write-until-refused.mjs", import.meta.url));
    // No file of the process may grow beyond some megabyte.
    const child = spawn("/bin/sh", ["-c", 'ulimit -f 2048; exec "$0" "$@"', execPath, script, path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const acknowledged = new Map<string, number>();
    const refused: unknown[] = [];
    let present: readonly string[] | undefined;
    for await (const line of createInterface(child.stdout)) {
      const said = JSON.parse(line);
      if (said.key !== undefined) acknowledged.set(said.key, said.revision);
      else if (said.refused !== undefined) refused.push(said);
      else if (said.present !== undefined) present = said.present;
    }
    expect(acknowledged.size).toBeGreaterThan(10);
    expect(refused.length).toBeGreaterThan(1);
    for (const refusal of refused) {
      expect(refusal).toMatchObject({ code: "STORAGE_FAILED", cause: expect.stringMatching(/^SQLITE_(FULL|IOERR)/) });
    }
    expect(new Set(present)).toEqual(new Set(acknowledged.keys()));

    await using storage = await openSqliteStorage({ path });
    const { items } = await storage.list("");
    expect(new Map(items.map(({ key, revision }) => [key, revision]))).toEqual(acknowledged);
    await storage.create("/again", new Uint8Array(3_000_000));
    await storage[Symbol.asyncDispose]();
    const database = new Database(path);
    expect(database.prepare("PRAGMA integrity_check").raw().all([])).toEqual([["ok"]]);
    database.close();
  },
);
