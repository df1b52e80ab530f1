/**
 * Events between a producer that does not wait and one consumer that takes them when it can. Bounded: a queue that is
 * full refuses, and its watch ends.
 */
export class EventQueue<T> {
  readonly #capacity: number;
  #events: T[] = [];
  #head = 0;
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get isEmpty(): boolean {
    return this.#head === this.#events.length;
  }

  /** `false` when it is full. */
  push(event: T): boolean {
    if (this.#events.length - this.#head >= this.#capacity) return false;
    this.#events.push(event);
    this.#wake?.();
    return true;
  }

  /** What is queued can still be taken; afterwards the queue ends. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  /** The next event, when there is one; `undefined` when the queue is closed and empty. For one consumer. */
  async take(): Promise<T | undefined> {
    while (this.isEmpty) {
      if (this.#closed) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    const event = this.#events[this.#head++];
    // Half of the array is consumed: giving it back then costs, over time, one move per event.
    if (this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
    return event;
  }
}
