import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "@slipway/deploy/node";
import { kubeClientContract } from "./contract.ts";
import { expiredVersion, startContractCluster } from "./contract-cluster.ts";
import { serve } from "./test-server.ts";

kubeClientContract("over HTTPS", async () => {
  const cluster = await startContractCluster();
  const server = await serve(cluster.server.handle);
  const client = await connect({ kubeconfig: server.kubeconfig });
  return {
    client,
    expiredVersion,
    async [Symbol.asyncDispose]() {
      // Every watch of the suite has been left, so none may be open.
      for (let waits = 0; server.openStreams() > 0; waits += 1) {
        if (waits === 100) throw new Error(`${server.openStreams()} watches are still open`);
        await sleep(20);
      }
      await client[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
});
