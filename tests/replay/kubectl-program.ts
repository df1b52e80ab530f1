import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

/** The version that made the recordings: another one prints other texts. */
const recordedKubectlVersion = "v1.36.3";

const run = promisify(execFile);

/** The path of a kubectl that prints what was recorded, or why there is none. */
export async function findKubectl(
  env: NodeJS.ProcessEnv,
): Promise<{ readonly path: string } | { readonly missing: string }> {
  const folders = [env.KUBEBUILDER_ASSETS ?? "", ...(env.PATH ?? "").split(delimiter)].filter(
    (folder) => folder !== "",
  );
  const candidates = [env.SLIPWAY_KUBECTL ?? "", ...folders.map((folder) => join(folder, "kubectl"))].filter(
    isExecutable,
  );
  const others: string[] = [];
  for (const path of new Set(candidates)) {
    const version = await versionOf(path);
    // A build without version stamps, as the recorded one was, may call itself v0.0.0-master.
    if (version === recordedKubectlVersion || version.startsWith("v0.0.0-master")) return { path };
    others.push(`${path} is ${version}`);
  }
  const found = others.length === 0 ? "there is none" : others.join(", ");
  return {
    missing: `kubectl ${recordedKubectlVersion} in SLIPWAY_KUBECTL, KUBEBUILDER_ASSETS or PATH is needed; ${found}`,
  };
}

async function versionOf(path: string): Promise<string> {
  const { stdout } = await run(path, ["version", "--client", "-o", "json"]);
  return (JSON.parse(stdout) as { clientVersion: { gitVersion: string } }).clientVersion.gitVersion;
}

function isExecutable(path: string): boolean {
  if (path === "") return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
