/** Keeps a synthesis from its end. The message is the whole report. */
export class SynthFailure extends Error {
  override readonly name: string = "SynthFailure";
}
