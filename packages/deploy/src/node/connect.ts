import type { KubeClient } from "@slipway/objects";
import { createKubeClient, type KubeClientOptions } from "../client/kube-client.ts";
import { selectConnection } from "../client/kubeconfig.ts";
import { type KubeconfigFilesOptions, readKubeconfig, readKubeconfigFile } from "./kubeconfig-files.ts";
import { createTransport, type TransportOptions } from "./transport.ts";

export interface ConnectOptions extends KubeconfigFilesOptions, TransportOptions, Omit<KubeClientOptions, "transport"> {
  /** @default the kubeconfig's current-context */
  readonly context?: string | undefined;
}

/**
 * A client for the cluster that the kubeconfig names. Nothing is sent yet. Disposing it closes its connections.
 *
 * @throws {SlipwayError} what reading the kubeconfig and its files throws; `USAGE` when the context cannot be used.
 */
export async function connect(options: ConnectOptions = {}): Promise<KubeClient & AsyncDisposable> {
  const kubeconfig = await readKubeconfig(options);
  const settings = await selectConnection(kubeconfig, { context: options.context, readFile: readKubeconfigFile });
  const transport = createTransport(settings, options);
  return {
    ...createKubeClient({ ...options, transport }),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}
