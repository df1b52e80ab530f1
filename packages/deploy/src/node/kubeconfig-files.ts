import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { SlipwayError } from "@slipway/objects";
import { type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from "../client/kubeconfig.ts";

export interface KubeconfigFilesOptions {
  /**
   * One file, as `--kubeconfig` names it; it must be there.
   * @default the files of KUBECONFIG that are there, else ~/.kube/config
   */
  readonly kubeconfig?: string | undefined;
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * The kubeconfig that kubectl would use.
 *
 * @throws {SlipwayError} `READ_FAILED` when a file cannot be read, or there is none at all; what `parseKubeconfig` throws.
 */
export async function readKubeconfig(options: KubeconfigFilesOptions = {}): Promise<Kubeconfig> {
  const env = options.env ?? process.env;
  if (options.kubeconfig !== undefined && options.kubeconfig !== "") {
    const path = resolve(options.kubeconfig);
    return parseKubeconfig(await readKubeconfigFile(path), path);
  }
  const paths = pathsOf(env);
  const texts = await Promise.all(paths.map(readIfPresent));
  const files = paths.flatMap((path, index) => {
    const text = texts[index];
    return text === undefined ? [] : [parseKubeconfig(text, path)];
  });
  if (files.length > 0) return mergeKubeconfigs(files);
  throw new SlipwayError(`${paths.join(", ")}: no kubeconfig is there. Name one with --kubeconfig or in KUBECONFIG.`, {
    code: "READ_FAILED",
  });
}

/** A file that a kubeconfig refers to, or is. @throws {SlipwayError} `READ_FAILED` */
export async function readKubeconfigFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function pathsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  const listed = (env.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  const paths = listed.length > 0 ? listed : [join(env.HOME ?? homedir(), ".kube", "config")];
  return [...new Set(paths.map((path) => resolve(path)))];
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): SlipwayError {
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new SlipwayError(`${path}: cannot be read${code}. Check the path and its permissions.`, {
    code: "READ_FAILED",
    cause,
  });
}
