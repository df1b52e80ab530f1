import type { SynthRun } from "./synthesis.ts";

const SYNTH_HOST: unique symbol = Symbol.for("slipway.synth.host");

type Slot = { [SYNTH_HOST]?: { receive(run: SynthRun): void } | undefined };

/**
 * Has Apps of this process hand over what they make, instead of writing it: `App.synth()` of core looks here.
 * @returns Undoes it.
 */
export function receiveRuns(receive: (run: SynthRun) => void): () => void {
  const slot = globalThis as Slot;
  const before = slot[SYNTH_HOST];
  slot[SYNTH_HOST] = { receive };
  return () => {
    slot[SYNTH_HOST] = before;
  };
}
