/**
 * Writes into the SQLite storage of the first argument until it is killed, `argv[3]` writes at a time. Prints the key and
 * revision of each write when it has resolved.
 */
import { argv, stdout } from "node:process";
import { loadSource } from "./load-source.mjs";

const { openSqliteStorage } = await loadSource("../sqlite-storage.ts");
const storage = await openSqliteStorage({ path: argv[2], historySize: 100 });
const life = await storage.revision();
const value = new TextEncoder().encode("x".repeat(2_000));

/** Done when it is in the pipe, which may be full for a while. */
function print(line) {
  return new Promise((done) => {
    stdout.write(`${line}\n`, done);
  });
}

async function write(writer) {
  for (let i = 0; ; i++) {
    const key = `/life-${life}/writer-${writer}/${i}`;
    const created = await storage.create(key, value);
    await print(`created ${key} ${created.revision}`);
    if (i % 3 !== 0) continue;
    const deletion = await storage.delete(key, created.revision);
    await print(`deleted ${key} ${deletion}`);
  }
}

await Promise.all(Array.from({ length: Number(argv[3]) }, (_, writer) => write(writer)));
