import { isJsonArray, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from "@slipway/objects";
import type { HttpStep } from "./recording.ts";

/** A recorded step with one thing changed that the replayer must notice. */
export interface Mutation {
  /** `body/spec/size: 5 → 6`. */
  readonly what: string;
  readonly step: HttpStep;
}

/** A random number at least 0 and less than 1. */
export type Random = () => number;

/** The same numbers for the same seed (mulberry32). */
export function seededRandom(seed: string): Random {
  let state = [...seed].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, 7);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Path = readonly (string | number)[];

/** One field of the answer, changed, or left out; the status where nothing of the body is compared. */
export function mutateField(step: HttpStep, random: Random): Mutation {
  if (step.body.form === "text") return mutateText(step, step.body.text, random);
  if (step.body.form !== "json") return mutateStatus(step);
  const path = pick(comparedLeaves(step.body.value), random);
  if (path === undefined) return mutateStatus(step);
  const before = valueAt(step.body.value, path);
  const isLeftOut = random() < 0.2 && typeof path.at(-1) === "string";
  const after = isLeftOut ? undefined : changed(before);
  return {
    what: `body/${path.join("/")}: ${JSON.stringify(before, plain)} → ${JSON.stringify(after, plain) ?? "(left out)"}`,
    step: { ...step, body: { form: "json", value: replacedAt(step.body.value, path, after) } },
  };
}

/** One event of the watch: left out, sent twice, of another type, or with a field changed. */
export function mutateEvent(step: HttpStep, random: Random): Mutation | undefined {
  const { watch } = step;
  if (watch === undefined || watch.events.length === 0) return undefined;
  const candidates = watch.events.flatMap((event, index) => (typeOf(event) === "BOOKMARK" ? [] : [index]));
  const at = pick(candidates, random);
  const event = at === undefined ? undefined : watch.events[at];
  if (at === undefined || event === undefined) return undefined;
  const with_ = (events: readonly JsonValue[]): HttpStep => ({ ...step, watch: { ...watch, events } });
  const { events } = watch;
  switch (Math.floor(random() * 4)) {
    case 0:
      return { what: `events[${at}] left out`, step: with_(events.toSpliced(at, 1)) };
    case 1:
      return { what: `events[${at}] twice`, step: with_(events.toSpliced(at, 0, event)) };
    case 2: {
      const type = typeOf(event) === "ADDED" ? "MODIFIED" : "ADDED";
      return { what: `events[${at}] ${type}`, step: with_(events.with(at, replacedAt(event, ["type"], type))) };
    }
    default: {
      const path = pick(comparedLeaves(event), random) ?? ["type"];
      const after = changed(valueAt(event, path));
      return {
        what: `events[${at}]/${path.join("/")} changed`,
        step: with_(events.with(at, replacedAt(event, path, after))),
      };
    }
  }
}

function mutateStatus(step: HttpStep): Mutation {
  return { what: `status ${step.status} → ${step.status + 1}`, step: { ...step, status: step.status + 1 } };
}

/** A letter in the middle of a word; words of one letter and numbers vary too often. */
function mutateText(step: HttpStep, text: string, random: Random): Mutation {
  const words = [...text.matchAll(/(?<![\w.[\]+-])[a-z]{3,}(?=: |\n|$)/g)].filter(
    ({ index }) => !isVaryingLine(text, index),
  );
  const word = pick(words, random);
  if (word === undefined) return mutateStatus(step);
  const after = `${text.slice(0, word.index)}x${text.slice(word.index)}`;
  return {
    what: `text at ${word.index}: ${word[0]} → x${word[0]}`,
    step: { ...step, body: { form: "text", text: after } },
  };
}

function isVaryingLine(text: string, index: number): boolean {
  const line = text.slice(text.lastIndexOf("\n", index) + 1, text.indexOf("\n", index));
  return (
    /^\[[+-]\]|managedFields|f:|fieldsV1|fieldsType|manager|operation|subresource|time:|apiVersion|hash=/.test(line) ||
    text.slice(0, index).includes("managedFields:")
  );
}

/** Members that the READMEs of the recordings name as varying, and what is compared as a topic of its own. */
const varying: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "time",
  "lastTransitionTime",
  "managedFields",
  "continue",
  "cells",
  "storageVersionHash",
  "serverAddressByClientCIDRs",
  "token",
  // lists that also hold what is not compared
  "groups",
  "paths",
  "items[]",
]);

/** The paths to all scalars that are compared. */
function comparedLeaves(value: JsonValue): Path[] {
  const leaves: Path[] = [];
  const isDiscovery = isJsonObject(value) && String(value.kind).startsWith("APIGroup");
  const visit = (node: JsonValue, path: Path): void => {
    if (isJsonArray(node)) for (const [index, item] of node.entries()) visit(item, [...path, index]);
    else if (isJsonObject(node)) {
      const isGenerated = typeof node.generateName === "string";
      for (const [name, member] of Object.entries(node)) {
        if (member === undefined || varying.has(name) || (isGenerated && name === "name")) continue;
        if (isDiscovery && name === "items") continue;
        visit(member, [...path, name]);
      }
    } else if (!isVaryingText(node)) leaves.push(path);
  };
  visit(value, []);
  return leaves;
}

/** Texts that hold a time, a uid or a version: the letter that is changed could be one of theirs. */
function isVaryingText(value: JsonValue): boolean {
  return typeof value === "string" && /\d{4}-\d\d-\d\dT|[0-9a-f]{8}-[0-9a-f]{4}-/.test(value);
}

function changed(value: JsonValue | undefined): JsonValue {
  switch (typeof value) {
    case "string":
      return `${value}x`;
    case "number":
      return value + 1;
    case "bigint":
      return value + 1n;
    case "boolean":
      return !value;
    default:
      return "x"; // of null
  }
}

function valueAt(value: JsonValue, path: Path): JsonValue | undefined {
  let node: JsonValue | undefined = value;
  for (const part of path) {
    if (isJsonArray(node)) node = node[Number(part)];
    else if (isJsonObject(node)) node = node[part];
  }
  return node;
}

/** `value` with another value at `path`, or without the member. */
function replacedAt(value: JsonValue, path: Path, replacement: JsonValue | undefined): JsonValue {
  const [part, ...rest] = path;
  if (part === undefined) return replacement ?? null;
  if (isJsonArray(value)) return replacedItem(value, Number(part), rest, replacement);
  if (!isJsonObject(value)) return value;
  return replacedMember(value, String(part), rest, replacement);
}

function replacedItem(value: JsonArray, index: number, rest: Path, replacement: JsonValue | undefined): JsonArray {
  return value.with(index, replacedAt(value[index] ?? null, rest, replacement));
}

function replacedMember(value: JsonObject, name: string, rest: Path, replacement: JsonValue | undefined): JsonObject {
  if (rest.length > 0) return { ...value, [name]: replacedAt(value[name] ?? null, rest, replacement) };
  const { [name]: _, ...others } = value;
  return replacement === undefined ? others : { ...value, [name]: replacement };
}

function typeOf(event: JsonValue): string {
  return isJsonObject(event) ? String(event.type) : "";
}

function pick<T>(values: readonly T[], random: Random): T | undefined {
  return values[Math.floor(random() * values.length)];
}

function plain(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
