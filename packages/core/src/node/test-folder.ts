import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A fresh folder. It is the caller's to remove. */
export function makeTestFolder(): string {
  return mkdtempSync(join(tmpdir(), "cdk8s.outdir."));
}
