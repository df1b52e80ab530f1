/** A failure that a person can do something about: its message is all there is to say. */
export class TestbedError extends Error {
  override readonly name: string = "TestbedError";
}
