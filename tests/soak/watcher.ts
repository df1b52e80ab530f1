import { setTimeout as sleep } from "node:timers/promises";
import { type Http2Connections, linesOf } from "./http2-connections.ts";
import type { Random } from "./random.ts";
import { pathOf, type Seen, type Selection, seen } from "./selection.ts";
import { WatchCheck } from "./watch-check.ts";

/** What all watchers of a process have seen together. */
export interface Counts {
  events: number;
  bookmarks: number;
  lists: number;
  streamedLists: number;
  watches: number;
  /** Watches that were ended by their own client. */
  disconnects: number;
  /** Watches that were refused or ended with 410. */
  expired: number;
}

export interface WatcherOptions {
  readonly number: number;
  readonly selection: Selection;
  /** Whether it begins with a streamed list, or with a list. */
  readonly isStreaming: boolean;
  readonly connections: Http2Connections;
  readonly random: Random;
  readonly counts: Counts;
  readonly report: (problem: string) => void;
}

const pause = { shortMs: 100, longMs: 3_000 } as const;

/** One client that watches as informers do, and is rude: it leaves in the middle, dawdles, and stays away for a while. */
export class Watcher {
  readonly #options: WatcherOptions;
  readonly check: WatchCheck;
  #isStopped = false;
  /** Patient from now on: it leaves no watch by itself. */
  isCalm = false;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.check = new WatchCheck(options.selection, options.report);
  }

  async run(): Promise<void> {
    let isFilled = false;
    while (!this.#isStopped) {
      try {
        if (!isFilled && !this.#options.isStreaming) await this.#list();
        isFilled = await this.#watch(isFilled || !this.#options.isStreaming);
      } catch {
        // The server is away.
      }
      await this.#wait();
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #wait(): Promise<void> {
    const { random } = this.#options;
    const longest = !this.isCalm && random.once(4) ? pause.longMs : pause.shortMs;
    await sleep(random.below(longest));
  }

  async #list(): Promise<void> {
    const { connections, number, selection, counts } = this.#options;
    const { status, body } = await connections.open(number, pathOf(selection));
    let text = "";
    for await (const line of linesOf(body)) text += line;
    if (status !== 200) return this.#options.report(`a list was answered with ${status}: ${text}`);
    const { items, metadata } = JSON.parse(text);
    counts.lists++;
    this.check.list(items.map(seen), Number(metadata.resourceVersion));
  }

  /** Watches until it ends; resolves to whether what is known is still good to go on from. */
  async #watch(isFilled: boolean): Promise<boolean> {
    const { connections, number, selection, counts, random, report } = this.#options;
    const start = isFilled
      ? `&resourceVersion=${this.check.version}`
      : "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    const timeout = random.once(3) ? `&timeoutSeconds=${1 + random.below(4)}` : "";
    const path = `${pathOf(selection)}&watch=true&allowWatchBookmarks=true${start}${timeout}`;
    const { status, body } = await connections.open(number, path);
    counts.watches++;
    let initial: Seen[] | undefined = isFilled ? undefined : [];
    for await (const line of linesOf(body)) {
      if (status === 410) counts.expired++;
      if (status !== 200) {
        if (status !== 410) report(`a watch was answered with ${status}: ${line}`);
        return status !== 410 && isFilled;
      }
      const { type, object } = JSON.parse(line);
      if (type === "ERROR") {
        if (object.code !== 410) report(`a watch ended with ${line}`);
        counts.expired++;
        return false;
      }
      if (type === "BOOKMARK") {
        counts.bookmarks++;
        const version = Number(object.metadata.resourceVersion);
        if (initial !== undefined && object.metadata.annotations?.["k8s.io/initial-events-end"] === "true") {
          counts.streamedLists++;
          this.check.list(initial, version);
          initial = undefined;
        } else if (initial === undefined) this.check.bookmark(version);
      } else if (initial !== undefined) {
        if (type !== "ADDED") report(`${type} among initial events`);
        initial.push(seen(object));
      } else {
        counts.events++;
        this.check.event(type, seen(object));
      }
      if (await this.#isRude()) return initial === undefined;
    }
    return initial === undefined;
  }

  /** Whether it leaves now. */
  async #isRude(): Promise<boolean> {
    const { random, counts, connections, number } = this.#options;
    if (this.#isStopped) return true;
    if (this.isCalm) return false;
    if (random.once(200)) await sleep(random.below(500)); // lets the server wait
    if (random.once(5_000)) connections.cut(number);
    if (!random.once(150)) return false;
    counts.disconnects++;
    return true;
  }
}
