import { createMemoryStorage } from "@slipway/apiserver";
import { startTestCluster, type TestCluster } from "@slipway/apiserver/testing";
import { contractDefinitions, contractNamespaces } from "./contract.ts";

export const expiredVersion = "1";

/** What the contract asks of a cluster, in process. Its storage has forgotten its first revisions before anything runs. */
export async function startContractCluster(): Promise<TestCluster> {
  const storage = createMemoryStorage();
  for (const name of ["a", "b"]) await storage.create(`/forgotten/${name}`, new Uint8Array());
  await storage.compact(await storage.revision());
  return startTestCluster({ storage, definitions: contractDefinitions, namespaces: contractNamespaces });
}
