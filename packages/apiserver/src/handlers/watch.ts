import {
  ApiStatusError,
  formatApiVersion,
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
import { negotiateWatch, type Representation } from "./negotiate.ts";
import { type WatchOptions, watchOptions } from "./options.ts";
import { representObject, toStatus } from "./respond.ts";
import { wireJson } from "./wire-json.ts";

/** Watches without `timeoutSeconds` live this long at least, and up to twice as long (kube-apiserver's default). */
const minWatchSeconds = 1800;

export async function openWatch(call: Call): Promise<ApiResponse> {
  const { request, info, target, context, host } = call;
  const representation = negotiateWatch(request.headers, info.query);
  const options = watchOptions(info);
  const watch = requireAbility(target, "watch", "watch");
  const seconds = options.timeoutSeconds ?? minWatchSeconds * (1 + host.random());
  const scope = abortScope(context.signal, seconds * 1000);
  const events = begun(scope, () =>
    watch({ ...context, signal: scope.signal }, { ...options.request, lifetimeMs: seconds * 1000 }),
  );
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: eventLines(events, options, representation, call, scope),
  };
}

/** What `begin` gives; when it refuses, the scope is over. */
function begun<T>(scope: AbortScope, begin: () => T): T {
  try {
    return begin();
  } catch (error) {
    scope.end();
    throw error;
  }
}

/**
 * One JSON object per line. What the storage throws becomes an ERROR event, after which the stream ends: the header
 * with status 200 has gone out by then.
 */
async function* eventLines(
  events: AsyncIterable<RestEvent>,
  options: WatchOptions,
  representation: Representation,
  call: Call,
  scope: AbortScope,
): AsyncGenerator<string | Uint8Array> {
  const { host, request, requestId, sentEvents } = call;
  const { form } = call.target;
  const frameOf = eventFrames(representation, call);
  const counted = <T>(frame: T): T => {
    if (sentEvents !== undefined) sentEvents.count += 1;
    return frame;
  };
  try {
    for await (const event of events) {
      if (event.type === "BOOKMARK" && !isWanted(event, options)) continue;
      // An event is one object: asked for as lists, none of them can be shown, and kube-apiserver ends at the first.
      if (representation.transform.as === "PartialObjectMetadataList") return;
      if (event.type !== "BOOKMARK") {
        yield counted(frameOf(event.type, event.object, event.change));
      } else {
        yield counted(frameOf("BOOKMARK", bookmark(event.resourceVersion, event.initialEventsEnd, form), undefined));
      }
    }
  } catch (error) {
    if (scope.signal.aborted) return;
    if (!ApiStatusError.isApiStatusError(error)) host.logError(`watch ${request.url}`, error);
    yield counted(frame("ERROR", wireJson(toStatus(error, requestId))));
  } finally {
    scope.end();
  }
}

function isWanted(
  { initialEventsEnd }: { readonly initialEventsEnd: boolean },
  { bookmarks, markInitialEventsEnd }: WatchOptions,
): boolean {
  return bookmarks && (!initialEventsEnd || markInitialEventsEnd);
}

/** Never indented: clients read line by line. */
function frame(type: string, object: string): string {
  return `{"type":"${type}","object":${object}}\n`;
}

/**
 * What one watch makes of its events: the bytes that all watches share which ask for the same. In a watch as Table only
 * the first event names the columns; kubectl would print headers again.
 */
function eventFrames(
  { transform, ...representation }: Representation,
  { target: { form }, host, texts, frames }: Call,
): (type: string, object: KubernetesObject, change: object | undefined) => Uint8Array {
  const { as } = transform;
  const shownAs = as === "Object" ? as : JSON.stringify(transform);
  let isFirst = true;
  return (type, object, change) => {
    const now = host.now();
    const names = as === "Table" && isFirst;
    isFirst = false;
    const text = (): string => {
      if (as === "Object") return texts.of(object);
      const shown = representObject(object, form, { ...representation, transform }, now);
      return wireJson(as !== "Table" || names ? shown : { ...shown, columnDefinitions: null });
    };
    const atMs = as === "Table" ? now.getTime() : 0;
    return frames.of(form, change, `${type} ${names} ${shownAs}`, atMs, () => frame(type, text()));
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
