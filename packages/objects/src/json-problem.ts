import { isJsonArray } from "./json.ts";

/** Why a value is no JSON value, and where. */
export interface JsonProblem {
  /** As Kubernetes writes it: `spec.ports[0].name`; `""` for the value itself. */
  readonly path: string;
  readonly fact: string;
}

export interface JsonCheckOptions {
  /**
   * Lists and objects inside each other beyond this are a problem.
   * @default 512
   */
  readonly maxDepth?: number | undefined;
}

const defaults = { maxDepth: 512 } as const satisfies JsonCheckOptions;

/**
 * The first thing in `value` that JSON cannot hold, or that would be changed or lost on the way to Kubernetes: functions
 * and symbols, `undefined` in a list, NaN and infinities, halves of surrogate pairs, objects that keep their data where
 * `Object.keys` does not see it (a `Map`, a `Date`), and values that contain themselves.
 *
 * A member that is `undefined` is absent, and a `bigint` is an integer.
 */
export function findJsonProblem(value: unknown, options: JsonCheckOptions = {}): JsonProblem | undefined {
  return new Search(options.maxDepth ?? defaults.maxDepth).find(value);
}

const loneSurrogate = /[\ud800-\udfff]/u;

class Search {
  readonly #maxDepth: number;
  /** The containers around the value at hand, from the outermost in. */
  readonly #around: object[] = [];
  readonly #path: (string | number)[] = [];

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  find(value: unknown): JsonProblem | undefined {
    switch (typeof value) {
      case "string":
        return loneSurrogate.test(value) ? this.#problem("it has half of a surrogate pair") : undefined;
      case "number":
        return Number.isFinite(value) ? undefined : this.#problem(`${value} is no number in JSON`);
      case "boolean":
      case "bigint":
        return undefined;
      case "object":
        return value === null ? undefined : this.#findInside(value);
      case "undefined":
        return this.#problem("undefined is no value in JSON");
      default:
        return this.#problem(`a ${typeof value} is no value in JSON`);
    }
  }

  #findInside(container: object): JsonProblem | undefined {
    if (this.#around.includes(container)) return this.#problem("it contains itself");
    if (this.#around.length >= this.#maxDepth) return this.#problem(`it nests deeper than ${this.#maxDepth} levels`);
    this.#around.push(container);
    const problem = isJsonArray(container) ? this.#findInList(container) : this.#findInObject(container);
    this.#around.pop();
    return problem;
  }

  #findInList(list: readonly unknown[]): JsonProblem | undefined {
    for (let index = 0; index < list.length; index += 1) {
      const problem = this.#findAt(index, list[index]); // not entries(): `find` must see the holes
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #findInObject(object: object): JsonProblem | undefined {
    if (isOpaque(object)) return this.#problem(`a ${object.constructor.name} is no value in JSON`);
    for (const [name, member] of Object.entries(object)) {
      if (member === undefined) continue;
      const problem = loneSurrogate.test(name)
        ? this.#problem("a key has half of a surrogate pair")
        : this.#findAt(name, member);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #findAt(step: string | number, value: unknown): JsonProblem | undefined {
    this.#path.push(step);
    const problem = this.find(value);
    this.#path.pop();
    return problem;
  }

  #problem(fact: string): JsonProblem {
    return { path: formatPath(this.#path), fact };
  }
}

/** Whether an object has no members because it keeps its data elsewhere, as a `Map` does, or a `Date`. */
export function isOpaque(object: object): boolean {
  if (Object.keys(object).length > 0) return false;
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype !== null && Object.getPrototypeOf(prototype) !== null;
}

function formatPath(path: readonly (string | number)[]): string {
  return path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .replace(/^\./, "");
}
