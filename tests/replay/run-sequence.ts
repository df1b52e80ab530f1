import { setTimeout as sleep } from "node:timers/promises";
import { isJsonArray, isJsonObject, type JsonValue, parseJson } from "@slipway/objects";
import { Bindings } from "./bindings.ts";
import { type Difference, shown } from "./difference.ts";
import { type EffectReader, noEffects } from "./effects.ts";
import { EventReader } from "./event-reader.ts";
import { namespacesOf, withoutOthers } from "./other-files.ts";
import { RecordedClock } from "./recorded-clock.ts";
import type { HttpStep, RecordedRequest, Recording } from "./recording.ts";
import { resolveJson, resolveText, UnresolvedReference } from "./references.ts";
import { type Answer, compareResponse, type ResponseOptions, summary, tryJson } from "./response-comparison.ts";
import { type IncomingResponse, NoAnswer, type OutgoingRequest, readBytes, type Sender } from "./sender.ts";
import { type Create, isSentinel, type Sentinel, sentinelFor, sentinelName } from "./sentinel.ts";
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
  /** Makes what a step would have left behind, after it was refused: later steps are about it. @default nothing */
  readonly repair?: ((step: HttpStep) => Promise<void>) | undefined;
  /**
   * Sets the clock of the server to the time of a step, so that what was written in one second is so again, and the rest
   * is not. @default the clock runs
   */
  readonly setTime?: ((time: Date) => void) | undefined;
  /** Whether others write to the store meanwhile, such as controllers. @default false */
  readonly isShared?: boolean | undefined;
  /** The API groups that the recording is about. */
  readonly groups: readonly string[];
  /**
   * How long to wait for an event, or for the state a repeated step asks for, in milliseconds.
   * @default 5_000
   */
  readonly patienceMs?: number | undefined;
  /** Whether the step is known not to be as recorded: then there is little to wait for. @default none is */
  readonly isListed?: ((id: string) => boolean) | undefined;
  /**
   * Told of each answer with the comparison that it is put to. Comparing again changes nothing.
   */
  readonly onAnswer?: ((step: HttpStep, compareAgain: (step: HttpStep) => readonly Difference[]) => void) | undefined;
}

const sequenceDefaults = { patienceMs: 5_000 } as const satisfies Partial<SequenceOptions>;

/** For steps that are listed. */
const LITTLE_PATIENCE_MS = 300;

/** A watch that no sentinel reaches is taken to be silent after this. */
const QUIET_MS = 120;
const ANSWER_TIMEOUT_MS = 10_000;

/** Sends the steps in order and compares the answers; references lead to our own answers. */
export async function runSequence(recording: Recording, options: SequenceOptions): Promise<StepResult[]> {
  const sequence = new Sequence(recording, options);
  for (const step of recording.steps) if (step.type === "http") await sequence.run(step);
  return sequence.results;
}

class Sequence {
  readonly results: StepResult[] = [];
  readonly #options: SequenceOptions;
  readonly #format: "kube" | "cozystack";
  readonly #namespaces: ReadonlySet<string> | undefined;
  readonly #answers = new Map<string, Answer>();
  readonly #creates: Create[] = [];
  readonly #clock = new RecordedClock();
  #bindings = new Bindings();

  constructor(recording: Recording, options: SequenceOptions) {
    this.#format = recording.format === "cozystack" ? "cozystack" : "kube";
    this.#namespaces = recording.format === "cozystack" ? namespacesOf(recording) : undefined;
    this.#options = options;
  }

  async run(step: HttpStep): Promise<void> {
    const time = this.#clock.timeOf(step);
    if (time !== undefined) this.#options.setTime?.(time);
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
  }

  #patience({ id }: HttpStep): number {
    const { isListed, patienceMs } = this.#options;
    return isListed?.(id) === true ? LITTLE_PATIENCE_MS : (patienceMs ?? sequenceDefaults.patienceMs);
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
    const deadline = Date.now() + (step.isRepeated ? this.#patience(step) : 0);
    for (;;) {
      const answer = await this.#exchange(step);
      const differences = await this.#compare(step, answer);
      if (differences.length === 0 || Date.now() >= deadline) return differences;
      await sleep(20);
    }
  }

  /** Sends, and keeps the answer for references. */
  async #exchange(step: HttpStep): Promise<Answer> {
    const request = await this.#prepare(step);
    const sender = step.isPreparation ? (this.#options.backend ?? this.#options.sender) : this.#options.sender;
    const answer = await answerOf(sender, await this.#completed(step, request));
    this.#answers.set(step.id, answer);
    if (request.method === "POST" && answer.status === 201 && request.body !== undefined) {
      this.#creates.push({ collection: request.path.replace(/\?.*/s, ""), body: request.body });
    }
    return answer;
  }

  async #prepare({ request }: HttpStep): Promise<OutgoingRequest> {
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
    if (this.#format !== "cozystack") return resolved;
    const needsVersion = /resourceVersion/.test(`${resolved.path}${resolved.body ?? ""}`);
    return translateRequest(resolved, this.#bindings, needsVersion ? await this.#currentVersion() : "0");
  }

  async #currentVersion(): Promise<string> {
    const sender = this.#options.backend ?? this.#options.sender;
    const { bytes } = await answerOf(sender, { method: "GET", path: "/api/v1/namespaces?limit=1", headers: {} });
    const list = tryJson(Buffer.from(bytes).toString("utf8"));
    const metadata = isJsonObject(list) ? list.metadata : undefined;
    return isJsonObject(metadata) ? String(metadata.resourceVersion) : "0";
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
    for (const value of named ?? []) this.#bindings.pin(value);
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
    this.#notify(step, answer);
    const differences = [...compareResponse(step, answer, options), ...(await this.#compareEffects(step, options))];
    if (!succeeded(answer) && succeeded(step)) await this.#options.repair?.(step);
    // What a wrong answer binds is kept too when it is the right kind of answer: later steps are about the same objects.
    if (step.status === answer.status) this.#bindings = trial;
    return differences;
  }

  #notify(step: HttpStep, answer: Answer): void {
    const before = this.#bindings.copy();
    this.#options.onAnswer?.(step, (other) => compareResponse(other, answer, this.#responseOptions(before.copy())));
  }

  #responseOptions(bindings: Bindings): ResponseOptions {
    const ownStore = this.#options.isShared === true ? "shared" : "exact";
    const storeVersions = this.#format === "cozystack" ? "at least" : ownStore;
    return {
      format: this.#format,
      bindings,
      groups: this.#options.groups,
      storeVersions,
      namespaces: this.#namespaces,
    };
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
    if (step.body.form !== "json" || !JSON.stringify(step.body.value, plain).includes('"managedFields":'))
      return undefined;
    const ours = tryJson(Buffer.from(answer.bytes).toString("utf8"));
    if (ours === undefined) return false;
    const options = { ...this.#responseOptions(this.#bindings.copy()) };
    const [theirManagers, ourManagers] = [managersIn(step.body.value), managersIn(ours)];
    return compareValues(theirManagers, ourManagers, "managers", options).length === 0;
  }

  async #runWatch(step: HttpStep): Promise<readonly Difference[]> {
    const stop = new AbortController();
    const request = { ...(await this.#prepare(step)), signal: stop.signal };
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
      await withTimeout(reader.ended, seconds * 1_000 + this.#patience(step)).catch(() => {});
      return;
    }
    const expected = step.request.path.includes("/namespaces/") ? events : this.#ownOf(events);
    const wanted = this.#format === "kube" ? expected.length : expected.filter(isNoBookmark).length;
    const isEnough = (got: readonly JsonValue[]): boolean =>
      (this.#format === "kube" ? got : got.filter(isNoBookmark)).filter((event) => !isSentinel(event)).length >= wanted;
    await reader.until(isEnough, this.#patience(step));
    const sentinel = sentinelFor(path, this.#creates);
    if (sentinel === undefined || !(await this.#plant(sentinel))) {
      await sleep(QUIET_MS);
      return;
    }
    await reader.until((got) => got.some(isSentinel), QUIET_MS);
    await this.#remove(sentinel);
  }

  #ownOf(events: readonly JsonValue[]): readonly JsonValue[] {
    const namespaces = this.#namespaces;
    return namespaces === undefined ? events : events.filter((event) => withoutOthers(event, namespaces) !== undefined);
  }

  async #plant({ collection, body }: Sentinel): Promise<boolean> {
    const headers = { "Content-Type": "application/json" };
    const answer = await answerOf(this.#options.sender, { method: "POST", path: collection, headers, body });
    this.#bindings.noteForeignWrite();
    return answer.status === 201;
  }

  async #remove({ collection }: Sentinel): Promise<void> {
    await answerOf(this.#options.sender, { method: "DELETE", path: `${collection}/${sentinelName}`, headers: {} });
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
