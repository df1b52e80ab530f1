import type { KeyPair } from "./certificates.ts";

export interface KubeconfigOptions {
  /** `https://127.0.0.1:6443`. */
  readonly server: string;
  /** PEM: what the server's certificate is checked against. */
  readonly ca: string;
  readonly client: KeyPair;
}

/** One cluster, one user and the context that joins them; keys and certificates are inside. */
export function formatKubeconfig({ server, ca, client }: KubeconfigOptions): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: testbed
  cluster:
    certificate-authority-data: ${base64(ca)}
    server: ${server}
contexts:
- name: testbed
  context:
    cluster: testbed
    user: testbed
current-context: testbed
users:
- name: testbed
  user:
    client-certificate-data: ${base64(client.certificate)}
    client-key-data: ${base64(client.key)}
`;
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
