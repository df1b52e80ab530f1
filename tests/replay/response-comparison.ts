import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, parseJson } from "@slipway/objects";
import { readYamlDocuments } from "@slipway/objects/yaml";
import type { Bindings } from "./bindings.ts";
import { type Difference, shown } from "./difference.ts";
import { withoutOthers } from "./other-files.ts";
import { readProtobuf } from "./protobuf-comparison.ts";
import type { HttpStep, RecordedBody } from "./recording.ts";
import { matchText } from "./text-comparison.ts";
import { type ComparisonOptions, compareValues, type TableState } from "./value-comparison.ts";

/** What came back for a step. */
export interface Answer {
  /** 0: no answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly bytes: Uint8Array;
  /** Of a watch. */
  readonly events?: readonly JsonValue[] | undefined;
}

/** The headers that recorders keep; `transfer-encoding` belongs to the connection. */
export const comparedHeaders: Readonly<Record<"kube" | "cozystack", readonly string[]>> = {
  kube: [
    "content-type",
    "warning",
    "retry-after",
    "etag",
    "vary",
    "cache-control",
    "content-encoding",
    "location",
    "allow",
    "x-content-type-options",
    "expires",
    "last-modified",
    "www-authenticate",
  ],
  cozystack: [
    "content-type",
    "warning",
    "etag",
    "cache-control",
    "vary",
    "last-modified",
    "allow",
    "location",
    "retry-after",
  ],
};

/** Whether they are there counts, what they say does not. */
const presenceOnly: ReadonlySet<string> = new Set(["expires", "last-modified"]);

export interface ResponseOptions extends ComparisonOptions {
  readonly format: "kube" | "cozystack";
  /** In answers over all namespaces only objects of these are compared. @default all */
  readonly namespaces?: ReadonlySet<string> | undefined;
}

export function compareResponse(step: HttpStep, answer: Answer, options: ResponseOptions): Difference[] {
  if (step.status !== answer.status) {
    const got = answer.status === 0 ? "no answer" : `${answer.status} ${summary(answer)}`;
    return [{ path: "status", expected: step.status === 0 ? "no answer" : String(step.status), got }];
  }
  const isOverAll = !step.request.path.includes("/namespaces/");
  const own = isOverAll ? options : { ...options, namespaces: undefined };
  return [
    ...compareHeaders(step, answer, options),
    ...compareBody(step.body, answer, own),
    ...compareEvents(step, answer, own),
  ];
}

/** What an answer says, in one line. */
export function summary({ bytes }: Answer): string {
  const text = Buffer.from(bytes).toString("utf8");
  const value = tryJson(text);
  if (isJsonObject(value) && typeof value.message === "string") return shown(value.message);
  return shown(text.trimEnd());
}

function compareHeaders(step: HttpStep, answer: Answer, { format, bindings }: ResponseOptions): Difference[] {
  return comparedHeaders[format].flatMap((name): Difference[] => {
    const [recorded, ours] = [step.headers[name] ?? [], answer.headers[name] ?? []];
    if (recorded.length === 0 && ours.length === 0) return [];
    const fits =
      recorded.length === ours.length &&
      recorded.every((value, index) => matchHeader(name, value, ours[index] ?? "", bindings));
    return fits ? [] : [{ path: `header ${name}`, expected: shownHeader(recorded), got: shownHeader(ours) }];
  });
}

function matchHeader(name: string, recorded: string, ours: string, bindings: Bindings): boolean {
  if (presenceOnly.has(name)) return true;
  if (name === "etag") return /^"[0-9A-F]{128}"$/.test(ours) && bindings.matchToken(recorded, ours);
  return matchText(recorded, ours, bindings);
}

const shownHeader = (values: readonly string[]): string => (values.length === 0 ? "(absent)" : values.join(" | "));

function compareBody(recorded: RecordedBody, answer: Answer, options: ResponseOptions): Difference[] {
  const text = Buffer.from(answer.bytes).toString("utf8");
  switch (recorded.form) {
    case "none":
      return text === "" || answer.events !== undefined
        ? []
        : [{ path: "body", expected: "(empty)", got: shown(text) }];
    case "json":
      return compareJson(recorded.value, text, options);
    case "text":
      return compareText(recorded.text, text, options);
    case "bytes":
      return compareBytes(recorded.bytes, answer.bytes, options);
    case "excerpt": {
      const start = Buffer.from(answer.bytes).toString("hex").slice(0, recorded.start.length);
      if (start === recorded.start && answer.bytes.length === recorded.length) return [];
      const excerpt = (bytes: number, first: string): string => `${bytes} bytes that begin with ${first}`;
      return [
        { path: "body", expected: excerpt(recorded.length, recorded.start), got: excerpt(answer.bytes.length, start) },
      ];
    }
  }
}

function compareBytes(recorded: Uint8Array, ours: Uint8Array, options: ResponseOptions): Difference[] {
  const [theirs, own] = [readProtobuf(recorded), readProtobuf(ours)];
  if (theirs !== undefined && own !== undefined) return compareProtobuf(theirs, own, options);
  if (Buffer.from(recorded).equals(Buffer.from(ours))) return [];
  return [{ path: "body", expected: `${recorded.length} bytes`, got: `${ours.length} other bytes` }];
}

/** Fields have no names, so a version is any number in a text that stands in one place in both. */
function compareProtobuf(recorded: JsonValue, ours: JsonValue, options: ResponseOptions): Difference[] {
  const numbers = (value: JsonValue): JsonValue =>
    JSON.parse(JSON.stringify(value).replace(/"(?:[1-9]\d{0,6})"(?=[\],])/g, '"(number)"')) as JsonValue;
  return compareValues(numbers(recorded), numbers(ours), "body", options);
}

/** A parsed body was on one line, however the answer had it; the recorder of cozystack-api did not keep that. */
function compareJson(recorded: JsonValue, text: string, options: ResponseOptions): Difference[] {
  const ours = tryJson(text);
  if (ours === undefined) return [{ path: "body", expected: shown(recorded), got: shown(text) }];
  const layout: Difference[] =
    options.format === "kube" && layoutOf(text) !== "one line"
      ? [{ path: "layout", expected: "one line", got: layoutOf(text) }]
      : [];
  return [...layout, ...compareValues(own(recorded, options), own(ours, options), "body", options)];
}

function own(value: JsonValue, { namespaces }: ResponseOptions): JsonValue {
  return namespaces === undefined ? value : (withoutOthers(value, namespaces) ?? value);
}

function ownEvents(events: readonly JsonValue[], { namespaces }: ResponseOptions): readonly JsonValue[] {
  if (namespaces === undefined) return events;
  return events.flatMap((event) => withoutOthers(event, namespaces) ?? []);
}

function compareText(recorded: string, text: string, options: ResponseOptions): Difference[] {
  const theirs = tryJson(recorded) ?? tryYaml(recorded);
  const ours = theirs === undefined ? undefined : (tryJson(text) ?? tryYaml(text));
  if (theirs !== undefined && ours !== undefined) {
    const layouts = [layoutOf(recorded), layoutOf(text)] as const;
    const layout = layouts[0] === layouts[1] ? [] : [{ path: "layout", expected: layouts[0], got: layouts[1] }];
    return [...layout, ...compareValues(theirs, ours, "body", options)];
  }
  const [before, after] = [withoutChecks(recorded), withoutChecks(text)];
  return matchText(before, after, options.bindings)
    ? []
    : [{ path: "body", expected: shown(before), got: shown(after) }];
}

/** Names of health checks are those of the server: only `ping`, and what is said of all of them, is compared. */
function withoutChecks(text: string): string {
  return text
    .split("\n")
    .filter((line) => !/^\[[+-]\](?!ping\b)/.test(line))
    .join("\n");
}

function layoutOf(text: string): string {
  const trimmed = text.trimEnd();
  if (!/^[[{]/.test(trimmed)) return "YAML";
  if (!trimmed.includes("\n")) return "one line";
  return `JSON indented by ${/\n( +)/.exec(trimmed)?.[1]?.length ?? 0}`;
}

export function tryJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text, { maxDepth: 20_000 });
  } catch {
    return undefined;
  }
}

/** Only what is an object in YAML: any text is a YAML string. */
function tryYaml(text: string): JsonObject | undefined {
  if (!/^[A-Za-z]+:[ \n]/.test(text)) return undefined;
  try {
    const [document, ...others] = readYamlDocuments(text, { source: "body" });
    return others.length === 0 && isJsonObject(document?.value) ? document.value : undefined;
  } catch {
    return undefined;
  }
}

function compareEvents({ watch }: HttpStep, { events }: Answer, options: ResponseOptions): Difference[] {
  if (watch === undefined || events === undefined) return [];
  const [recorded, ours] =
    options.format === "cozystack"
      ? [
          ownEvents(watch.events, options).filter(isNoPeriodicBookmark),
          ownEvents(events, options).filter(isNoPeriodicBookmark),
        ]
      : [withoutRepeatedBookmarks(watch.events), withoutRepeatedBookmarks(events)];
  const differences: Difference[] = [];
  if (recorded.length !== ours.length) {
    differences.push({ path: "events", expected: outline(recorded), got: outline(ours) });
  }
  const tables: TableState = {};
  for (let index = 0; index < Math.min(recorded.length, ours.length); index++) {
    const [theirs, own] = [recorded[index] ?? null, ours[index] ?? null];
    const path = `events[${index}]`;
    if (outline([theirs]) !== outline([own]) && !isGenerated(theirs)) {
      differences.push({ path, expected: outline([theirs]), got: outline([own]) });
      break; // what follows is shifted
    }
    const isBookmark = typeOf(theirs) === "BOOKMARK";
    differences.push(...compareValues(theirs, own, path, { ...options, isBookmark }, tables));
  }
  return differences;
}

function isGenerated(event: JsonValue): boolean {
  return JSON.stringify(event, bigints).includes('"generateName":');
}

function typeOf(event: JsonValue): string {
  return isJsonObject(event) ? String(event.type) : "";
}

/** When and whether one comes is not fixed; those with an annotation end the initial events. */
function isNoPeriodicBookmark(event: JsonValue): boolean {
  if (!isJsonObject(event) || event.type !== "BOOKMARK") return true;
  return JSON.stringify(event.object, bigints).includes("k8s.io/initial-events-end");
}

/** Near its deadline a watch may say twice where it is. */
function withoutRepeatedBookmarks(events: readonly JsonValue[]): readonly JsonValue[] {
  return events.filter((event, index) => {
    const before = events[index - 1];
    return typeOf(event) !== "BOOKMARK" || before === undefined || typeOf(before) !== "BOOKMARK";
  });
}

/** `ADDED a, MODIFIED a, BOOKMARK`. */
function outline(events: readonly JsonValue[]): string {
  return events.length === 0
    ? "no events"
    : events.map((event) => `${typeOf(event)} ${nameOf(event)}`.trimEnd()).join(", ");
}

function nameOf(event: JsonValue): string {
  let value: JsonValue | undefined = isJsonObject(event) ? event.object : undefined;
  if (isJsonObject(value) && isJsonArray(value.rows))
    value = isJsonObject(value.rows[0]) ? value.rows[0].object : undefined;
  const metadata = isJsonObject(value) ? value.metadata : undefined;
  return isJsonObject(metadata) && typeof metadata.name === "string" ? metadata.name : "";
}

export function bigints(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
