import { getMember, isJsonArray, isJsonObject, type JsonValue } from "./json.ts";

/** Steps from an object or list to what is inside: names of members, and indexes. */
export type ValuePath = readonly (string | number)[];

/**
 * A value that exports itself as JSON when it is asked. It may pin a large build (a construct tree, a CUE evaluation)
 * for as long as it is held.
 */
export interface Value {
  /** Whether there is anything: what was looked up may be absent. */
  exists(): boolean;
  /** Never throws: where the path leads nowhere, the answer does not exist. */
  lookup(path: ValuePath): Value;
  /** Does the work of exporting, each time. May throw. */
  toJSON(): JsonValue;
}

/** Where in a program something was made. */
export interface SourceLocation {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** One rendered object, and who made it. */
export interface Compiled {
  readonly value: Value;
  /** Name of the app or release that produced it. */
  readonly instance: string;
  /** Its source component within the instance: the path of the construct below its chart. */
  readonly component: string;
  /** Fully qualified name of what rendered it: `cdk8s-plus-33.Deployment`. */
  readonly transformer: string;
  /** Where it was made, when that is known. */
  readonly location?: SourceLocation | undefined;
}

/** A value that is there already. Nothing is copied. */
export function createValue(json: JsonValue | undefined): Value {
  return new PlainValue(json);
}

class PlainValue implements Value {
  readonly #json: JsonValue | undefined;

  constructor(json: JsonValue | undefined) {
    this.#json = json;
  }

  exists(): boolean {
    return this.#json !== undefined;
  }

  lookup(path: ValuePath): Value {
    return new PlainValue(path.reduce(stepInto, this.#json));
  }

  /** @throws {TypeError} when there is none. */
  toJSON(): JsonValue {
    if (this.#json === undefined) throw new TypeError("there is no value");
    return this.#json;
  }
}

function stepInto(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (isJsonArray(value)) return typeof step === "number" ? value[step] : undefined;
  return isJsonObject(value) ? getMember(value, step.toString()) : undefined;
}
