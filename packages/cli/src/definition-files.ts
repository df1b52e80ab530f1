import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { definitionKind } from "@slipway/applications";
import {
  ApiStatusError,
  byCodeUnit,
  formatApiVersion,
  formatJson,
  isJsonObject,
  type JsonObject,
  type KubeClient,
  type KubernetesObject,
  SlipwayError,
  sortMembers,
} from "@slipway/objects";
import { readManifests } from "@slipway/objects/yaml";

/** Something in a file that keeps a kind from being served. */
export interface FileProblem {
  readonly file: string | undefined;
  readonly problem: string;
}

/** An ApplicationDefinition, which becomes an object of the cluster. */
export interface DefinitionFile {
  readonly file: string;
  readonly object: KubernetesObject;
  /** Of the contents: a file that says the same as before is not loaded again. */
  readonly hash: string;
}

/** A CustomResourceDefinition: its kinds are served as long as its file is there. */
export interface CustomKindFile {
  readonly file: string;
  readonly object: KubernetesObject;
}

export interface DefinitionFolder {
  readonly definitions: readonly DefinitionFile[];
  readonly customKinds: readonly CustomKindFile[];
  readonly problems: readonly FileProblem[];
}

/**
 * The ApplicationDefinitions and CustomResourceDefinitions in the `*.yaml` and `*.yml` files of a folder, by file name. A file or document that cannot
 * be used is a problem; the others are read all the same.
 *
 * @throws {SlipwayError} `READ_FAILED` when the folder cannot be read.
 */
export async function readDefinitionFolder(folder: string): Promise<DefinitionFolder> {
  const definitions: DefinitionFile[] = [];
  const customKinds: CustomKindFile[] = [];
  const problems: FileProblem[] = [];
  const names = new Map<string, string>();
  for (const name of (await filesOf(folder)).filter((file) => /\.ya?ml$/.test(file)).sort(byCodeUnit)) {
    const file = join(folder, name);
    try {
      for (const { object: manifest } of readManifests(await readFile(file, "utf8"), { source: file })) {
        const object = definitionOf(manifest);
        const reference = `${object.kind}/${object.metadata.name}`;
        const other = names.get(reference);
        if (other !== undefined) throw invalidDefinition(`${reference} is in ${other} too`);
        names.set(reference, name);
        if (object.kind === customKind.kind) customKinds.push({ file, object });
        else definitions.push({ file, object, hash: hashOf(object) });
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      problems.push({ file, problem: error.message });
    }
  }
  return { definitions, customKinds, problems };
}

async function filesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    throw new SlipwayError(`${folder}: the folder of definitions cannot be read. Check --definitions.`, {
      code: "READ_FAILED",
      cause,
    });
  }
}

function invalidDefinition(message: string): SlipwayError {
  return new SlipwayError(message, { code: "INVALID_DEFINITION" });
}

const customKind = { group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" } as const;

function definitionOf(value: JsonObject): KubernetesObject {
  const known = [definitionKind, customKind].map(({ group, version, kind }) => [
    formatApiVersion(group, version),
    kind,
  ]);
  if (!known.some(([apiVersion, kind]) => value.kind === kind && value.apiVersion === apiVersion)) {
    const kinds = known.map(([apiVersion, kind]) => `${kind} of ${apiVersion}`).join(" and no ");
    throw invalidDefinition(`the document is no ${kinds}. Move it elsewhere.`);
  }
  const { metadata } = value;
  if (!isJsonObject(metadata) || typeof metadata.name !== "string") {
    throw invalidDefinition("metadata.name is missing or not a string");
  }
  return value as KubernetesObject;
}

function hashOf(object: KubernetesObject): string {
  return createHash("sha256")
    .update(formatJson(sortMembers(object)))
    .digest("hex");
}

/** Name of a definition to the hash of the file it was loaded from last. */
export type LoadedHashes = Readonly<Record<string, string>>;

export interface LoadResult {
  readonly hashes: LoadedHashes;
  readonly problems: readonly FileProblem[];
}

/**
 * Brings new and changed files into the cluster. What was loaded before and has not changed in its file is left alone,
 * so that what was changed or deleted with kubectl stays so. A definition whose file is gone stays.
 */
export async function loadDefinitions(
  client: KubeClient,
  definitions: readonly DefinitionFile[],
  loaded: LoadedHashes,
): Promise<LoadResult> {
  const hashes: Record<string, string> = { ...loaded };
  const problems: FileProblem[] = [];
  for (const { file, object, hash } of definitions) {
    const { name = "" } = object.metadata;
    if (loaded[name] === hash) continue;
    try {
      await createOrReplace(client, object, name);
      hashes[name] = hash;
    } catch (error) {
      if (!ApiStatusError.isApiStatusError(error)) throw error;
      problems.push({ file, problem: error.message });
    }
  }
  return { hashes, problems };
}

async function createOrReplace(client: KubeClient, object: KubernetesObject, name: string): Promise<void> {
  const present = await client.get({ ...definitionKind, namespace: "", name });
  if (present === undefined) {
    await client.create(object, { fieldManager: "slipway-definitions" });
    return;
  }
  const metadata = { ...object.metadata, resourceVersion: present.metadata.resourceVersion };
  await client.update({ ...object, metadata }, { fieldManager: "slipway-definitions" });
}
