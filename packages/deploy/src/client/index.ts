export type { KubeClientOptions } from "./kube-client.ts";
export { createKubeClient } from "./kube-client.ts";
export type {
  ConnectionSettings,
  Kubeconfig,
  KubeconfigEntry,
  KubeconfigSelection,
  TlsSettings,
} from "./kubeconfig.ts";
export { mergeKubeconfigs, parseKubeconfig, selectConnection } from "./kubeconfig.ts";
export type { HttpMethod, Transport, TransportRequest, TransportResponse } from "./transport.ts";
