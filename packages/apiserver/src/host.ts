/** What the server needs from its surroundings. Tests hand in a fixed one. */
export interface ServerHost {
  readonly now: () => Date;
  /** A random UUID, version 4 (RFC 9562). */
  readonly uuid: () => string;
  /** Five random characters that follow `metadata.generateName`. */
  readonly nameSuffix: () => string;
  /** At least 0, less than 1: spreads what must not happen at one moment. */
  readonly random: () => number;
  /** Where failures go that clients see only as a 500. */
  readonly logError: (message: string, error: unknown) => void;
}

/** The alphabet of Kubernetes' generated names: no vowels and no look-alikes, so that no words appear. */
const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";

/** The clock and the random source of the runtime. */
export function systemHost(logError: ServerHost["logError"]): ServerHost {
  return {
    now: () => new Date(),
    uuid: () => crypto.randomUUID(),
    random: () => Math.random(),
    nameSuffix: () =>
      Array.from(crypto.getRandomValues(new Uint32Array(5)), (value) =>
        suffixAlphabet.charAt(value % suffixAlphabet.length),
      ).join(""),
    logError,
  };
}

/** A time as Kubernetes writes it: RFC 3339, UTC, whole seconds. */
export function formatTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
