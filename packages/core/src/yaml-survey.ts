/** How a value has to be written as YAML. */
export interface YamlSurvey {
  /** Something that only the YAML library writes the way cdk8s does: see {@link surveyForYaml}. */
  readonly needsLibrary: boolean;
  /** What nobody can write, and where: `spec.ports[0]: a function`. */
  readonly problem?: string | undefined;
}

/** As deep as our writer goes. */
const MAX_DEPTH = 512;

/**
 * Looks at all of `value`. Our writer takes trees of plain objects, arrays and scalars. The library is for what stands
 * in several places (it gets an anchor) or inside itself, for dates, maps, sets, bytes, boxed scalars, instances of
 * classes, whatever has a `toJSON` or an iterator, and for what is very deep. Functions and symbols are no data.
 */
export function surveyForYaml(value: unknown): YamlSurvey {
  const survey = new Survey();
  survey.visit(value);
  return survey;
}

class Survey implements YamlSurvey {
  needsLibrary = false;
  problem: string | undefined;
  readonly #seen: Set<object> = new Set();
  readonly #path: (string | number)[] = [];

  visit(value: unknown): void {
    if (typeof value === "function" || typeof value === "symbol") {
      this.problem ??= `${formatPath(this.#path)}: a ${typeof value}`;
    } else if (typeof value === "object" && value !== null) {
      this.#visitObject(value);
    }
  }

  #visitObject(object: object): void {
    if (this.#seen.has(object) || this.#path.length >= MAX_DEPTH || isExotic(object)) {
      this.needsLibrary = true;
      return;
    }
    this.#seen.add(object);
    if (Array.isArray(object)) {
      for (let index = 0; index < object.length; index += 1) this.#visitMember(index, object[index]);
      return;
    }
    if (!isPlain(object)) this.needsLibrary = true;
    for (const name of Object.keys(object)) this.#visitMember(name, object[name as keyof typeof object]);
  }

  #visitMember(step: string | number, value: unknown): void {
    if (typeof value !== "object" && typeof value !== "function" && typeof value !== "symbol") return;
    this.#path.push(step);
    this.visit(value);
    this.#path.pop();
  }
}

/** Whether something other than its members is written. */
function isExotic(object: object): boolean {
  if ("toJSON" in object && typeof object.toJSON === "function") return true;
  if (Array.isArray(object)) return false;
  return Symbol.iterator in object || ArrayBuffer.isView(object) || isBoxed(object);
}

function isBoxed(object: object): boolean {
  return object instanceof Number || object instanceof Boolean || object instanceof BigInt; // a String has an iterator
}

/** Also in another realm, as that of a test runner. */
function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function formatPath(path: readonly (string | number)[]): string {
  if (path.length === 0) return "the value";
  return path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .replace(/^\./, "");
}
