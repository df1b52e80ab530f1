import { type ApiServer, pause, type ServerHost } from "@slipway/apiserver";
import { ApiStatusError, type GroupVersionKind, type KubeClient, type KubernetesObject } from "@slipway/objects";
import { buildDefinitionSet, type DefinitionSet } from "./definition-set.ts";
import { applicationGroup, applicationVersion } from "./derived-names.ts";
import type { ReleaseFlags } from "./release-flags.ts";
import { applicationResources } from "./resource.ts";

export const definitionKind: GroupVersionKind = {
  group: "cozystack.io",
  version: "v1alpha1",
  kind: "ApplicationDefinition",
};

export interface LiveDefinitionsOptions {
  readonly client: KubeClient;
  readonly server: Pick<ApiServer, "serve">;
  readonly flags: ReleaseFlags;
  readonly host: ServerHost;
  /** Called after each change of what is served. */
  readonly onChange?: ((set: DefinitionSet) => void) | undefined;
}

export interface LiveDefinitions extends AsyncDisposable {
  /** What is served now. */
  readonly current: DefinitionSet;
}

/** Between two attempts to watch, after the backend has refused one. */
const retryMs = 1000;

/**
 * Serves the kinds of all ApplicationDefinitions, and follows their changes: a new definition is served with the next
 * request, a changed one replaces its kind, a bad one is left out and named in `current.degraded`.
 *
 * Resolves when the definitions that exist are served.
 */
export async function serveDefinitions(options: LiveDefinitionsOptions): Promise<LiveDefinitions> {
  const stop = new AbortController();
  const known = new Map<string, KubernetesObject>();
  let current = publish(known, options);
  let ready: () => void = () => {};
  const started = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const following = follow(known, options, stop.signal, () => {
    current = publish(known, options);
    ready();
  });
  await started;
  return {
    get current() {
      return current;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await following;
    },
  };
}

function publish(known: ReadonlyMap<string, KubernetesObject>, options: LiveDefinitionsOptions): DefinitionSet {
  const set = buildDefinitionSet(known.values(), options.flags);
  options.server.serve(applicationGroup, applicationVersion, applicationResources(set, options.client, options));
  options.onChange?.(set);
  return set;
}

/** Keeps `known` as the backend has it. A lost watch starts again from the whole state. */
async function follow(
  known: Map<string, KubernetesObject>,
  { client, host }: LiveDefinitionsOptions,
  signal: AbortSignal,
  changed: () => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const seen = new Map<string, KubernetesObject>();
      let complete = false;
      for await (const event of client.watch(definitionKind, { signal, sendInitialEvents: true })) {
        if (event.type === "BOOKMARK") {
          if (!event.initialEventsEnd) continue;
          complete = true;
          known.clear();
          for (const [name, object] of seen) known.set(name, object);
        } else {
          const { name = "" } = event.object.metadata;
          const target = complete ? known : seen;
          if (event.type === "DELETED") target.delete(name);
          else target.set(name, event.object);
        }
        if (complete) changed();
      }
    } catch (error) {
      const again = ApiStatusError.isApiStatusError(error) && error.status.reason === "Expired";
      if (!signal.aborted && !again) host.logError("watch of ApplicationDefinitions", error);
    }
    if (!signal.aborted) await pause(retryMs, signal);
  }
}
