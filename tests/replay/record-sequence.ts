import { setTimeout as sleep } from "node:timers/promises";
import { formatJson, isJsonObject, type JsonObject, type JsonValue, parseJson } from "@slipway/objects";
import { EventReader } from "./event-reader.ts";
import { jsonSpan } from "./json-span.ts";
import { resolveJson, resolveText } from "./references.ts";
import { type Answer, comparedHeaders, tryJson } from "./response-comparison.ts";
import { type IncomingResponse, NoAnswer, type OutgoingRequest, readBytes, type Sender } from "./sender.ts";

/** The headers of an answer that a recording keeps; the others are always there, or belong to the connection. */
const keptHeaders = [...comparedHeaders.kube, "transfer-encoding"];

/** A watch is closed when nothing came for so long; its steps begin so long after its header. */
const QUIET_MS = 600;
const HEAD_START_MS = 120;
/** How long a step that is repeated may take to be answered as the sequence says. */
const REPEAT_TIMEOUT_MS = 30_000;

/**
 * Sends the steps of a sequence in the format of kube recordings, of which only what was sent counts, and gives the
 * lines with what came back. A step whose `about` ends in "(repeated until so)" is sent until its status is the one
 * that stands in the line.
 */
export async function recordSequence(lines: readonly string[], sender: Sender): Promise<string[]> {
  const recorder = new Recorder(lines, sender);
  for (const line of lines) await recorder.record(line);
  return recorder.recorded();
}

class Recorder {
  readonly #sender: Sender;
  readonly #byId: ReadonlyMap<string, string>;
  readonly #order: readonly string[];
  readonly #answers = new Map<string, Answer>();
  readonly #lines = new Map<string, string>();

  constructor(lines: readonly string[], sender: Sender) {
    this.#sender = sender;
    this.#byId = new Map(lines.map((line) => [idOf(line), line]));
    this.#order = lines.map(idOf);
  }

  /** In the order of the sequence. */
  recorded(): string[] {
    return this.#order.flatMap((id) => this.#lines.get(id) ?? []);
  }

  async record(line: string): Promise<void> {
    const step = asObject(parseJson(line));
    if (this.#lines.has(idOf(line))) return; // it ran inside a watch
    const request = this.#resolve(line, step);
    const isWatch = step.watch === true;
    const outcome = isWatch ? await this.#watch(step, request) : { response: await this.#exchange(step, request) };
    // What is said of a step stays in its own spelling; the answer is added behind it.
    const kept = ["id", "setup", "about", "watch", "request"].flatMap((name) => {
      const text = jsonSpan(line, [name]);
      return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
    });
    const sent = sentMember(line, request);
    const added = Object.entries(outcome).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
    this.#lines.set(idOf(line), `{${[...kept, ...sent, ...added].join(",")}}`);
  }

  #resolve(line: string, step: JsonObject): OutgoingRequest {
    const request = asObject(step.request);
    const text = (value: string): string => resolveText(value, this.#answers);
    const body = jsonSpan(line, ["request", "body"]);
    return {
      method: String(request.method),
      path: text(String(request.path)),
      headers: Object.fromEntries(
        Object.entries(asObject(request.headers)).map(([name, value]) => [name, text(String(value))]),
      ),
      body: body !== undefined ? resolveJson(body, this.#answers) : optionalText(request.text, text),
      anonymous: request.auth === "none",
    };
  }

  async #exchange(step: JsonObject, request: OutgoingRequest): Promise<string> {
    const wanted = Number(asObject(step.response).status);
    const isRepeated = String(step.about).endsWith("(repeated until so)");
    const deadline = Date.now() + REPEAT_TIMEOUT_MS;
    for (;;) {
      const answer = await answerOf(this.#sender, request);
      this.#answers.set(String(step.id), answer);
      if (!isRepeated || answer.status === wanted || Date.now() > deadline) return formatAnswer(answer);
      await sleep(100);
    }
  }

  async #watch(step: JsonObject, request: OutgoingRequest): Promise<Record<string, string>> {
    const stop = new AbortController();
    const startedAt = Date.now();
    const response = await this.#sender.send({ ...request, signal: stop.signal });
    const during = Array.isArray(step.during) ? step.during.map(String) : [];
    if (response.status !== 200) {
      const answer = { status: response.status, headers: response.headers, bytes: await readBytes(response) };
      return { response: formatAnswer(answer) };
    }
    const reader = new EventReader(response);
    await sleep(HEAD_START_MS);
    for (const id of during) await this.record(this.#byId.get(id) ?? missing(id));
    const endedByServer = await this.#awaitEnd(request, reader);
    const openMs = Date.now() - startedAt;
    stop.abort();
    await reader.ended;
    this.#answers.set(String(step.id), { status: response.status, headers: response.headers, bytes: new Uint8Array() });
    return {
      response: formatHead(response),
      during: JSON.stringify(during),
      events: formatJson(reader.events),
      endedBy: JSON.stringify(endedByServer ? "server" : "client"),
      openMs: String(Math.round(openMs / 100) * 100),
    };
  }

  /** A watch with a time limit is left to the server, any other is closed when it has become quiet. */
  async #awaitEnd({ path }: OutgoingRequest, reader: EventReader): Promise<boolean> {
    let isOver = false;
    const ended = reader.ended.then(() => {
      isOver = true;
    });
    const hasLimit = new URL(path, "http://server").searchParams.has("timeoutSeconds");
    if (hasLimit) await ended;
    else await reader.until(() => false, QUIET_MS);
    return isOver;
  }
}

async function answerOf(sender: Sender, request: OutgoingRequest): Promise<Answer> {
  try {
    const response = await sender.send(request);
    return { status: response.status, headers: response.headers, bytes: await readBytes(response) };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return { status: 0, headers: {}, bytes: new Uint8Array() };
  }
}

function formatHead({ status, headers }: Pick<IncomingResponse, "status" | "headers">): string {
  return `{"status":${status},"headers":${JSON.stringify(kept(headers))}}`;
}

/** The body as it came when it is JSON on one line, else as text, or in base64 when it is none. */
function formatAnswer({ status, headers, bytes }: Answer): string {
  const text = Buffer.from(bytes).toString("utf8");
  const isText = Buffer.from(text, "utf8").equals(Buffer.from(bytes));
  const trimmed = text.replace(/\n$/, "");
  const body = bodyMember(trimmed, text, isText, bytes);
  const closed = status === 0 ? `,"closed":"the server ended the connection without an answer"` : "";
  return `{"status":${status}${closed},"headers":${JSON.stringify(kept(headers))}${body}}`;
}

function bodyMember(trimmed: string, text: string, isText: boolean, bytes: Uint8Array): string {
  if (bytes.length === 0) return "";
  if (!isText) return `,"base64":"${Buffer.from(bytes).toString("base64")}"`;
  const isCompact = /^[[{]/.test(trimmed) && !trimmed.includes("\n") && tryJson(trimmed) !== undefined;
  return isCompact ? `,"body":${trimmed}` : `,"text":${JSON.stringify(text)}`;
}

function kept(headers: IncomingResponse["headers"]): Record<string, string | readonly string[]> {
  return Object.fromEntries(
    keptHeaders.flatMap((name): [string, string | readonly string[]][] => {
      const values = headers[name] ?? [];
      return values.length === 0 ? [] : [[name, values.length === 1 ? (values[0] ?? "") : values]];
    }),
  );
}

/** What went out, where references made it something else than what the line says. */
function sentMember(line: string, { path, headers, body }: OutgoingRequest): string[] {
  const before = asObject(asObject(parseJson(line)).request);
  const sent: string[] = [];
  if (path !== before.path) sent.push(`"path":${JSON.stringify(path)}`);
  if (JSON.stringify(headers) !== JSON.stringify(before.headers ?? {}))
    sent.push(`"headers":${JSON.stringify(headers)}`);
  const bodyBefore = jsonSpan(line, ["request", "body"]);
  // Bodies that were repeated to great length are not kept twice.
  if (bodyBefore !== undefined && body !== bodyBefore && (body?.length ?? 0) < 10_000) sent.push(`"body":${body}`);
  return sent.length === 0 ? [] : [`"sent":{${sent.join(",")}}`];
}

function optionalText(value: JsonValue | undefined, resolve: (text: string) => string): string | undefined {
  return typeof value === "string" ? resolve(value) : undefined;
}

function missing(id: string): never {
  throw new TypeError(`${id}: a watch names it, and the sequence has no such step`);
}

const idOf = (line: string): string => String(JSON.parse(jsonSpan(line, ["id"]) ?? '""'));
const asObject = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
