import {
  ApiStatusError,
  formatApiVersion,
  type JsonObject,
  type KubernetesObject,
  type ObjectMeta,
  sortMembers,
} from "@slipway/objects";
import { type AbortScope, abortScope } from "../abort-scope.ts";
import { requireAbility } from "../registry/operations.ts";
import type { RestEvent } from "../registry/rest.ts";
import type { ApiResponse } from "../request.ts";
import type { ObjectForm } from "../resource.ts";
import type { Call } from "./call.ts";
import { acceptedWatchTypes, negotiate, notAcceptable, type Representation } from "./negotiate.ts";
import { type WatchOptions, watchOptions } from "./options.ts";
import { representObject, toStatus } from "./respond.ts";

/** Watches without `timeoutSeconds` live this long at least, and up to twice as long (kube-apiserver's default). */
const minWatchSeconds = 1800;

export async function openWatch(call: Call): Promise<ApiResponse> {
  const { request, info, target, context, host } = call;
  if ((request.headers.accept ?? "").split(",").every((clause) => /yaml/.test(clause)) && request.headers.accept) {
    throw notAcceptable(acceptedWatchTypes);
  }
  const representation = negotiate(request.headers, info.query, { watch: true });
  const options = watchOptions(info);
  const watch = requireAbility(target, "watch", "watch");
  const seconds = options.timeoutSeconds ?? minWatchSeconds * (1 + host.random());
  const scope = abortScope(context.signal, seconds * 1000);
  const events = watch({ ...context, signal: scope.signal }, { ...options.request, lifetimeMs: seconds * 1000 });
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: eventLines(events, options, representation, call, scope),
  };
}

/**
 * One JSON object per line. What the storage throws becomes an ERROR event, after which the stream ends: the header
 * with status 200 has gone out by then.
 */
async function* eventLines(
  events: AsyncIterable<RestEvent>,
  options: WatchOptions,
  representation: Representation,
  { target: { form: resource }, host, request, requestId, sentEvents, texts }: Call,
  scope: AbortScope,
): AsyncGenerator<string> {
  // Never indented: clients read line by line.
  const frame = (type: string, object: JsonObject): string => {
    if (sentEvents !== undefined) sentEvents.count += 1;
    return `{"type":"${type}","object":${texts.of(object)}}\n`;
  };
  const represent = tableOnceWithColumns(resource, representation, () => host.now());
  try {
    for await (const event of events) {
      // An event is one object: asked for as lists, none of them can be shown, and kube-apiserver shows none.
      if (representation.transform.as === "PartialObjectMetadataList") continue;
      if (event.type !== "BOOKMARK") {
        yield frame(event.type, represent(event.object));
      } else if (options.bookmarks && (!event.initialEventsEnd || options.markInitialEventsEnd)) {
        yield frame("BOOKMARK", represent(bookmark(event.resourceVersion, event.initialEventsEnd, resource)));
      }
    }
  } catch (error) {
    if (scope.signal.aborted) return;
    if (!ApiStatusError.isApiStatusError(error)) host.logError(`watch ${request.url}`, error);
    yield frame("ERROR", toStatus(error, requestId));
  } finally {
    scope.end();
  }
}

/** In a watch as Table only the first event names the columns; kubectl would print headers again. */
function tableOnceWithColumns(
  resource: ObjectForm,
  representation: Representation,
  now: () => Date,
): (object: KubernetesObject) => JsonObject {
  let first = true;
  return (object) => {
    const shown = representObject(object, resource, representation, now());
    if (representation.transform.as !== "Table") return shown;
    const event = first ? shown : { ...shown, columnDefinitions: null };
    first = false;
    return event;
  };
}

function bookmark(resourceVersion: string, initialEventsEnd: boolean, resource: ObjectForm): KubernetesObject {
  const metadata: ObjectMeta = {
    resourceVersion,
    ...(initialEventsEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
  };
  const apiVersion = formatApiVersion(resource.group, resource.version);
  const { kind } = resource.names;
  return resource.order === "typed"
    ? { kind, apiVersion, metadata }
    : (sortMembers({ apiVersion, kind, metadata }) as KubernetesObject);
}
