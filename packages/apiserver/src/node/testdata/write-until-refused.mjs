/**
 * Writes into the SQLite storage of the first argument, several writes at a time, until one is refused; then reads what is
 * there and writes again. Prints all of it, one JSON value a line.
 */
import { writeSync } from "node:fs";
import { argv } from "node:process";
import { loadSource } from "./load-source.mjs";

const { openSqliteStorage } = await loadSource("../sqlite-storage.ts");
const storage = await openSqliteStorage({ path: argv[2] });
const value = new TextEncoder().encode("x".repeat(20_000));
const print = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

async function write(key, what = value) {
  try {
    const { revision } = await storage.create(key, what);
    print({ key, revision });
    return true;
  } catch (error) {
    print({ refused: key, code: error.code, cause: error.cause?.code, message: error.message });
    return false;
  }
}

for (let round = 0; ; round++) {
  const keys = Array.from({ length: 5 }, (_, number) => `/${round}/${number}`);
  const written = await Promise.all(keys.map((key) => write(key)));
  if (written.includes(false)) break;
}
const { items, revision } = await storage.list("");
print({ present: items.map(({ key }) => key), revision });
await write("/large", new Uint8Array(3_000_000));
await storage[Symbol.asyncDispose]().catch((error) => print({ dispose: error.code }));
