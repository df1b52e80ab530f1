import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "@slipway/deploy/node";
import { startRealCluster } from "../../testbed/src/index.ts";
import { contractDefinitions, contractNamespaces, kubeClientContract } from "../kube-client/contract.ts";

kubeClientContract("kube-apiserver", async () => {
  const cluster = await startRealCluster();
  const client = await connect({ kubeconfig: cluster.kubeconfig });
  for (const definition of contractDefinitions) await client.create(definition);
  for (const name of contractNamespaces) {
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  for (let tries = 0; ; tries += 1) {
    try {
      for (const kind of ["Gadget", "Region"]) await client.list({ group: "contract.example", version: "v1", kind });
      break;
    } catch (error) {
      if (tries > 60) throw error;
      await sleep(250);
    }
  }
  return {
    client,
    expiredVersion: "1",
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
});
