import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

export const repository = resolve(import.meta.dirname, "../..");

/** Content by path. What is not text is written as JSON. */
export type PlantedFiles = Readonly<Record<string, string | object>>;

export interface PlantedFolder extends AsyncDisposable {
  readonly path: string;
}

/** A new temporary folder with these files. */
export async function plant(files: PlantedFiles): Promise<PlantedFolder> {
  const path = await mkdtemp(join(tmpdir(), "slipway-house-"));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export interface ToolResult {
  readonly code: number;
  /** What it wrote to stdout. */
  readonly output: string;
}

/** Runs a program of this repository with Node. */
export function runTool(
  script: string,
  args: readonly string[],
  options: { readonly cwd: string },
): Promise<ToolResult> {
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" };
  return new Promise((settle) => {
    execFile(
      process.execPath,
      [join(repository, script), ...args],
      { ...options, env, maxBuffer: 64 * 1024 * 1024 },
      (error, output) =>
        settle({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : 1, output }),
    );
  });
}
