import { readdir, readFile } from "node:fs/promises";
import { byCodeUnit, type KubernetesObject, SlipwayError } from "@slipway/objects";
import { readYaml } from "@slipway/objects/yaml";

/** Beside the sources and beside what is built from them. */
const folder = new URL("../../crds/", import.meta.url);

/**
 * The CustomResourceDefinitions of the kinds that applications stand on: ApplicationDefinition and WorkloadMonitor of
 * Cozystack, HelmRelease of Flux. In a real cluster they are installed by those projects.
 *
 * @throws {SlipwayError} `READ_FAILED` when a file of this package is missing or damaged.
 */
export async function readCustomResourceDefinitions(): Promise<KubernetesObject[]> {
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith(".yaml")).sort(byCodeUnit);
    return await Promise.all(
      names.map(async (name) => {
        const text = await readFile(new URL(name, folder), "utf8");
        return readYaml(text, { source: name }) as KubernetesObject;
      }),
    );
  } catch (cause) {
    throw new SlipwayError(`${folder.pathname}: cannot be read. Install the package again.`, {
      code: "READ_FAILED",
      cause,
    });
  }
}
