import type { CacheEvent, ChangeLog } from "./change-log.ts";

/**
 * One reader's place in the changes of a kind. It holds none of them: a reader that stays behind costs nothing, and is
 * told so when the change at its place is no longer kept.
 */
export class WatchCursor<T> {
  readonly #log: ChangeLog;
  readonly #show: (change: CacheEvent) => T | undefined;
  /** The number of the next change to look at. */
  #position: number;
  /** The reading ends before the change with this number. */
  #end = Number.POSITIVE_INFINITY;
  /** The reader has seen everything and waits. */
  #wake: ((event: T | undefined) => void) | undefined;

  /**
   * @param position the number of the first change
   * @param show what the reader gets of a change; `undefined`: it is none of its business
   */
  constructor(log: ChangeLog, position: number, show: (change: CacheEvent) => T | undefined) {
    this.#log = log;
    this.#position = position;
    this.#show = show;
  }

  get isWaiting(): boolean {
    return this.#wake !== undefined;
  }

  /**
   * What comes next; `undefined` at the end. For one reader.
   *
   * @param tooSlow makes the error that is thrown when what comes next is no longer kept
   */
  async next(tooSlow: () => Error): Promise<T | undefined> {
    const end = Math.min(this.#log.end, this.#end);
    while (this.#position < end) {
      const change = this.#log.at(this.#position);
      if (change === undefined) throw tooSlow();
      this.#position++;
      const event = this.#show(change);
      if (event !== undefined) return event;
    }
    if (this.#position >= this.#end) return undefined;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** To be called with each change, once it is in the log. */
  notice(change: CacheEvent): void {
    if (!this.isWaiting) return; // it will be read when its turn comes
    this.#position++;
    const event = this.#show(change);
    if (event !== undefined) this.tell(event);
  }

  /** Gives `event` to the reader if it waits. */
  tell(event: T): void {
    this.#wakeWith(event);
  }

  /** What has happened can still be read; afterwards the reading ends. */
  end(): void {
    this.#end = Math.min(this.#end, this.#log.end);
    this.#wakeWith(undefined);
  }

  #wakeWith(event: T | undefined): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.(event);
  }
}
