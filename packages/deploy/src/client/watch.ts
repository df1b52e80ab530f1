import { type GroupVersionKind, isJsonObject, type JsonObject, type WatchEvent } from "@slipway/objects";
import type { AbortScope } from "./abort-scope.ts";
import { eventRefusal } from "./answers.ts";
import { noUsableAnswer } from "./errors.ts";
import { decodeEvents, type RawEvent } from "./event-decoder.ts";
import { readObject } from "./read-object.ts";

export interface WatchSource {
  readonly kind: GroupVersionKind;
  readonly maxEventBytes: number;
  /** The scope of one watch: below the signal of the caller. */
  openScope(): AbortScope;
  /** Sends the request. The bytes end, or throw, when the signal aborts. */
  open(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/**
 * A watch: every loop over it opens one of its own. It ends when the signal aborts, when the consumer leaves (also while
 * it waits for an event), and when the server ends it, which servers do after some time. Going on from the last version
 * seen, with backoff, belongs here, around {@link watchOnce}.
 */
export function watch(source: WatchSource): AsyncIterable<WatchEvent> {
  return {
    [Symbol.asyncIterator]() {
      const scope = source.openScope();
      const events = watchOnce(source, scope);
      return {
        next: () => events.next(),
        return: () => {
          scope.end(); // first: a generator that waits for an event does not hear that it is to return
          return events.return(undefined);
        },
      };
    },
  };
}

async function* watchOnce(
  { kind, maxEventBytes, open }: WatchSource,
  { signal, end }: AbortScope,
): AsyncGenerator<WatchEvent, undefined> {
  try {
    if (signal.aborted) return;
    for await (const event of decodeEvents(await open(signal), { maxLineBytes: maxEventBytes })) {
      if (signal.aborted) return;
      yield toWatchEvent(event, kind);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    end();
  }
}

/** @throws {ApiStatusError} for an ERROR event. */
function toWatchEvent({ type, object }: RawEvent, kind: GroupVersionKind): WatchEvent {
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type, object: readObject(object, kind, "watch") };
    case "BOOKMARK":
      return { type, ...readBookmark(object) };
    case "ERROR":
      throw eventRefusal(object);
    default:
      throw noUsableAnswer(`the watch has an event of type "${type}". Check that this client is new enough.`);
  }
}

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

function readBookmark({ metadata }: JsonObject): {
  readonly resourceVersion: string;
  readonly initialEventsEnd: boolean;
} {
  const { resourceVersion, annotations } = isJsonObject(metadata) ? metadata : {};
  if (typeof resourceVersion !== "string") {
    throw noUsableAnswer("the watch has a bookmark without resourceVersion. Watch again.");
  }
  return {
    resourceVersion,
    initialEventsEnd: isJsonObject(annotations) && annotations[INITIAL_EVENTS_END] === "true",
  };
}
