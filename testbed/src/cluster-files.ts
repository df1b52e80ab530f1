import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createAuthority, createSigningKey, type KeyPair } from "./certificates.ts";
import { TestbedError } from "./errors.ts";
import { formatKubeconfig } from "./kubeconfig.ts";

/** Where the files of one cluster are. */
export interface ClusterFolders {
  /** Certificates, kubeconfigs, objects: everything that one cluster is. */
  readonly data: string;
  /** Gone after the end in any case; holds etcd's socket, whose path has to be short. */
  readonly runtime: string;
  readonly logs: string;
  /** Names the process that keeps `data` in use; gone after the end. */
  readonly supervisorNote: string;
}

/** Files that programs are started with. */
export interface ClusterFiles extends ClusterFolders {
  readonly etcdSocket: string;
  readonly pki: string;
  /** Of Flux's source-controller. */
  readonly artifacts: string;
  /** The administrator's: member of `system:masters`. */
  readonly kubeconfig: string;
  readonly controllerManagerKubeconfig: string;
  readonly admin: KeyPair;
  /** PEM. */
  readonly ca: string;
  /** PEM: signs what the aggregator presents to the servers behind it, and nothing else. */
  readonly frontProxyCa: string;
}

const NOTE = "supervisor.pid";

/** The longest path that a socket may have on all platforms, less the name and a random part. */
const MAX_TEMPORARY_FOLDER = 60;

/**
 * Makes the folders of a cluster: all of them temporary, or those that are to stay below `data`.
 *
 * @throws {TestbedError} when a cluster that still runs has its data there.
 */
export async function makeFolders(data: string | undefined): Promise<ClusterFolders> {
  if (data !== undefined) await assertNotInUse(resolve(data));
  const base = tmpdir().length > MAX_TEMPORARY_FOLDER ? "/tmp" : tmpdir();
  const runtime = await mkdtemp(join(base, "slipway-testbed-"));
  const folder = data === undefined ? runtime : resolve(data);
  const folders = { data: folder, runtime, logs: join(folder, "logs"), supervisorNote: join(folder, NOTE) };
  if (data !== undefined) await rm(folders.logs, { recursive: true, force: true }); // those of the last run
  await mkdir(folders.logs, { recursive: true, mode: 0o700 });
  return folders;
}

/** Notes which process keeps the data folder in use. */
export async function noteSupervisor({ supervisorNote }: ClusterFolders, pid: number): Promise<void> {
  await writeFile(supervisorNote, `${pid}\n`);
}

async function assertNotInUse(folder: string): Promise<void> {
  const note = join(folder, NOTE);
  const pid = Number(await readFile(note, "utf8").catch(() => "0"));
  if (!(pid > 0 && isRunning(pid))) return;
  throw new TestbedError(
    `${folder} is in use by the cluster of process ${pid}. Stop it, or choose another folder. ` +
      `If that process is no testbed, since the machine was cut off, remove ${note}.`,
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * New certificates, and kubeconfigs for the server at `url`. A start over older data renews them: nothing that is kept in
 * etcd depends on them except service account tokens.
 */
export async function writeClusterFiles(folders: ClusterFolders, url: string): Promise<ClusterFiles> {
  const authority = createAuthority("testbed-ca");
  const frontProxy = createAuthority("testbed-front-proxy-ca");
  const server = authority.issue({
    usage: "server",
    commonName: "kube-apiserver",
    dnsNames: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
    ipAddresses: ["127.0.0.1"],
  });
  const admin = authority.issue({ usage: "client", commonName: "admin", organizations: ["system:masters"] });
  const manager = authority.issue({ usage: "client", commonName: "system:kube-controller-manager" });
  const proxy = frontProxy.issue({ usage: "client", commonName: "front-proxy-client" });
  const tokens = createSigningKey();
  const pki = join(folders.data, "pki");
  const files: ClusterFiles = {
    ...folders,
    pki,
    artifacts: join(folders.data, "artifacts"),
    etcdSocket: join(folders.runtime, "etcd.sock"),
    kubeconfig: join(folders.data, "kubeconfig"),
    controllerManagerKubeconfig: join(pki, "controller-manager.kubeconfig"),
    admin,
    ca: authority.certificate,
    frontProxyCa: frontProxy.certificate,
  };
  const kubeconfig = (client: KeyPair): string => formatKubeconfig({ server: url, ca: files.ca, client });
  await mkdir(pki, { recursive: true, mode: 0o700 });
  await mkdir(files.artifacts, { recursive: true });
  await writeAll({
    [join(pki, "ca.crt")]: files.ca,
    [join(pki, "front-proxy-ca.crt")]: files.frontProxyCa,
    [join(pki, "server.crt")]: server.certificate,
    [join(pki, "server.key")]: server.key,
    [join(pki, "front-proxy-client.crt")]: proxy.certificate,
    [join(pki, "front-proxy-client.key")]: proxy.key,
    [join(pki, "service-accounts.pub")]: tokens.publicKey,
    [join(pki, "service-accounts.key")]: tokens.key,
    [files.kubeconfig]: kubeconfig(admin),
    [files.controllerManagerKubeconfig]: kubeconfig(manager),
  });
  return files;
}

async function writeAll(contents: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(contents)) await writeFile(path, content, { mode: 0o600 });
}
