import { isJsonArray, isJsonObject, type JsonValue, parseJson } from "@slipway/objects";
import { setTimeout as sleep } from "node:timers/promises";
import { Bindings } from "./bindings.ts";
import { type Difference, shown } from "./difference.ts";
import { type EffectReader, noEffects } from "./effects.ts";
import { EventReader } from "./event-reader.ts";
import { type HttpStep, type Recording, type RecordedRequest } from "./recording.ts";
import { resolveJson, resolveText, UnresolvedReference } from "./references.ts";
import { type Answer, compareResponse, type ResponseOptions, summary, tryJson } from "./response-comparison.ts";
import { type IncomingResponse, NoAnswer, type OutgoingRequest, readBytes, type Sender } from "./sender.ts";
import { type Create, isSentinel, type Sentinel, sentinelFor } from "./sentinel.ts";
import { translateRequest } from "./translation.ts";
import { compareValues } from "./value-comparison.ts";

export interface StepResult {
  readonly id: string;
  readonly about: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** A preparation is no case of its own: it is reported only when it failed. */
  readonly isPreparation: boolean;
  readonly differences: readonly Difference[];
  /** Whether `metadata.managedFields`, which are left out above, were as recorded. `undefined`: none were recorded. */
  readonly managersMatch?: boolean | undefined;
  /** What was sent, for reports: `PATCH widgets/a application/merge-patch+json`. */
  readonly request: string;
}

export interface SequenceOptions {
  readonly sender: Sender;
  /** Where preparations go. @default the sender */
  readonly backend?: Sender | undefined;
  /** How objects behind the server are read. @default effects are not compared */
  readonly effects?: EffectReader | undefined;
  /** The API groups that the recording is about. */
  readonly groups: readonly string[];
  /**
   * How long to wait for an event, for the state a repeated step asks for, or for an answer, in milliseconds.
   * @default 600
   */
  readonly patienceMs?: number | undefined;
  /** Told of each step when it is done. */
  readonly onStep?: ((result: StepResult) => void) | undefined;
}

const sequenceDefaults = { patienceMs: 600 } as const satisfies Partial<SequenceOptions>;

/** A watch that no sentinel reaches is taken to be silent after this. */
const QUIET_MS = 120;
const ANSWER_TIMEOUT_MS = 10_000;

/** Sends the steps in order and compares the answers; references lead to our own answers. */
export async function runSequence(recording: Recording, options: SequenceOptions): Promise<StepResult[]> {
  const sequence = new Sequence(recording.format === "cozystack" ? "cozystack" : "kube", options);
  for (const step of recording.steps) if (step.type === "http") await sequence.run(step);
  return sequence.results;
}

class Sequence {
  readonly results: StepResult[] = [];
  readonly #options: SequenceOptions;
  readonly #format: "kube" | "cozystack";
  readonly #answers = new Map<string, Answer>();
  readonly #creates: Create[] = [];
  readonly #patienceMs: number;
  #bindings = new Bindings();

  constructor(format: "kube" | "cozystack", options: SequenceOptions) {
    this.#format = format;
    this.#options = options;
    this.#patienceMs = options.patienceMs ?? sequenceDefaults.patienceMs;
  }

  async run(step: HttpStep): Promise<void> {
    const differences = await this.#differencesOf(step);
    if (step.isPreparation && differences.length === 0) return;
    const result: StepResult = {
      id: step.id,
      about: step.about,
      outcome: differences.length === 0 ? "passed" : "failed",
      isPreparation: step.isPreparation,
      differences,
      managersMatch: this.#managersMatch(step),
      request: outlineOf(step.request),
    };
    this.results.push(result);
    this.#options.onStep?.(result);
  }

  async #differencesOf(step: HttpStep): Promise<readonly Difference[]> {
    try {
      if (step.before !== undefined) await this.#exchange(step.before);
      if (step.watch !== undefined) return await this.#runWatch(step);
      return await this.#runRequest(step);
    } catch (error) {
      if (!(error instanceof UnresolvedReference)) throw error;
      return [{ path: "reference", expected: "an earlier answer that has it", got: error.message }];
    }
  }

  async #runRequest(step: HttpStep): Promise<readonly Difference[]> {
    const deadline = Date.now() + (step.isRepeated ? this.#patienceMs : 0);
    for (;;) {
      const answer = await this.#exchange(step);
      const differences = await this.#compare(step, answer);
      if (differences.length === 0 || Date.now() >= deadline) return differences;
      await sleep(20);
    }
  }

  /** Sends, and keeps the answer for references. */
  async #exchange(step: HttpStep): Promise<Answer> {
    const request = this.#prepare(step);
    const sender = step.isPreparation ? (this.#options.backend ?? this.#options.sender) : this.#options.sender;
    const answer = await answerOf(sender, await this.#completed(step, request));
    this.#answers.set(step.id, answer);
    if (request.method === "POST" && answer.status === 201 && request.body !== undefined) {
      this.#creates.push({ collection: request.path.replace(/\?.*/s, ""), body: request.body });
    }
    return answer;
  }

  #prepare({ request }: HttpStep): OutgoingRequest {
    const { method, path, headers, body, bodyIsJson, anonymous } = request;
    const text = (value: string): string => resolveText(value, this.#answers);
    const resolved: OutgoingRequest = {
      method,
      path: text(path),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, text(value)])),
      body: body === undefined ? undefined : bodyIsJson ? resolveJson(body, this.#answers) : text(body),
      anonymous,
    };
    this.#pinWhatIsNamed(request);
    return this.#format === "cozystack" ? translateRequest(resolved, this.#bindings) : resolved;
  }

  /** A status that was put on an object is recorded alone: the object around it is the live one. */
  async #completed(step: HttpStep, request: OutgoingRequest): Promise<OutgoingRequest> {
    if (!step.id.endsWith("~before") || request.method !== "PUT") return request;
    const sender = this.#options.backend ?? this.#options.sender;
    const live = await answerOf(sender, { method: "GET", path: request.path.replace(/\/status$/, ""), headers: {} });
    const object = tryJson(Buffer.from(live.bytes).toString("utf8"));
    const part = parseJson(request.body ?? "{}");
    return isJsonObject(object) && isJsonObject(part)
      ? { ...request, body: JSON.stringify({ ...object, ...part }) }
      : request;
  }

  /** Uids and times that a request names itself are the same for everybody. */
  #pinWhatIsNamed({ body, path }: RecordedRequest): void {
    const named = `${path} ${body ?? ""}`.match(
      /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g,
    );
    const prefix = /"generateName":"((?:[^"\\]|\\.)*)"/.exec(body ?? "")?.[1];
    if (prefix !== undefined && prefix !== "") this.#bindings.noteGenerated(prefix);
    for (const value of named ?? []) if (this.#bindings.ourToken(value) === undefined) this.#bindings.pin(value);
  }

  async #compare(step: HttpStep, answer: Answer): Promise<readonly Difference[]> {
    const trial = this.#bindings.copy();
    const options = this.#responseOptions(trial);
    if (step.isPreparation) {
      const fits = this.#format === "kube" ? step.status === answer.status : succeeded(step) === succeeded(answer);
      if (fits) {
        compareResponse(step, answer, options);
        this.#bindings = trial;
        return [];
      }
      return [{ path: "status", expected: String(step.status), got: `${answer.status} ${summary(answer)}` }];
    }
    const differences = [...compareResponse(step, answer, options), ...(await this.#compareEffects(step, options))];
    // What a wrong answer binds is kept too when it is the right kind of answer: later steps are about the same objects.
    if (step.status === answer.status) this.#bindings = trial;
    return differences;
  }

  #responseOptions(bindings: Bindings): ResponseOptions {
    return { format: this.#format, bindings, groups: this.#options.groups };
  }

  async #compareEffects(step: HttpStep, options: ResponseOptions): Promise<Difference[]> {
    const differences: Difference[] = [];
    const read = this.#options.effects ?? noEffects;
    for (const { name, object } of step.effects) {
      const ours = await read(name, object, step.request);
      if (ours === undefined) continue;
      const withManagers = step.effectsHaveManagers;
      differences.push(...compareValues(object, ours, `effect ${name}`, { ...options, withManagers }));
    }
    return differences;
  }

  #managersMatch(step: HttpStep): boolean | undefined {
    const answer = this.#answers.get(step.id);
    if (answer === undefined || step.isPreparation || step.watch !== undefined) return undefined;
    if (step.body.form !== "json" || !JSON.stringify(step.body.value, plain).includes('"managedFields":')) return undefined;
    const ours = tryJson(Buffer.from(answer.bytes).toString("utf8"));
    if (ours === undefined) return false;
    const options = { ...this.#responseOptions(this.#bindings.copy()) };
    const [theirManagers, ourManagers] = [managersIn(step.body.value), managersIn(ours)];
    return compareValues(theirManagers, ourManagers, "managers", options).length === 0;
  }

  async #runWatch(step: HttpStep): Promise<readonly Difference[]> {
    const stop = new AbortController();
    const request = { ...this.#prepare(step), signal: stop.signal };
    const response = await sent(this.#options.sender, request);
    const isOpen = response.status === 200 && step.status === 200;
    const reader = isOpen ? new EventReader(response) : undefined;
    if (isOpen) await sleep(10); // a watch in process begins when it is read
    const inner = await this.#runDuring(step);
    let bytes: Uint8Array = new Uint8Array();
    if (reader === undefined) bytes = await withTimeout(readBytes(response), ANSWER_TIMEOUT_MS).catch(() => bytes);
    else await this.#awaitEvents(step, request.path, reader);
    stop.abort();
    if (reader !== undefined) await withTimeout(reader.ended, 1_000).catch(() => {});
    const events = reader?.events.filter((event) => !isSentinel(event));
    const answer: Answer = { status: response.status, headers: response.headers, bytes, events };
    this.#answers.set(step.id, answer);
    return [...(await this.#compare(step, answer)), ...inner];
  }

  /** Steps with answers of their own are cases of their own; of others only the status was recorded. */
  async #runDuring(step: HttpStep): Promise<Difference[]> {
    const differences: Difference[] = [];
    for (const inner of step.during) {
      if (this.#format === "kube") {
        await this.run(inner);
        continue;
      }
      const answer = await this.#exchange(inner);
      if (answer.status !== inner.status) {
        const got = `${answer.status} ${summary(answer)}`;
        differences.push({ path: `meanwhile ${inner.about}`, expected: String(inner.status), got });
      }
    }
    return differences;
  }

  /** Until all recorded events are there, and then until it is certain that no other comes. */
  async #awaitEvents(step: HttpStep, path: string, reader: EventReader): Promise<void> {
    const { events = [], endedBy = "client" } = step.watch ?? {};
    if (endedBy === "server") {
      const seconds = Number(new URL(path, "http://server").searchParams.get("timeoutSeconds") ?? 0);
      await withTimeout(reader.ended, seconds * 1_000 + this.#patienceMs).catch(() => {});
      return;
    }
    const wanted = this.#format === "kube" ? events.length : events.filter(isNoBookmark).length;
    const isEnough = (got: readonly JsonValue[]): boolean =>
      (this.#format === "kube" ? got : got.filter(isNoBookmark)).filter((event) => !isSentinel(event)).length >= wanted;
    await reader.until(isEnough, this.#patienceMs);
    const sentinel = sentinelFor(path, this.#creates);
    if (sentinel === undefined || !(await this.#plant(sentinel))) {
      await sleep(QUIET_MS);
      return;
    }
    await reader.until((got) => got.some(isSentinel), QUIET_MS);
    await this.#remove(sentinel);
  }

  async #plant({ collection, body }: Sentinel): Promise<boolean> {
    const headers = { "Content-Type": "application/json" };
    const answer = await answerOf(this.#options.sender, { method: "POST", path: collection, headers, body });
    this.#bindings.noteForeignWrite();
    return answer.status === 201;
  }

  async #remove({ collection }: Sentinel): Promise<void> {
    await answerOf(this.#options.sender, { method: "DELETE", path: `${collection}/zz-replay-sentinel`, headers: {} });
    this.#bindings.noteForeignWrite();
  }
}

async function sent(sender: Sender, request: OutgoingRequest): Promise<IncomingResponse> {
  try {
    return await withTimeout(sender.send(request), ANSWER_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return { status: 0, headers: {}, body: (async function* () {})() };
  }
}

async function answerOf(sender: Sender, request: OutgoingRequest): Promise<Answer> {
  const stop = new AbortController();
  const response = await sent(sender, { ...request, signal: stop.signal });
  try {
    const bytes = await withTimeout(readBytes(response), 2_000);
    return { status: response.status, headers: response.headers, bytes };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return { status: response.status, headers: response.headers, bytes: Buffer.from("(the answer does not end)") };
  } finally {
    stop.abort();
  }
}

async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

const succeeded = ({ status }: { readonly status: number }): boolean => status >= 200 && status < 300;
const isNoBookmark = (event: JsonValue): boolean => !isJsonObject(event) || event.type !== "BOOKMARK";
const plain = (_name: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

/** The managers of an object, or of each item of a list. */
function managersIn(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return null;
  if (isJsonArray(value.items)) return value.items.map(managersIn);
  const managers = isJsonObject(value.metadata) ? value.metadata.managedFields : undefined;
  return managers ?? null;
}

/** `PATCH widgets/a/status application/merge-patch+json`, for reports. */
function outlineOf({ method, path, headers }: RecordedRequest): string {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
  return [method, shown(path).slice(1, -1), type === undefined || method === "POST" ? "" : type].join(" ").trimEnd();
}
