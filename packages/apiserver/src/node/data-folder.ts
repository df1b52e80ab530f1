import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { kill, pid } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { SlipwayError } from "@slipway/objects";
import Database from "libsql";

/** A folder that no other process uses as long as it is not disposed. */
export interface DataFolder extends AsyncDisposable {
  /** Absolute. */
  readonly path: string;
}

/** A process that has just taken the lock names itself soon, one that is ending gives it up soon. */
const patience = { attempts: 50, intervalMs: 20 } as const;

/**
 * Makes the folder when it is missing, for this user alone, and takes it for this process.
 *
 * What decides is a lock of the kernel on the file `lock`, which ends with the process, however that ends. So a lock is
 * never left behind, and two processes that start at once cannot both have it. The file `pid` only says who has it.
 *
 * @throws {SlipwayError} `DATA_FOLDER_IN_USE` when another process has it, or this one; `STORAGE_FAILED` when the folder
 * cannot be made or locked.
 */
export async function openDataFolder(path: string): Promise<DataFolder> {
  const folder = resolve(path);
  const pidFile = join(folder, "pid");
  const lock = await failsAs(folder, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return takeLock(folder, pidFile);
  });
  try {
    await failsAs(folder, () => writeFile(pidFile, `${pid}\n`));
  } catch (error) {
    lock.close();
    throw error;
  }
  let isOpen = true;
  return {
    path: folder,
    async [Symbol.asyncDispose]() {
      if (!isOpen) return;
      isOpen = false;
      await rm(pidFile, { force: true }); // first: afterwards it may be the next holder's
      lock.close();
    },
  };
}

async function takeLock(folder: string, pidFile: string): Promise<Database.Database> {
  for (let attempt = 1; ; attempt++) {
    const lock = tryLock(join(folder, "lock"));
    if (lock !== undefined) return lock;
    const holder = await readPid(pidFile);
    if (holder !== undefined || attempt === patience.attempts) throw inUse(folder, holder);
    await sleep(patience.intervalMs);
  }
}

/**
 * An empty SQLite database in an exclusive transaction: the one way to a lock of the kernel without code of our own
 * that must be compiled. Do not open the file by other means: closing it would drop the lock.
 */
function tryLock(path: string): Database.Database | undefined {
  const lock = new Database(path);
  try {
    lock.exec("PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { readonly code?: string }).code === "SQLITE_BUSY") return undefined;
    throw error;
  }
}

/** The process that says it has the lock; `undefined` when it cannot be it, because it is gone. */
async function readPid(pidFile: string): Promise<number | undefined> {
  const text = await readFile(pidFile, "utf8").catch(() => "");
  const holder = Number.parseInt(text, 10);
  return holder > 0 && isRunning(holder) ? holder : undefined;
}

function isRunning(process: number): boolean {
  try {
    return kill(process, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // runs, as another user
  }
}

function inUse(folder: string, holder: number | undefined): SlipwayError {
  const who = holder === undefined ? "another process" : holder === pid ? `this process, ${pid},` : `process ${holder}`;
  return new SlipwayError(`${folder}: ${who} uses this data folder. Stop that process, or choose another folder.`, {
    code: "DATA_FOLDER_IN_USE",
  });
}

async function failsAs<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (SlipwayError.isSlipwayError(cause)) throw cause;
    const { message } = cause as Error;
    throw new SlipwayError(`${folder}: cannot be a data folder: ${message}. Check the path and its permissions.`, {
      code: "STORAGE_FAILED",
      cause,
    });
  }
}
