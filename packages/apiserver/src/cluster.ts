import type { JsonObject, KubeClient, KubernetesObject } from "@slipway/objects";
import { builtInKinds, withoutNamespaceFinalizer } from "./builtin/built-in-kinds.ts";
import { runNamespaceController } from "./builtin/namespace-controller.ts";
import { customResources } from "./custom-resource.ts";
import type { Authenticator } from "./filters/authentication.ts";
import type { Authorizer } from "./filters/authorization.ts";
import type { HealthCheck } from "./health.ts";
import type { ServerHost } from "./host.ts";
import { createLocalClient } from "./local-client.ts";
import type { OperationOptions } from "./operation.ts";
import { namespaceLifecycle, refuseImmortalNamespaces } from "./registry/admission.ts";
import type { UserInfo } from "./registry/rest.ts";
import type { Store } from "./registry/store.ts";
import type { Resource } from "./resource.ts";
import { type ApiServer, createApiServer } from "./server.ts";
import type { ObjectStorage } from "./storage/storage.ts";

export interface ClusterOptions {
  readonly storage: ObjectStorage;
  readonly host: ServerHost;
  /** CustomResourceDefinitions whose kinds are served beside the built-in kinds. */
  readonly definitions: readonly KubernetesObject[];
  readonly authenticate: Authenticator;
  readonly authorize: Authorizer;
  /**
   * Whether propagation policies leave their finalizers on objects. Nothing in here removes them: say so only where a
   * garbage collector works on the cluster.
   * @default false
   */
  readonly garbageCollection?: boolean | undefined;
  /** What `/version` answers. */
  readonly version: JsonObject;
  /** See `ApiServerOptions.operation`. */
  readonly operation?: OperationOptions | undefined;
}

/** A cluster without nodes: an API server with namespaces, configuration and custom kinds over one storage. */
export interface Cluster extends AsyncDisposable {
  readonly server: ApiServer;
  /** Acts as the cluster itself; never authorized, always admitted like everybody. */
  readonly client: KubeClient;
}

const clusterUser: UserInfo = { name: "system:apiserver", groups: ["system:masters", "system:authenticated"] };

/** Starts the cluster, controllers included. Disposing ends the controllers; the storage stays the caller's to close. */
export function startCluster(options: ClusterOptions): Cluster {
  const { storage, host } = options;
  const builtIn = builtInKinds({ storage, host });

  const server = createApiServer({
    host,
    authenticate: options.authenticate,
    authorize: options.authorize,
    version: options.version,
    info: { title: "Slipway", version: "v0.1.0" },
    healthChecks: [storageCheck(storage)],
    operation: options.operation,
    admission: [refuseImmortalNamespaces(), namespaceLifecycle((_context, name) => findNamespace(name))],
  });
  const client = createLocalClient(server, clusterUser);
  const findNamespace = (name: string): Promise<KubernetesObject | undefined> =>
    client.get({ group: "", version: "v1", kind: "Namespace", namespace: "", name });
  serveKinds(server, [...builtIn.resources, ...customKinds(options)]);

  const stop = new AbortController();
  const controller = runNamespaceController({
    client,
    resources: server.resources,
    finalize: (name) => finalizeNamespace(builtIn.finalizing, name, stop.signal),
    host,
    signal: stop.signal,
  });
  return {
    server,
    client,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await controller;
    },
  };
}

function customKinds({ definitions, storage, host, garbageCollection = false }: ClusterOptions): Resource[] {
  return definitions.flatMap((definition) => customResources(definition, { storage, host, garbageCollection }));
}

/** By group version. Of two kinds with the same address the first is served: no definition takes the place of a built-in kind. */
function serveKinds(server: ApiServer, kinds: readonly Resource[]): void {
  const versions = new Map<string, Map<string, Resource>>();
  for (const kind of kinds) {
    const address = `${kind.group}/${kind.version}`;
    const version = versions.get(address) ?? new Map<string, Resource>();
    versions.set(address, version);
    if (!version.has(kind.names.plural)) version.set(kind.names.plural, kind);
  }
  for (const version of versions.values()) {
    const resources = [...version.values()];
    const [first] = resources;
    if (first !== undefined) server.serve(first.group, first.version, resources);
  }
}

function storageCheck(storage: ObjectStorage): HealthCheck {
  return {
    name: "storage",
    check: async () => {
      await storage.revision();
    },
  };
}

async function finalizeNamespace(store: Store, name: string, signal: AbortSignal): Promise<void> {
  const context = { user: clusterUser, signal, warn: () => {} };
  await store.update(context, { namespace: "", name }, withoutNamespaceFinalizer, {
    dryRun: false,
    fieldManager: "namespace-controller",
    patch: true,
  });
}
