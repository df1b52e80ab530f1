import { expiredVersion, startContractCluster } from "./contract-cluster.ts";
import { kubeClientContract } from "./contract.ts";

kubeClientContract(
  "in process",
  async () => {
    const cluster = await startContractCluster();
    return { ...cluster, expiredVersion };
  },
  {
    knownFaults: [
      // createLocalClient looks at no signal before it begins, and hands on events that came before the abort.
      "an abort ends the loop also when further events have come already",
      "an aborted signal rejects with its reason, and nothing is written",
    ],
  },
);
