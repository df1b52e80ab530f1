import { SlipwayError } from "@slipway/objects";
import type { ObjectStorage } from "../storage/storage.ts";

/** What can be asked of a storage once. Watches are cut instead, see `TestCluster.cutWatches`. */
export type StorageVerb = "revision" | "get" | "list" | "create" | "update" | "delete" | "compact";

/** Calls that wait for the test. */
export interface Stall {
  /** Resolves when the first call waits. */
  readonly reached: Promise<void>;
  /** Lets the calls go on, those that wait and those that would have. */
  release(): void;
}

/**
 * Faults for the next calls of a storage, in the order in which they are asked for: a call that meets a fault uses it up.
 * The present state is served from memory once a kind was used, so `get` and `list` are for writes (which read what they
 * change) and for lists of the past.
 */
export interface StorageFaults {
  /**
   * The next `times` calls reject and do nothing: clients get a 500.
   *
   * @param error @default a `SlipwayError` with code `STORAGE_FAILED`
   */
  fail(verb: StorageVerb, times?: number, error?: Error): void;
  /** The next `times` creates, updates and deletes reject as SQLite's do when the disk is full; reads go on. */
  fillDisk(times?: number): void;
  /** The next `times` calls wait. */
  stall(verb: StorageVerb, times?: number): Stall;
  /** Calls go through again; those that wait go on. */
  clear(): void;
}

export interface FaultyStorage {
  readonly storage: ObjectStorage;
  readonly faults: StorageFaults;
  /** Whether a fault has made this error, or one that it caused. */
  isInjected(error: unknown): boolean;
}

/** A fault for calls of some verbs. */
interface Fault {
  readonly verbs: readonly StorageVerb[];
  /** How many more calls meet it. */
  left: number;
  /** Resolves when the call may go on, rejects when it fails. */
  readonly meet: () => Promise<void>;
}

const writes = ["create", "update", "delete"] as const satisfies readonly StorageVerb[];

/** `storage` with faults on request. Without any, every call goes straight through. */
export function withFaults(storage: ObjectStorage): FaultyStorage {
  const plan = new FaultPlan();
  const { faults } = plan;
  return {
    storage: {
      revision: () => plan.call("revision", () => storage.revision()),
      get: (key) => plan.call("get", () => storage.get(key)),
      list: (prefix, options) => plan.call("list", () => storage.list(prefix, options)),
      create: (key, value) => plan.call("create", () => storage.create(key, value)),
      update: (key, value, expected) => plan.call("update", () => storage.update(key, value, expected)),
      delete: (key, expected) => plan.call("delete", () => storage.delete(key, expected)),
      compact: (revision) => plan.call("compact", () => storage.compact(revision)),
      watch: (prefix, options) => storage.watch(prefix, options),
      follow: (prefix, listener) => storage.follow(prefix, listener),
      [Symbol.asyncDispose]: async () => {
        faults.clear();
        await storage[Symbol.asyncDispose]();
      },
    },
    faults,
    isInjected: (error) => plan.isInjected(error),
  };
}

class FaultPlan {
  #planned: Fault[] = [];
  readonly #stalls = new Set<Stall>();
  readonly #injected = new WeakSet<Error>();
  readonly faults: StorageFaults = {
    fail: (verb, times = 1, error = ioError()) => this.#plan([verb], times, () => this.#reject(error)),
    fillDisk: (times = 1) => this.#plan(writes, times, () => this.#reject(diskFull())),
    stall: (verb, times = 1) => this.#stall(verb, times),
    clear: () => {
      this.#planned = [];
      for (const stall of this.#stalls) stall.release();
    },
  };

  async call<Result>(verb: StorageVerb, work: () => Promise<Result>): Promise<Result> {
    const fault = this.#planned.find(({ verbs }) => verbs.includes(verb));
    if (fault === undefined) return work();
    fault.left--;
    if (fault.left === 0) this.#planned = this.#planned.filter((other) => other !== fault);
    await fault.meet();
    return work();
  }

  isInjected(error: unknown): boolean {
    return error instanceof Error && (this.#injected.has(error) || this.isInjected(error.cause));
  }

  #plan(verbs: readonly StorageVerb[], times: number, meet: Fault["meet"]): void {
    if (times > 0) this.#planned.push({ verbs, left: times, meet });
  }

  async #reject(error: Error): Promise<void> {
    this.#injected.add(error);
    throw error;
  }

  #stall(verb: StorageVerb, times: number): Stall {
    const reached = signal();
    const released = signal();
    const stall: Stall = {
      reached: reached.promise,
      release: () => {
        this.#stalls.delete(stall);
        released.resolve();
      },
    };
    this.#stalls.add(stall);
    this.#plan([verb], times, () => {
      reached.resolve();
      return released.promise;
    });
    return stall;
  }
}

/** `Promise.withResolvers` for Node 20. */
function signal(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function ioError(): Error {
  return new SlipwayError("storage of the test: disk I/O error (SQLITE_IOERR). Check the disk.", {
    code: "STORAGE_FAILED",
  });
}

function diskFull(): Error {
  return new SlipwayError("storage of the test: database or disk is full (SQLITE_FULL). Make room, and write again.", {
    code: "STORAGE_FAILED",
  });
}
