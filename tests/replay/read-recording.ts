import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, parseJson } from "@slipway/objects";
import { jsonSpan } from "./json-span.ts";
import { omittedBody } from "./omitted-body.ts";
import type {
  HttpStep,
  KubectlStep,
  RecordedBody,
  RecordedEffect,
  RecordedRequest,
  RecordedStep,
  RecordedWatch,
  Recording,
} from "./recording.ts";

/** The recordings below `folder`, which may hold both formats, sorted by name. The names begin with `prefix`. */
export function readRecordings(folder: string, prefix: string = basename(folder)): Recording[] {
  return recordingFiles(folder).map((file) =>
    readRecording(file, join(prefix, relative(folder, file).replace(/\.jsonl$/, ""))),
  );
}

/** The `.jsonl` files below `folder`, or `folder` itself when it is one. */
function recordingFiles(folder: string): string[] {
  if (statSync(folder).isFile()) return [folder];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".jsonl"))
    .sort()
    .map((file) => join(folder, file));
}

export function readRecording(file: string, name: string): Recording {
  // A string may hold U+2028, so nothing but "\n" ends a line.
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((text): Line => ({ text, value: asObject(parseJson(text, { duplicates: "last", maxDepth: 20_000 }), file) }));
  const first = lines.find(({ value }) => value.setup !== true)?.value ?? {};
  if (first.args !== undefined) return { name, format: "kubectl", steps: kubectlSteps(lines) };
  // Ids of the one begin with the name of the file, ids of the other are words.
  const prefix = `${basename(file, ".jsonl")}-`;
  const format = lines.every(({ value }) => String(value.id).startsWith(prefix)) ? "kube" : "cozystack";
  const steps = format === "kube" ? kubeSteps(lines) : lines.map((line) => cozystackStep(line, dirname(file)));
  return { name, format, steps };
}

interface Line {
  readonly text: string;
  readonly value: JsonObject;
}

/** Steps that run inside another stand only there. */
function kubeSteps(lines: readonly Line[]): RecordedStep[] {
  const byId = new Map(lines.map((line) => [String(line.value.id), line]));
  const inner = new Set(lines.flatMap(({ value }) => (value.watch === true ? strings(value.during) : [])));
  return lines.filter(({ value }) => !inner.has(String(value.id))).map((line) => kubeStep(line, (id) => byId.get(id)));
}

function kubeStep({ text, value }: Line, find: (id: string) => Line | undefined): HttpStep {
  const request = asObject(value.request);
  const response = asObject(value.response);
  const inJson = jsonSpan(text, ["request", "body"]);
  return {
    ...common(value),
    isPreparation: value.setup === true,
    isRepeated: String(value.about).endsWith("(repeated until so)"),
    request: {
      method: String(request.method),
      path: String(request.path),
      headers: stringMembers(request.headers),
      body: inJson ?? (typeof request.text === "string" ? request.text : undefined),
      bodyIsJson: inJson !== undefined,
      anonymous: request.auth === "none",
    },
    during:
      value.watch === true
        ? strings(value.during)
            .flatMap((id) => maybe(find(id)))
            .map((line) => kubeStep(line, find))
        : [],
    status: Number(response.status),
    headers: headerLists(response.headers),
    body: kubeBody(response),
    watch: kubeWatch(value),
    effects: [],
    effectsHaveManagers: true,
  };
}

function kubeBody({ body, text, base64 }: JsonObject): RecordedBody {
  if (body !== undefined) return { form: "json", value: body };
  if (typeof text === "string") return { form: "text", text };
  if (typeof base64 === "string") return { form: "bytes", bytes: Buffer.from(base64, "base64") };
  return { form: "none" };
}

function kubeWatch({ watch, events, endedBy }: JsonObject): RecordedWatch | undefined {
  if (watch !== true || !isJsonArray(events)) return undefined;
  return { events, endedBy: endedBy === "server" ? "server" : "client" };
}

function cozystackStep({ text, value }: Line, folder: string): HttpStep {
  const response = asObject(value.response);
  const request = cozystackRequest(asObject(value.request), jsonSpan(text, ["request", "body"]));
  return {
    ...common(value),
    isPreparation: asObject(value.request).to === "backend",
    isRepeated: false,
    request,
    before: isJsonObject(value.before) ? inlineStep(value.before, `${String(value.id)}~before`) : undefined,
    during: (isJsonArray(value.during) ? value.during : [])
      .filter(isJsonObject)
      .map((inner, index) => inlineStep(inner, `${String(value.id)}~${index + 1}`)),
    status: typeof response.status === "number" ? response.status : 0,
    headers: withoutAggregator(asObject(value.request), headerLists(response.headers)),
    body: cozystackBody(response, folder),
    watch: cozystackWatch(response),
    effects: effectsOf(value.effect),
    effectsHaveManagers: ["field-manager", "foreign-put-managed"].includes(String(value.id)),
  };
}

function cozystackRequest(request: JsonObject, bodyText: string | undefined): RecordedRequest {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (request.body !== undefined) headers["Content-Type"] = "application/json";
  for (const [name, header] of Object.entries(isJsonObject(request.headers) ? request.headers : {})) {
    if (header === null) delete headers[name];
    else headers[name] = String(header);
  }
  const base = {
    method: String(request.method),
    path: String(request.path),
    headers,
    anonymous: request.anonymous === true,
  };
  if (typeof request.body === "string") return { ...base, body: request.body, bodyIsJson: false };
  if (isJsonObject(request.body) && typeof request.body.$omitted === "string") {
    return {
      ...base,
      body: omittedBody(request.body.$omitted, Number(request.body.length), base.path),
      bodyIsJson: false,
    };
  }
  return { ...base, body: bodyText, bodyIsJson: bodyText !== undefined };
}

/** A request of which only the status was kept. */
function inlineStep(inner: JsonObject, id: string): HttpStep {
  const status = typeof inner.status === "number" ? inner.status : 200;
  const body = isJsonObject(inner.status) ? { status: inner.status } : inner.body;
  return {
    type: "http",
    id,
    about: `${String(inner.method)} ${String(inner.path)}`,
    isPreparation: inner.to === "backend",
    isRepeated: false,
    request: cozystackRequest(
      { ...inner, body },
      body === undefined ? undefined : JSON.stringify(body, (_name, member) => member),
    ),
    during: [],
    status,
    headers: {},
    body: { form: "none" },
    effects: [],
    effectsHaveManagers: false,
  };
}

/** kube-apiserver adds its own cache-control to the answer that it passes on. */
function withoutAggregator({ to }: JsonObject, headers: Record<string, string[]>): Record<string, string[]> {
  return to === "aggregator" ? { ...headers, "cache-control": [...new Set(headers["cache-control"])] } : headers;
}

function cozystackBody({ body, text }: JsonObject, folder: string): RecordedBody {
  if (typeof text === "string") return { form: "text", text };
  if (isJsonObject(body) && typeof body.$file === "string") {
    return { form: "json", value: parseJson(readFileSync(join(folder, body.$file), "utf8")) };
  }
  if (isJsonObject(body) && typeof body.$bytes === "number") {
    return { form: "excerpt", length: body.$bytes, start: String(body.$start) };
  }
  if (typeof body === "string") return { form: "text", text: body };
  return body === undefined ? { form: "none" } : { form: "json", value: body };
}

function cozystackWatch({ events, endedByServer }: JsonObject): RecordedWatch | undefined {
  if (!isJsonArray(events)) return undefined;
  return {
    events: events.map((event) => asObject(event).event ?? null),
    endedBy: endedByServer === undefined ? "client" : "server",
  };
}

function effectsOf(effect: JsonValue | undefined): RecordedEffect[] {
  if (!isJsonObject(effect)) return [];
  return Object.entries(effect).flatMap(([name, object]) =>
    object === null || isJsonObject(object) ? [{ name, object }] : [],
  );
}

function kubectlSteps(lines: readonly Line[]): RecordedStep[] {
  const byId = new Map(lines.map((line) => [String(line.value.id), line]));
  const inner = new Set(lines.flatMap(({ value }) => strings(value.during)));
  return lines
    .filter(({ value }) => !inner.has(String(value.id)))
    .map((line) => kubectlStep(line, (id) => byId.get(id)));
}

function kubectlStep({ value }: Line, find: (id: string) => Line | undefined): KubectlStep {
  const state = value.serverState;
  return {
    type: "kubectl",
    id: String(value.id),
    about: String(value.about),
    args: strings(value.args),
    stdin: typeof value.stdin === "string" ? value.stdin : undefined,
    files: stringMembers(value.files),
    env: stringMembers(value.env),
    during: strings(value.during)
      .flatMap((id) => maybe(find(id)))
      .map((line) => kubectlStep(line, find)),
    stoppedAfterMs:
      typeof value.stopped === "string" ? Number(/after (\d+) ms/.exec(value.stopped)?.[1] ?? 800) : undefined,
    exitCode: typeof value.exitCode === "number" ? value.exitCode : null,
    signal: typeof value.signal === "string" ? value.signal : undefined,
    stdout: String(value.stdout ?? ""),
    stderr: String(value.stderr ?? ""),
    serverState: isJsonObject(state)
      ? { path: String(state.path), status: Number(state.status), body: state.body ?? null }
      : undefined,
    setup: value.setup === true ? { objects: objectsOf(value.objects), statuses: maybe(value.statuses) } : undefined,
  };
}

function common(value: JsonObject): Pick<HttpStep, "type" | "id" | "about"> {
  return { type: "http", id: String(value.id), about: String(value.about) };
}

const maybe = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value]);
const strings = (value: JsonValue | undefined): string[] => (isJsonArray(value) ? value.map(String) : []);
const objectsOf = (value: JsonValue | undefined): JsonObject[] =>
  isJsonArray(value) ? value.filter(isJsonObject) : [];

function stringMembers(value: JsonValue | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(isJsonObject(value) ? value : {}).map(([name, member]) => [name, String(member)]),
  );
}

function headerLists(value: JsonValue | undefined): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(isJsonObject(value) ? value : {}).map(([name, member]) => [
      name.toLowerCase(),
      isJsonArray(member) ? member.map(String) : [String(member)],
    ]),
  );
}

function asObject(value: JsonValue | undefined, source = "recording"): JsonObject {
  if (!isJsonObject(value)) throw new TypeError(`${source}: a line that is not what the format says`);
  return value;
}
