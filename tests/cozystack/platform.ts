import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startTestCluster, type TestCluster } from "@slipway/apiserver/testing";
import {
  applicationGroup,
  applicationResources,
  applicationVersion,
  buildDefinitionSet,
  type DefinitionSet,
  defaultReleaseFlags,
} from "@slipway/applications";
import { isJsonObject, type KubeClient, type KubernetesObject } from "@slipway/objects";
import { readYamlDocuments } from "@slipway/objects/yaml";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The 31 real kinds on a cluster in process. */
export interface Platform extends TestCluster {
  readonly definitions: DefinitionSet;
}

export interface PlatformOptions {
  /** @default ["tenant-root"] */
  readonly namespaces?: readonly string[];
  /** Stands between the applications and the cluster. @default the cluster's own client */
  readonly throughClient?: (client: KubeClient) => KubeClient;
  readonly nameSuffix?: () => string;
}

export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const cluster = await startTestCluster({
    definitions: readObjects("packages/applications/crds"),
    namespaces: ["default", ...(options.namespaces ?? ["tenant-root"])],
  });
  const definitions = shippedDefinitions();
  const client = options.throughClient?.(cluster.client) ?? cluster.client;
  const host = { now: () => new Date(), nameSuffix: options.nameSuffix ?? (() => "x2v4b") };
  cluster.server.serve(applicationGroup, applicationVersion, applicationResources(definitions, client, { host }));
  return { ...cluster, definitions };
}

export function shippedDefinitions(): DefinitionSet {
  return buildDefinitionSet(readObjects("examples/platform/definitions"), defaultReleaseFlags);
}

export function readObjects(folder: string): KubernetesObject[] {
  return readdirSync(`${root}/${folder}`)
    .filter((file) => file.endsWith(".yaml"))
    .flatMap((file) => readYamlDocuments(readFileSync(`${root}/${folder}/${file}`, "utf8"), { source: file }))
    .map(({ value }) => {
      if (!isJsonObject(value)) throw new TypeError(`${folder}: a document that is no object`);
      return value as KubernetesObject;
    });
}

export const releaseKind = { group: "helm.toolkit.fluxcd.io", version: "v2", kind: "HelmRelease" } as const;
export const monitorKind = { group: "cozystack.io", version: "v1alpha1", kind: "WorkloadMonitor" } as const;

/** The address of a collection of applications, or of one. */
export function applicationPath(plural: string, namespace: string, name?: string): string {
  const all = `/apis/${applicationGroup}/${applicationVersion}`;
  return `${all}/namespaces/${namespace}/${plural}${name === undefined ? "" : `/${name}`}`;
}
