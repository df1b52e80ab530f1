import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "@slipway/objects";
import type { Bindings } from "./bindings.ts";
import { matchText } from "./text-comparison.ts";

interface Cause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/** What Go prints for problems that have no field of their own; they may be of any. */
const noField = "<nil>";

/**
 * Whether two refusals list the same problems where the order of problems is not fixed: a validator that walks a map
 * finds those of different properties in any order. Problems of one field, and those of `metadata`, which come first,
 * keep their order.
 *
 * `false` says only that this does not hold; the texts are then compared as they are.
 */
export function matchProblems(recorded: JsonObject, ours: JsonObject, bindings: Bindings): boolean {
  if (recorded.kind !== "Status" || recorded.reason !== "Invalid" || ours.reason !== "Invalid") return false;
  const [theirs, own] = [causesOf(recorded), causesOf(ours)];
  if (theirs === undefined || own === undefined || theirs.length < 2 || theirs.length !== own.length) return false;
  const trial = bindings.copy();
  const order = arrange(theirs, own, trial);
  if (order === undefined || !sameDetails(recorded, ours)) return false;
  return sameMessage(recorded, ours, theirs, own, trial);
}

/** For each cause of `theirs` the cause of `own` that says the same, or `undefined` when one has none. */
function arrange(theirs: readonly Cause[], own: readonly Cause[], bindings: Bindings): Cause[] | undefined {
  const left = [...own];
  const found: Cause[] = [];
  for (const cause of theirs) {
    // The first one left with this field: problems of one field keep their order.
    const index = left.findIndex(
      ({ field, message }) => field === cause.field && (field !== noField || message === cause.message),
    );
    const match = left[index];
    if (match === undefined || match.reason !== cause.reason) return undefined;
    if (!matchText(cause.message, match.message, bindings)) return undefined;
    left.splice(index, 1);
    found.push(match);
  }
  const leading = (causes: readonly Cause[]): number => causes.findIndex(({ field }) => !field.startsWith("metadata"));
  return leading(theirs) === leading(own) ? found : undefined;
}

/** The message holds every problem as `field: message`, in brackets. */
function sameMessage(
  recorded: JsonObject,
  ours: JsonObject,
  theirs: readonly Cause[],
  own: readonly Cause[],
  bindings: Bindings,
): boolean {
  const frame = (status: JsonObject, causes: readonly Cause[]): string | undefined => {
    const list = causes.map(({ field, message }) => `${field}: ${message}`).join(", ");
    const message = String(status.message);
    const at = message.indexOf(`[${list}]`);
    return at < 0 ? undefined : message.slice(0, at) + message.slice(at + list.length + 2);
  };
  const [before, after] = [frame(recorded, theirs), frame(ours, own)];
  return before !== undefined && after !== undefined && matchText(before, after, bindings);
}

function sameDetails(recorded: JsonObject, ours: JsonObject): boolean {
  const rest = ({ details }: JsonObject): string => {
    const { causes: _, ...members } = isJsonObject(details) ? details : {};
    return JSON.stringify(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return rest(recorded) === rest(ours);
}

function causesOf({ details }: JsonObject): Cause[] | undefined {
  if (!isJsonObject(details) || !isJsonArray(details.causes)) return undefined;
  return details.causes.map((cause: JsonValue) => {
    const { reason, field, message } = isJsonObject(cause) ? cause : {};
    return { reason: String(reason), field: String(field), message: String(message) };
  });
}
