import { setFlagsFromString } from "node:v8";

/** By then a server is up. */
const startMs = 2_000;

/**
 * Keeps the memory of this process nearer to what it uses. What V8 does by itself is fine for a program that is over in a
 * minute; a server would hold as much garbage as objects for weeks.
 *
 * For the program that owns the process, before it loads anything large.
 */
export function keepHeapSmall(): void {
  // The heap is collected when it has doubled since the last time; V8 would let it grow fourfold. Less room than this
  // costs lists, tables and many watchers more time than it saves memory.
  setFlagsFromString("--heap-growing-percent=100");
  // All that is loaded at the start survives, for which V8 would widen the young generation from 2 to 32 MB; it does not
  // make it smaller again. Later load may widen it: with thousands of watchers that spares a lot of work.
  setFlagsFromString("--semi-space-growth-factor=1");
  setTimeout(() => setFlagsFromString("--semi-space-growth-factor=2"), startMs).unref();
}
