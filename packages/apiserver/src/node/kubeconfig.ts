import { writeFileAtomically } from "./write-file.ts";

export interface KubeconfigOptions {
  /** `https://127.0.0.1:6443`. */
  readonly server: string;
  /** PEM: what the server's certificate is checked against. */
  readonly ca: string;
  /** PEM. */
  readonly clientCertificate: string;
  /** PEM. */
  readonly clientKey: string;
}

/** Replaces the kubeconfig at `path`; its mode is 0600 from the first byte, since it holds the client's key. */
export async function writeKubeconfig(path: string, options: KubeconfigOptions): Promise<void> {
  await writeFileAtomically(path, formatKubeconfig(options), 0o600);
}

/** One cluster, one user and the context that joins them, all named `slipway`; keys and certificates are inside. */
export function formatKubeconfig({ server, ca, clientCertificate, clientKey }: KubeconfigOptions): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: slipway
  cluster:
    certificate-authority-data: ${base64(ca)}
    server: ${server}
contexts:
- name: slipway
  context:
    cluster: slipway
    namespace: default
    user: slipway
current-context: slipway
preferences: {}
users:
- name: slipway
  user:
    client-certificate-data: ${base64(clientCertificate)}
    client-key-data: ${base64(clientKey)}
`;
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
