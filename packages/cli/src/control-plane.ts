import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type CustomResourceOptions,
  certificateAuthenticator,
  customResources,
  mastersOnly,
  type RequestLog,
  type ServerHost,
  startCluster,
} from "@slipway/apiserver";
import {
  createMetrics,
  listen,
  openCertificates,
  openDataFolder,
  openSqliteStorage,
  writeKubeconfig,
} from "@slipway/apiserver/node";
import { type DefinitionSet, defaultReleaseFlags, serveDefinitions } from "@slipway/applications";
import { readCustomResourceDefinitions } from "@slipway/applications/node";
import { isJsonObject, type KubeClient, type KubernetesObject, parseJson, SlipwayError } from "@slipway/objects";
import {
  type CustomKindFile,
  type DefinitionFile,
  type FileProblem,
  type LoadedHashes,
  loadDefinitions,
  readDefinitionFolder,
} from "./definition-files.ts";
import { kubernetesVersion, slipwayVersion } from "./version.ts";

export interface ControlPlaneOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Absolute. Made when it is missing. */
  readonly dataFolder: string;
  /**
   * Absolute: of ApplicationDefinitions, which are loaded, and CustomResourceDefinitions, whose kinds are served.
   * @default no definitions are loaded; ApplicationDefinitions in the data are served
   */
  readonly definitionsFolder?: string | undefined;
  readonly host: ServerHost;
  /** Is told of every request. @default nobody is told */
  readonly requestLog?: RequestLog | undefined;
}

/** A whole platform in this process: cluster, kinds, storage and listener. */
export interface ControlPlane extends AsyncDisposable {
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  readonly kubeconfig: string;
  /** How many kinds of applications are served at the start. */
  readonly kinds: number;
  /** What keeps a definition from being served, found at the start. */
  readonly problems: readonly FileProblem[];
}

/** There from the first start; whoever deletes one later has meant it. */
const firstNamespaces = ["default", "kube-system", "cozy-system", "tenant-root"];

/**
 * Starts everything and resolves when requests are answered and the kubeconfig is written. What was started is stopped
 * again when a later step fails.
 *
 * @throws {SlipwayError} `DATA_FOLDER_IN_USE`, `DATA_FORMAT_TOO_NEW`, `PORT_IN_USE`, `READ_FAILED`, `STORAGE_FAILED`
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { host, dataFolder } = options;
  const stack = new CleanUp();
  try {
    const folder = stack.use(await openDataFolder(dataFolder));
    const files = await readFiles(options.definitionsFolder);
    const storage = stack.use(await openSqliteStorage({ path: join(folder.path, "objects.db") }));
    const custom = readableKinds(files.customKinds, { storage, host, garbageCollection: false });
    const certificates = await openCertificates(join(folder.path, "certificates"), { now: host.now });
    const cluster = stack.use(
      startCluster({
        storage,
        host,
        definitions: [...(await readCustomResourceDefinitions()), ...custom.definitions],
        authenticate: certificateAuthenticator(),
        authorize: mastersOnly(),
        version: versionInfo(),
        operation: { metrics: await createMetrics(), requestLog: options.requestLog },
      }),
    );
    const loadProblems = await load(cluster.client, folder.path, files.definitions);
    const live = stack.use(await serveDefinitions({ ...cluster, flags: defaultReleaseFlags, host }));
    const listener = await listen(cluster.server.handle, {
      port: options.port,
      certificate: certificates.certificate,
      key: certificates.key,
      clientCa: certificates.ca,
      onError: (error) => host.logError("connection", error),
    });
    stack.use({
      [Symbol.asyncDispose]: () => {
        cluster.server.startShutdown();
        return listener.close();
      },
    });
    const kubeconfig = join(folder.path, "kubeconfig");
    const admin = await certificates.issueClientCertificate({
      commonName: "slipway-admin",
      organizations: ["system:masters"],
    });
    await writeKubeconfig(kubeconfig, {
      server: listener.url,
      ca: certificates.ca,
      clientCertificate: admin.certificate,
      clientKey: admin.key,
    });
    return {
      url: listener.url,
      kubeconfig,
      kinds: live.current.kinds.length,
      problems: [...files.problems, ...custom.problems, ...loadProblems, ...degraded(live.current, files.definitions)],
      [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
    };
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
}

async function readFiles(folder: string | undefined): ReturnType<typeof readDefinitionFolder> {
  return folder === undefined ? { definitions: [], customKinds: [], problems: [] } : readDefinitionFolder(folder);
}

/** One that cannot be read is a problem, and does not keep the others from being served. */
function readableKinds(
  files: readonly CustomKindFile[],
  options: CustomResourceOptions,
): { readonly definitions: readonly KubernetesObject[]; readonly problems: readonly FileProblem[] } {
  const definitions: KubernetesObject[] = [];
  const problems: FileProblem[] = [];
  for (const { file, object } of files) {
    try {
      customResources(object, options);
      definitions.push(object);
    } catch (error) {
      if (!SlipwayError.isSlipwayError(error)) throw error;
      problems.push({ file, problem: error.message });
    }
  }
  return { definitions, problems };
}

function versionInfo(): Record<string, string> {
  const { major, minor } = kubernetesVersion;
  return {
    major,
    minor,
    gitVersion: `v${major}.${minor}.0-slipway.${slipwayVersion}`,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "",
    compiler: "",
    platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
  };
}

/** First the namespaces of a new data folder, then new and changed definition files; what was loaded is noted last. */
async function load(
  client: KubeClient,
  dataFolder: string,
  definitions: readonly DefinitionFile[],
): Promise<readonly FileProblem[]> {
  const notes = join(dataFolder, "loaded-definitions.json");
  const loaded = await readHashes(notes);
  if (loaded === undefined) for (const name of firstNamespaces) await ensureNamespace(client, name);
  const { hashes, problems } = await loadDefinitions(client, definitions, loaded ?? {});
  // Beside and renamed: a cut write must not look like a first start.
  await writeFile(`${notes}.new`, `${JSON.stringify(hashes, undefined, 2)}\n`);
  await rename(`${notes}.new`, notes);
  return problems;
}

async function ensureNamespace(client: KubeClient, name: string): Promise<void> {
  const ref = { group: "", version: "v1", kind: "Namespace", namespace: "", name };
  if ((await client.get(ref)) !== undefined) return;
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, { fieldManager: "slipway" });
}

/** `undefined` on the first start. */
async function readHashes(path: string): Promise<LoadedHashes | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new SlipwayError(`${path}: cannot be read. Check its permissions.`, { code: "READ_FAILED", cause: error });
  }
  const value = parseJson(text);
  const hashes: Record<string, string> = {};
  for (const [name, hash] of Object.entries(isJsonObject(value) ? value : {})) {
    if (typeof hash === "string") hashes[name] = hash;
  }
  return hashes;
}

function degraded(set: DefinitionSet, definitions: readonly DefinitionFile[]): FileProblem[] {
  return set.degraded.map(({ name, problems }) => ({
    file: definitions.find(({ object }) => object.metadata.name === name)?.file,
    problem: `ApplicationDefinition/${name}: ${problems.join("; ")}`,
  }));
}

/** What was started, stopped in reverse order. `AsyncDisposableStack` is younger than Node 20. */
class CleanUp implements AsyncDisposable {
  readonly #started: AsyncDisposable[] = [];

  use<T extends AsyncDisposable>(resource: T): T {
    this.#started.push(resource);
    return resource;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const resource of this.#started.splice(0).reverse()) await resource[Symbol.asyncDispose]();
  }
}
