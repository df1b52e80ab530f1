import {
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  SlipwayError,
  setMember,
} from "@slipway/objects";
import { readYamlDocuments, type YamlDocument } from "@slipway/objects/yaml";

/** The entries of one or several kubeconfig files, before one context of them is chosen. */
export interface Kubeconfig {
  /** The files, in their order, for messages. */
  readonly sources: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, KubeconfigEntry>;
  readonly contexts: ReadonlyMap<string, KubeconfigEntry>;
  readonly users: ReadonlyMap<string, KubeconfigEntry>;
}

export interface KubeconfigEntry {
  /** The file it is in; its paths are relative to the folder of that file. */
  readonly source: string;
  /** Where in the file: `users[0].user`. */
  readonly field: string;
  readonly value: JsonObject;
}

/** All that is needed to speak to one server as one user. */
export interface ConnectionSettings {
  /** `https://host:port`, with a path when the API is below one, without a slash at its end. */
  readonly server: string;
  /** What the context works in unless told otherwise; `default` when it does not say. */
  readonly namespace: string;
  readonly tls: TlsSettings;
  readonly token?: string | undefined;
  /** Counts before `token`. Such files are renewed while clients run: read it again now and then. */
  readonly tokenFile?: string | undefined;
}

export interface TlsSettings {
  /** PEM. Absent: the authorities that the system trusts. */
  readonly ca?: string | undefined;
  /** PEM. */
  readonly clientCertificate?: string | undefined;
  /** PEM. */
  readonly clientKey?: string | undefined;
  /** What the server's certificate must be for, when that is not the host in the URL. */
  readonly serverName?: string | undefined;
  readonly insecureSkipVerify: boolean;
}

export interface KubeconfigSelection {
  /** @default the file's current-context */
  readonly context?: string | undefined;
  /** The text of a file that the kubeconfig refers to, by its path. */
  readonly readFile: (path: string) => Promise<string>;
}

/**
 * What a kubeconfig file says. `source` is its path: messages name it, and paths in the file are relative to its folder.
 * An empty file has no entries.
 *
 * @throws {SlipwayError} `INVALID_YAML`; `INVALID_OBJECT` with everything that is not as a kubeconfig has it.
 */
export function parseKubeconfig(text: string, source: string): Kubeconfig {
  const problems = new Problems();
  const [document, second] = readDocuments(text, source);
  const config = document?.value ?? {};
  if (second !== undefined) problems.add(source, "", "has several documents. Keep one of them.");
  if (!isJsonObject(config)) {
    problems.add(source, "", "is no mapping. Check that the file is a kubeconfig.");
    throw problems.error();
  }
  const { apiVersion = "v1", kind = "Config" } = config;
  if (apiVersion !== "v1" || kind !== "Config") {
    problems.add(source, "", `is ${show(kind)} in ${show(apiVersion)}. A kubeconfig is Config in v1.`);
  }
  const current = config["current-context"];
  if (!isAbsent(current) && typeof current !== "string") problems.add(source, "current-context", "is no string.");
  const kubeconfig: Kubeconfig = {
    sources: [source],
    currentContext: typeof current === "string" && current !== "" ? current : undefined,
    clusters: readEntries(config, source, "clusters", "cluster", problems),
    contexts: readEntries(config, source, "contexts", "context", problems),
    users: readEntries(config, source, "users", "user", problems),
  };
  problems.throwAny();
  return kubeconfig;
}

function readDocuments(text: string, source: string): YamlDocument[] {
  try {
    return readYamlDocuments(text, { source });
  } catch (error) {
    throw SlipwayError.isSlipwayError(error) ? withoutExcerpts(error) : error;
  }
}

/** The reader shows the lines that it cannot read. Those of a kubeconfig may hold a token or a key. */
function withoutExcerpts({ message, code }: SlipwayError): SlipwayError {
  const lines = message.split("\n").filter((line) => !/^\s*\d*\s*\|/.test(line));
  return new SlipwayError(lines.join("\n"), { code });
}

/** As kubectl merges the files of KUBECONFIG: the first that has an entry, or a current-context, decides it whole. */
export function mergeKubeconfigs(files: readonly Kubeconfig[]): Kubeconfig {
  const merged = (pick: (file: Kubeconfig) => ReadonlyMap<string, KubeconfigEntry>): Map<string, KubeconfigEntry> =>
    new Map(files.toReversed().flatMap((file) => [...pick(file)]));
  return {
    sources: files.flatMap(({ sources }) => sources),
    currentContext: files.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
    clusters: merged(({ clusters }) => clusters),
    contexts: merged(({ contexts }) => contexts),
    users: merged(({ users }) => users),
  };
}

/**
 * The server and the user of one context.
 *
 * @throws {SlipwayError} `USAGE` when there is no such context, or it wants what this client cannot do; `INVALID_OBJECT`
 *   with everything that is wrong with its cluster and its user. What `readFile` throws passes.
 */
export async function selectConnection(
  config: Kubeconfig,
  { context: name = config.currentContext, readFile }: KubeconfigSelection,
): Promise<ConnectionSettings> {
  const context = findContext(config, name);
  const problems = new Problems();
  const {
    cluster: clusterName,
    user: userName,
    namespace,
  } = new Stanza(context, problems).texts("cluster", "user", "namespace");
  const clusterEntry = config.clusters.get(clusterName ?? "");
  if (clusterEntry === undefined) {
    problems.add(context.source, context.field, `names the cluster "${clusterName ?? ""}", which is nowhere defined.`);
  }
  const userEntry = userName === undefined ? nobody : config.users.get(userName);
  if (userEntry === undefined) {
    problems.add(context.source, context.field, `names the user "${userName}", which is nowhere defined.`);
  }
  problems.throwAny();
  const cluster = new Stanza(clusterEntry ?? nobody, problems);
  const user = new Stanza(userEntry ?? nobody, problems);
  refuseUnsupported(cluster, user);
  const server = readServer(cluster);
  const ca = await cluster.content("certificate-authority", readFile);
  const insecureSkipVerify = cluster.flag("insecure-skip-tls-verify");
  if (insecureSkipVerify && ca !== undefined) {
    cluster.problem("insecure-skip-tls-verify", "makes no sense beside a certificate-authority. Remove one of them.");
  }
  const clientCertificate = await user.content("client-certificate", readFile);
  const clientKey = await user.content("client-key", readFile);
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    const [has, lacks] = clientKey === undefined ? ["certificate", "key"] : ["key", "certificate"];
    user.problem(`client-${has}`, `needs its client-${lacks} or client-${lacks}-data.`);
  }
  const { "tls-server-name": serverName } = cluster.texts("tls-server-name");
  const { token } = user.texts("token");
  const tokenFile = user.path("tokenFile");
  problems.throwAny();
  return {
    server,
    namespace: namespace ?? "default",
    tls: { ca, clientCertificate, clientKey, serverName, insecureSkipVerify },
    token,
    tokenFile,
  };
}

/** A context without a user is one for anonymous requests. */
const nobody: KubeconfigEntry = { source: "", field: "", value: {} };

function findContext({ sources, contexts, currentContext }: Kubeconfig, name: string | undefined): KubeconfigEntry {
  const found = name === undefined ? undefined : contexts.get(name);
  if (found !== undefined) return found;
  const files = sources.length === 0 ? "kubeconfig" : sources.join(", ");
  const known = contexts.size === 0 ? "There is none" : `There are ${[...contexts.keys()].map(show).join(", ")}`;
  const problem =
    name === undefined
      ? "no current-context is set, and no context was asked for"
      : `no context is named ${show(name)}${name === currentContext ? ", which current-context says" : ""}`;
  throw new SlipwayError(`${files}: ${problem}. ${known}.`, { code: "USAGE" });
}

type Entries = ReadonlyMap<string, KubeconfigEntry>;

/** `clusters: [{name, cluster}]` and its sisters. */
function readEntries(config: JsonObject, source: string, list: string, member: string, problems: Problems): Entries {
  const entries = new Map<string, KubeconfigEntry>();
  const items = getMember(config, list);
  if (isAbsent(items)) return entries;
  if (!isJsonArray(items)) {
    problems.add(source, list, "is no list.");
    return entries;
  }
  for (const [index, item] of items.entries()) {
    const where = `${list}[${index}]`;
    const name = isJsonObject(item) ? getMember(item, "name") : undefined;
    const value = isJsonObject(item) ? (getMember(item, member) ?? {}) : undefined;
    if (typeof name !== "string") problems.add(source, `${where}.name`, "is missing or no string.");
    else if (!isJsonObject(value)) problems.add(source, `${where}.${member}`, "is no mapping.");
    else if (entries.has(name)) problems.add(source, `${where}.name`, `${show(name)} is there twice. Rename one.`);
    else entries.set(name, { source, field: `${where}.${member}`, value });
  }
  return entries;
}

function readServer(cluster: Stanza): string {
  const { server } = cluster.texts("server");
  if (server === undefined) {
    cluster.problem("server", "is missing. Give the URL of the API server.");
    return "";
  }
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    cluster.problem("server", `${show(server)} is no URL that begins with https:// or http://.`);
    return "";
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    cluster.problem("server", `${show(url.origin + url.pathname)} has more than host, port and path. Remove the rest.`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

/** What changes who asks, or which way a request goes. Leaving it out silently would be worse than not connecting. */
const unsupportedClusterFields: Readonly<Record<string, string>> = {
  "proxy-url": "proxies are not supported yet. Use a server that can be reached directly.",
};

const useOthers = "Use a user with a token or a client certificate";
const unsupportedUserFields: Readonly<Record<string, string>> = {
  exec: `credential plugins are not run yet. ${useOthers}; "kubectl create token NAME" makes a token.`,
  "auth-provider": `kubectl itself no longer has auth providers. ${useOthers}.`,
  username: `API servers no longer take passwords. ${useOthers}.`,
  password: `API servers no longer take passwords. ${useOthers}.`,
  as: "impersonation is not supported yet. Use a user with the rights that are wanted.",
  "as-uid": "impersonation is not supported yet. Use a user with the rights that are wanted.",
  "as-groups": "impersonation is not supported yet. Use a user with the rights that are wanted.",
  "as-user-extra": "impersonation is not supported yet. Use a user with the rights that are wanted.",
};

function refuseUnsupported(cluster: Stanza, user: Stanza): void {
  const lines = [
    ...Object.entries(unsupportedClusterFields).map(([name, why]) => cluster.refusal(name, why)),
    ...Object.entries(unsupportedUserFields).map(([name, why]) => user.refusal(name, why)),
  ].filter((line) => line !== undefined);
  if (lines.length > 0) throw new SlipwayError(lines.join("\n"), { code: "USAGE" });
}

/** The fields of one entry. Null and the empty text are absent, as for kubectl. */
class Stanza {
  readonly #entry: KubeconfigEntry;
  readonly #problems: Problems;

  constructor(entry: KubeconfigEntry, problems: Problems) {
    this.#entry = entry;
    this.#problems = problems;
  }

  problem(name: string, text: string): void {
    this.#problems.add(this.#entry.source, `${this.#entry.field}.${name}`, text);
  }

  refusal(name: string, why: string): string | undefined {
    const value = getMember(this.#entry.value, name);
    if (isAbsent(value) || value === "") return undefined;
    const program = isJsonObject(value) ? (value.command ?? value.name) : undefined;
    const shown = typeof program === "string" ? ` (${program})` : "";
    return `${this.#entry.source}: ${this.#entry.field}.${name}${shown}: ${why}`;
  }

  texts<Name extends string>(...names: Name[]): { readonly [Each in Name]: string | undefined } {
    const texts: MutableJsonObject = {};
    for (const name of names) {
      const value = getMember(this.#entry.value, name);
      if (typeof value === "string" && value !== "") setMember(texts, name, value);
      else if (!isAbsent(value) && value !== "") this.problem(name, "is no string.");
    }
    return texts as { readonly [Each in Name]: string | undefined };
  }

  flag(name: string): boolean {
    const value = getMember(this.#entry.value, name);
    if (!isAbsent(value) && typeof value !== "boolean") this.problem(name, "is neither true nor false.");
    return value === true;
  }

  /** The path in field `name`, made absolute. */
  path(name: string): string | undefined {
    const path = getText(this.texts(name), name);
    if (path === undefined || path.startsWith("/")) return path;
    const slash = this.#entry.source.lastIndexOf("/");
    return slash === -1 ? path : `${this.#entry.source.slice(0, slash)}/${path}`;
  }

  /** What stands in `NAME-data` as base64, or in the file that `NAME` says. */
  async content(name: string, readFile: KubeconfigSelection["readFile"]): Promise<string | undefined> {
    const data = getText(this.texts(`${name}-data`), `${name}-data`);
    const path = this.path(name);
    if (data !== undefined && path !== undefined) {
      this.problem(name, `is there beside ${name}-data. Remove one of them.`);
      return undefined;
    }
    if (path !== undefined) return readFile(path);
    return data === undefined ? undefined : this.#decode(`${name}-data`, data);
  }

  #decode(name: string, data: string): string | undefined {
    try {
      return atob(data);
    } catch {
      this.problem(name, `is no base64. Give the text of a PEM file in base64, or its path as ${name.slice(0, -5)}.`);
      return undefined;
    }
  }
}

function getText(texts: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return texts[name];
}

/** Everything that is wrong is told at once, one line each. */
class Problems {
  readonly #lines: string[] = [];

  /** `field` is `""` for the file as a whole. */
  add(source: string, field: string, text: string): void {
    this.#lines.push(field === "" ? `${source}: ${text}` : `${source}: ${field}: ${text}`);
  }

  error(): SlipwayError {
    return new SlipwayError(this.#lines.join("\n"), { code: "INVALID_OBJECT" });
  }

  throwAny(): void {
    if (this.#lines.length > 0) throw this.error();
  }
}

function isAbsent(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function show(value: JsonValue): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}
