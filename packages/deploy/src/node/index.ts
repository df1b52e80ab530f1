export type { ConnectOptions } from "./connect.ts";
export { connect } from "./connect.ts";
export type { KubeconfigFilesOptions } from "./kubeconfig-files.ts";
export { readKubeconfig, readKubeconfigFile } from "./kubeconfig-files.ts";
export type { TransportOptions } from "./transport.ts";
export { createTransport } from "./transport.ts";
