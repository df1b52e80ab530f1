import { join } from "node:path";
import type { ClusterFiles } from "./cluster-files.ts";

/** How each program of a cluster is called; where it matters, why. */

export interface FluxPorts {
  /** Where source-controller serves the charts that helm-controller installs. */
  readonly storage: number;
  readonly sourceHealth: number;
  readonly helmHealth: number;
}

export function etcdArguments({ data, etcdSocket }: ClusterFiles, { isKept }: { readonly isKept: boolean }): string[] {
  // A single member is never called by its peers: the address it would have is only a name.
  const nobody = "http://127.0.0.1:1";
  return flags({
    name: "testbed",
    "data-dir": join(data, "etcd"),
    // A socket in a folder that is closed to others: no port that could be taken, and no door without a lock.
    "listen-client-urls": `unix://${etcdSocket}`,
    "advertise-client-urls": nobody,
    "listen-peer-urls": "http://127.0.0.1:0",
    "initial-advertise-peer-urls": nobody,
    "initial-cluster": `testbed=${nobody}`,
    "log-level": "warn",
    // Survives the end of the process, not that of the machine, which nobody asks of data that are thrown away.
    ...(isKept ? {} : { "unsafe-no-fsync": "true" }),
  });
}

export function apiServerArguments({ etcdSocket, pki }: ClusterFiles, port: number): string[] {
  return flags({
    "etcd-servers": `unix://${etcdSocket}`,
    "bind-address": "127.0.0.1",
    "advertise-address": "127.0.0.1",
    "secure-port": String(port),
    "service-cluster-ip-range": "10.96.0.0/16",
    // The Service "kubernetes" would get an endpoint on 127.0.0.1, which the server itself refuses.
    "endpoint-reconciler-type": "none",
    "authorization-mode": "RBAC",
    "tls-cert-file": join(pki, "server.crt"),
    "tls-private-key-file": join(pki, "server.key"),
    "client-ca-file": join(pki, "ca.crt"),
    "service-account-issuer": "https://kubernetes.default.svc",
    "service-account-key-file": join(pki, "service-accounts.pub"),
    "service-account-signing-key-file": join(pki, "service-accounts.key"),
    "proxy-client-cert-file": join(pki, "front-proxy-client.crt"),
    "proxy-client-key-file": join(pki, "front-proxy-client.key"),
    "requestheader-client-ca-file": join(pki, "front-proxy-ca.crt"),
    "requestheader-allowed-names": "front-proxy-client",
    "requestheader-username-headers": "X-Remote-User",
    "requestheader-group-headers": "X-Remote-Group",
    "requestheader-extra-headers-prefix": "X-Remote-Extra-",
  });
}

export function controllerManagerArguments({ controllerManagerKubeconfig, pki }: ClusterFiles): string[] {
  return flags({
    kubeconfig: controllerManagerKubeconfig,
    "authentication-kubeconfig": controllerManagerKubeconfig,
    "authorization-kubeconfig": controllerManagerKubeconfig,
    "service-account-private-key-file": join(pki, "service-accounts.key"),
    "root-ca-file": join(pki, "ca.crt"),
    "use-service-account-credentials": "true",
    "leader-elect": "false",
    "secure-port": "0", // no port at all
    // Each controller makes its service account first: at the usual pace that alone takes seconds.
    "kube-api-qps": "500",
    "kube-api-burst": "1000",
  });
}

export function sourceControllerArguments({ artifacts }: ClusterFiles, { storage, sourceHealth }: FluxPorts): string[] {
  return flags({
    "storage-path": artifacts,
    "storage-addr": `127.0.0.1:${storage}`,
    "storage-adv-addr": `127.0.0.1:${storage}`,
    ...controllerFlags(sourceHealth),
  });
}

export function helmControllerArguments({ helmHealth }: FluxPorts): string[] {
  return flags(controllerFlags(helmHealth));
}

function controllerFlags(healthPort: number): Readonly<Record<string, string>> {
  return {
    "events-addr": "",
    "metrics-addr": "0", // none
    "health-addr": `127.0.0.1:${healthPort}`,
    "watch-all-namespaces": "true",
  };
}

function flags(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}
