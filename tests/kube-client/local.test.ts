import { kubeClientContract } from "./contract.ts";
import { expiredVersion, startContractCluster } from "./contract-cluster.ts";

kubeClientContract("in process", async () => {
  const cluster = await startContractCluster();
  return { ...cluster, expiredVersion };
});
