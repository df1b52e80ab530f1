/**
 * What of a recording stands for what of ours: versions, and tokens that differ from run to run (uids, generated names,
 * hashes, continue tokens).
 *
 * Versions of objects are mapped one to one and rise together. Versions of the whole store (of lists and bookmarks)
 * keep their place among them: a recorded store was written to by others meanwhile, so it may be ahead of its objects.
 */
export class Bindings {
  /** Recorded to ours, and back. */
  #tokens = new Map<string, string>();
  #tokensBack = new Map<string, string>();
  /** Values that the request itself named: those are no free choice of the server. */
  #pinned = new Set<string>();
  #generated = new Set<string>();
  #seen = new Set<string>();
  #objects = new Map<number, number>();
  #stores = new Map<number, number>();
  /** Store versions since the last write that was not recorded. */
  #recentStores = new Map<number, number>();

  copy(): Bindings {
    const copy = new Bindings();
    copy.#tokens = new Map(this.#tokens);
    copy.#tokensBack = new Map(this.#tokensBack);
    copy.#pinned = new Set(this.#pinned);
    copy.#generated = new Set(this.#generated);
    copy.#seen = new Set(this.#seen);
    copy.#objects = new Map(this.#objects);
    copy.#stores = new Map(this.#stores);
    copy.#recentStores = new Map(this.#recentStores);
    return copy;
  }

  /** A write of the replayer itself: the store of ours is ahead from here. */
  noteForeignWrite(): void {
    this.#recentStores = new Map();
  }

  /** `value` was sent as it stands, in the recording and by us. One that came from an answer stays free. */
  pin(value: string): void {
    if (!this.#tokens.has(value) && !this.#seen.has(value)) this.#pinned.add(value);
  }

  /** The server chose this time. */
  noteSeen(time: string): void {
    this.#seen.add(time);
  }

  /** `prefix` was sent as a generateName: what follows it is free. */
  noteGenerated(prefix: string): void {
    this.#generated.add(prefix.slice(0, MAX_GENERATED_PREFIX));
  }

  /** What generated names begin with. */
  generatedPrefixes(): Iterable<string> {
    return this.#generated;
  }

  isPinned(value: string): boolean {
    return this.#pinned.has(value);
  }

  /** Whether `ours` can stand for `recorded`; from then on nothing else can. */
  matchToken(recorded: string, ours: string): boolean {
    if (this.#pinned.has(recorded)) return recorded === ours;
    const bound = this.#tokens.get(recorded);
    if (bound !== undefined) return bound === ours;
    if (this.#tokensBack.has(ours)) return false;
    this.#tokens.set(recorded, ours);
    this.#tokensBack.set(ours, recorded);
    return true;
  }

  ourToken(recorded: string): string | undefined {
    return this.#tokens.get(recorded);
  }

  /** What stands for tokens, longest first, to be replaced in texts. */
  tokens(): Iterable<readonly [string, string]> {
    return this.#tokens;
  }

  /** Whether `ours` can be the version that an object got by the same write as `recorded`. */
  matchObjectVersion(recorded: string, ours: string): boolean {
    const [theirs, own] = [revision(recorded), revision(ours)];
    if (theirs === undefined || own === undefined) return recorded === ours;
    const bound = this.#objects.get(theirs);
    if (bound !== undefined) return bound === own;
    for (const [otherTheirs, otherOwn] of this.#objects) {
      if (theirs < otherTheirs !== own < otherOwn || own === otherOwn) return false;
    }
    for (const [otherTheirs, otherOwn] of this.#stores) {
      if (theirs <= otherTheirs !== own <= otherOwn) return false;
    }
    this.#objects.set(theirs, own);
    return true;
  }

  /**
   * Whether `ours` can be the version of the store at the time of `recorded`. `isQuiet`: nobody else writes to our store,
   * so that what was one version there is one here.
   */
  matchStoreVersion(recorded: string, ours: string, isQuiet: boolean): boolean {
    const [theirs, own] = [revision(recorded), revision(ours)];
    if (theirs === undefined || own === undefined) return recorded === ours;
    const recent = isQuiet ? this.#recentStores.get(theirs) : undefined;
    if (recent !== undefined) return recent === own;
    for (const [otherTheirs, otherOwn] of this.#objects) {
      if (otherTheirs <= theirs !== otherOwn <= own) return false;
    }
    for (const [otherTheirs, otherOwn] of this.#stores) {
      if (theirs < otherTheirs ? own > otherOwn : theirs > otherTheirs && own < otherOwn) return false;
    }
    this.#stores.set(theirs, own);
    this.#recentStores.set(theirs, own);
    return true;
  }

  /** Whether `ours` can be a version at which everything up to `recorded` was there. */
  isAtLeast(recorded: string, ours: string): boolean {
    const [theirs, own] = [revision(recorded) ?? 0, revision(ours)];
    return own !== undefined && [...this.#objects].every(([version, other]) => version > theirs || other <= own);
  }

  /**
   * What to send for a recorded version: ours when it is known, else that of the last recorded write before it, or
   * `current` when nothing later is known. Small numbers and those far beyond the recording were meant as they stand.
   */
  ourVersion(recorded: string, current: string): string {
    const theirs = revision(recorded);
    if (theirs === undefined) return recorded;
    const exact = this.#objects.get(theirs) ?? this.#stores.get(theirs);
    if (exact !== undefined) return String(exact);
    const known = [...this.#objects, ...this.#stores];
    const lowest = Math.min(...known.map(([version]) => version));
    const highest = Math.max(...known.map(([version]) => version));
    if (known.length === 0 || theirs < lowest - NEARBY || theirs > highest + NEARBY) return recorded;
    if (theirs > highest) return current;
    const before = known.filter(([version]) => version <= theirs).map(([, own]) => own);
    return before.length === 0 ? current : String(Math.max(...before));
  }
}

/** Longer prefixes are cut, so that the name has 63 characters. */
const MAX_GENERATED_PREFIX = 58;

/** Recorded versions are at most this far from the next one that was seen. */
const NEARBY = 50;

/** `undefined` for what is no version of a write, and for 0, which has a meaning of its own. */
function revision(text: string): number | undefined {
  return /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined;
}
