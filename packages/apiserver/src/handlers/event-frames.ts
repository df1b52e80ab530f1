import type { ObjectForm } from "../resource.ts";

interface Frame {
  readonly bytes: Uint8Array;
  /** The second in which it was made: tables show ages. */
  readonly second: number;
}

/**
 * The bytes of events as they go to every watcher who asks for the same representation: made once for each, and kept as
 * long as the change itself is.
 */
export class EventFrames {
  readonly #frames = new WeakMap<ObjectForm, WeakMap<object, Map<string, Frame>>>();
  readonly #encoder = new TextEncoder();

  /**
   * @param change what has happened, the same object for all watchers; absent: nothing is kept
   * @param representation tells all ways of showing it apart
   * @param atMs now, when the representation depends on it
   */
  of(
    form: ObjectForm,
    change: object | undefined,
    representation: string,
    atMs: number,
    make: () => string,
  ): Uint8Array {
    if (change === undefined) return this.#encoder.encode(make());
    const frames = this.#of(form, change);
    const second = Math.floor(atMs / 1_000);
    const known = frames.get(representation);
    if (known?.second === second) return known.bytes;
    const bytes = this.#encoder.encode(make());
    frames.set(representation, { bytes, second });
    return bytes;
  }

  #of(form: ObjectForm, change: object): Map<string, Frame> {
    const changes = this.#frames.get(form) ?? new WeakMap<object, Map<string, Frame>>();
    const frames = changes.get(change) ?? new Map<string, Frame>();
    this.#frames.set(form, changes.set(change, frames));
    return frames;
  }
}
