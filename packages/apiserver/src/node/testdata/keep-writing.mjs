/**
 * Writes into the SQLite storage of the first argument until it is killed, `argv[3]` writes at a time. Prints the key and
 * revision of each write when it has resolved.
 */
import { writeSync } from "node:fs";
import { argv } from "node:process";
import { loadSource } from "./load-source.mjs";

const { openSqliteStorage } = await loadSource("../sqlite-storage.ts");
const storage = await openSqliteStorage({ path: argv[2], historySize: 100 });
const life = await storage.revision();
const value = new TextEncoder().encode("x".repeat(2_000));

async function write(writer) {
  for (let i = 0; ; i++) {
    const key = `/life-${life}/writer-${writer}/${i}`;
    const created = await storage.create(key, value);
    writeSync(1, `created ${key} ${created.revision}\n`);
    if (i % 3 !== 0) continue;
    const deletion = await storage.delete(key, created.revision);
    writeSync(1, `deleted ${key} ${deletion}\n`);
  }
}

await Promise.all(Array.from({ length: Number(argv[3]) }, (_, writer) => write(writer)));
