import { matches, type Seen, type Selection } from "./selection.ts";

/** What is known of one name. */
interface Known {
  readonly last: Seen;
  readonly present: boolean;
  /** Nothing can have happened to it since that was not told. */
  readonly exact: boolean;
}

const keyOf = ({ namespace, name }: Seen): string => `${namespace}/${name}`;

/**
 * Holds what one watcher was told against what a watch promises: each change once, in order, without a gap; after a new
 * list nothing older than before. It needs nobody who knows the truth: every object carries the number of its change.
 *
 * A watch of everything sees every step of a name. One with a selector sees those between its entering and its leaving.
 */
export class WatchCheck {
  readonly #selection: Selection;
  readonly #report: (problem: string) => void;
  readonly #known = new Map<string, Known>();
  #version = 0;

  constructor(selection: Selection, report: (problem: string) => void) {
    this.#selection = selection;
    this.#report = report;
  }

  /** Where the next watch begins. */
  get version(): number {
    return this.#version;
  }

  /** The present objects, by namespace and name. */
  state(): Map<string, Seen> {
    return new Map([...this.#known].filter(([, { present }]) => present).map(([key, { last }]) => [key, last]));
  }

  /** A list, or the initial events of a streamed one, at a version. */
  list(items: readonly Seen[], version: number): void {
    if (version < this.#version) this.#report(`a list at ${version}, after ${this.#version} was seen`);
    this.#version = version;
    const listed = new Set(items.map(keyOf));
    for (const [key, { last }] of this.#known) {
      if (!listed.has(key)) this.#known.set(key, { last, present: false, exact: false });
    }
    for (const item of items) {
      this.#checkSelected(item);
      if (item.version > version) this.#report(`${describe(item)} in a list at ${version}`);
      const known = this.#known.get(keyOf(item));
      if (known !== undefined && known.last.step > item.step)
        this.#report(`${describe(item)} after step ${known.last.step}`);
      if (known?.last.step === item.step && known.last.version !== item.version) {
        this.#report(`${describe(item)}, which was at ${known.last.version} before`);
      }
      this.#known.set(keyOf(item), { last: item, present: true, exact: true });
    }
    if (listed.size !== items.length) this.#report("a list has an object twice");
  }

  event(type: string, item: Seen): void {
    if (item.version <= this.#version) this.#report(`${type} ${describe(item)} after ${this.#version} was seen`);
    this.#version = Math.max(this.#version, item.version);
    const known = this.#known.get(keyOf(item));
    if (type === "DELETED") {
      if (known?.present !== true) this.#report(`DELETED ${describe(item)}, which was not there`);
      else if (known.last.step !== item.step) this.#report(`DELETED ${describe(item)} after step ${known.last.step}`);
      this.#known.set(keyOf(item), { last: item, present: false, exact: true });
      return;
    }
    this.#checkSelected(item);
    if (type === "ADDED") this.#checkAdded(item, known);
    else if (type === "MODIFIED") this.#checkModified(item, known);
    else this.#report(`an event of type ${type}`);
    this.#known.set(keyOf(item), { last: item, present: true, exact: true });
  }

  bookmark(version: number): void {
    if (version < this.#version) this.#report(`a bookmark at ${version}, after ${this.#version} was seen`);
    this.#version = Math.max(this.#version, version);
  }

  #checkAdded(item: Seen, known: Known | undefined): void {
    if (known === undefined) return;
    const { last, present, exact } = known;
    if (present) this.#report(`ADDED ${describe(item)}, which was there at step ${last.step}`);
    // One step was its deletion, or its leaving.
    else if (item.step < last.step + 2) this.#report(`ADDED ${describe(item)} after step ${last.step} and its end`);
    else if (exact && this.#selection.tier === undefined && item.step > last.step + 2) {
      this.#report(`ADDED ${describe(item)}: steps are missing after ${last.step} and its end`);
    }
  }

  #checkModified(item: Seen, known: Known | undefined): void {
    if (known?.present !== true) this.#report(`MODIFIED ${describe(item)}, which was not there`);
    else if (item.step !== known.last.step + 1)
      this.#report(`MODIFIED ${describe(item)} after step ${known.last.step}`);
  }

  #checkSelected(item: Seen): void {
    if (!matches(this.#selection, item)) this.#report(`${describe(item)} is not selected`);
  }
}

function describe({ namespace, name, tier, step, version }: Seen): string {
  return `${namespace}/${name} (${tier}) step ${step} at ${version}`;
}
