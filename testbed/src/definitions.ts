import { readdir } from "node:fs/promises";
import { join } from "node:path";

const testbedFolder = join(import.meta.dirname, "..");

/** Of HelmReleases and of applications: what the packages ship is what the cluster gets. */
const shippedFolder = join(testbedFolder, "..", "packages", "applications", "crds");
const ownFolder = join(testbedFolder, "crds");

/** Paths of the CustomResourceDefinitions without which Flux's controllers end at once. */
export async function fluxDefinitions(): Promise<string[]> {
  const shipped = (await filesOf(shippedFolder)).filter((path) => path.includes("toolkit.fluxcd.io"));
  return [...shipped, ...(await filesOf(join(ownFolder, "flux")))];
}

/** Paths of every manifest of the repository that a real server has to accept. */
export async function allDefinitions(): Promise<string[]> {
  const folders = [shippedFolder, join(ownFolder, "flux"), join(ownFolder, "public")];
  return (await Promise.all(folders.map(filesOf))).flat();
}

async function filesOf(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".yaml"));
  return names.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).map((name) => join(folder, name));
}
