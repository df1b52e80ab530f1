import { StorageError } from "./storage.ts";

/** A write before it is decided. */
export type Write =
  | { readonly action: "create"; readonly key: string; readonly value: Uint8Array }
  | { readonly action: "update"; readonly key: string; readonly value: Uint8Array; readonly expected: number }
  | { readonly action: "delete"; readonly key: string; readonly expected: number };

/**
 * Why `write` must not happen; `undefined` when it may.
 *
 * @param present revision of the present value under the key; `undefined` when the key does not exist
 * @param revision the newest revision of the storage
 */
export function refusalOf(write: Write, present: number | undefined, revision: number): StorageError | undefined {
  const { key } = write;
  if (write.action === "create") {
    if (present === undefined) return undefined;
    return new StorageError("exists", `${key}: exists already, at revision ${present}. Update it instead.`, revision);
  }
  if (present === undefined) {
    return new StorageError("missing", `${key}: does not exist. Create it first.`, revision);
  }
  if (present === write.expected) return undefined;
  return new StorageError(
    "conflict",
    `${key}: is at revision ${present}, not at ${write.expected}. Read it again, and apply the change to what is there.`,
    revision,
  );
}

/** @param oldest the oldest revision that can still be asked for */
export function compacted(asked: number, oldest: number): StorageError {
  const message = `revision ${asked}: no longer kept, the oldest is ${oldest}. List without a revision, and go on from there.`;
  return new StorageError("compacted", message, oldest);
}

/** @param newest the newest revision of the storage */
export function future(asked: number, newest: number): StorageError {
  const message = `revision ${asked}: not reached yet, the newest is ${newest}. Ask for that one, or wait.`;
  return new StorageError("future", message, newest);
}

export function slow(prefix: string, bound: string, revision: number): StorageError {
  const message = `watch of "${prefix}": the consumer is behind by more than ${bound}. List again, and watch from there.`;
  return new StorageError("slow", message, revision);
}
