import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The path of a new folder, in that of the system for what is temporary, named `prefix` and six characters. */
export function createTemporaryFolder(prefix: string): string {
  return mkdtempSync(join(tmpdir(), prefix));
}

/** What `use` makes of a new temporary folder. The folder is gone afterwards, also when `use` throws. */
export function withTemporaryFolder<Result>(prefix: string, use: (folder: string) => Result): Result {
  const folder = createTemporaryFolder(prefix);
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
