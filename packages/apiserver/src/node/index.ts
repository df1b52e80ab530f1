export type { Certificates, CertificatesOptions } from "./certificates.ts";
export { openCertificates } from "./certificates.ts";
export { type DataFolder, openDataFolder } from "./data-folder.ts";
export type { CertificateSubject, KeyPair } from "./issue-certificate.ts";
export type { KubeconfigOptions } from "./kubeconfig.ts";
export { formatKubeconfig, writeKubeconfig } from "./kubeconfig.ts";
export type { Listener, ListenOptions } from "./listener.ts";
export { listen } from "./listener.ts";
export { openSqliteStorage } from "./sqlite-storage.ts";
