import {
  type FieldError,
  formatFieldError,
  formatJson,
  getMember,
  goFloat,
  goQuote,
  isJsonArray,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  jsonEquals,
  sortMembers,
} from "@slipway/objects";
import { type MetadataCheck, validateEmbedded } from "./embedded.ts";
import { stringFormat } from "./formats.ts";
import { validateListTypes } from "./list-types.ts";
import type { SchemaType, StructuralSchema } from "./structural.ts";

export interface ValidateOptions {
  /**
   * What stands before `path` in the field of every error, but not in its sentence. Kubernetes validates a status with
   * `path` `""` under `status`: `status.replicas: Invalid value: -1: replicas in body should be …`.
   * @default "" nothing
   */
  readonly under?: string | undefined;
  /**
   * Checks the metadata of embedded resources.
   * @default accepts all
   */
  readonly embeddedMetadata?: MetadataCheck | undefined;
}

/**
 * Everything wrong with `value`, in the words of Kubernetes. `path` is where it stands: `spec`, or `""` for the object
 * itself.
 *
 * Errors come in three parts: what the schema refuses, in the order of its properties; then apiVersion and kind of
 * embedded resources; then duplicates in lists of type `set` and `map`. Rules of `x-kubernetes-validations` are not
 * evaluated. An integer is a number without fraction within 64 bits, whether `number` or `bigint`.
 *
 * Never throws. When a schema of nested junctors or large patterns makes the work exceed a bound, the last error says
 * so and what follows is not checked.
 */
export function validate(
  value: JsonValue,
  schema: StructuralSchema,
  path: string,
  options: ValidateOptions = {},
): FieldError[] {
  const errors = validateKeywords(value, schema, path, options);
  const field = joinFields(options.under ?? "", path);
  append(errors, validateEmbedded(value, schema, field, options.embeddedMetadata ?? (() => [])));
  append(errors, validateListTypes(value, schema, field));
  return withoutRepetition(errors);
}

/**
 * The first part of {@link validate}: what the keywords of the schema refuse.
 *
 * @param options.old what `value` was before: whatever is as it was may stay, right or wrong, and so may items of lists of
 * type `map` wherever they stand now (KEP-4008)
 */
export function validateKeywords(
  value: JsonValue,
  schema: StructuralSchema,
  path: string,
  options: { readonly under?: string | undefined; readonly old?: JsonValue | undefined } = {},
): FieldError[] {
  const run = new Validation(options.under ?? "");
  const errors: FieldError[] = [];
  run.check(value, schema, path, errors, options.old);
  if (run.isExhausted) errors.push(run.exhausted());
  return withoutRepetition(errors);
}

/** Not `push(...more)`: a long list may have more errors than a call may have arguments. */
function append(errors: FieldError[], more: readonly FieldError[]): void {
  for (const error of more) errors.push(error);
}

/** A junctor and its branches may find the same fault. Kubernetes tells it once. */
function withoutRepetition(errors: readonly FieldError[]): FieldError[] {
  if (errors.length < 2) return [...errors];
  return [...new Map(errors.map((error) => [formatFieldError(error), error])).values()];
}

function joinFields(under: string, path: string): string {
  const field = path.startsWith(".") ? path.slice(1) : path;
  if (under === "" || field === "") return under + field;
  return `${under}.${field}`;
}

/** What a JSON value is to a schema. Integers beyond 64 bits are numbers. */
type ValueType = SchemaType | "null";

function typeOf(value: JsonValue): ValueType {
  if (value === null) return "null";
  switch (typeof value) {
    case "string":
    case "boolean":
      return typeof value as "string" | "boolean";
    case "bigint":
      return BigInt.asIntN(64, value) === value ? "integer" : "number";
    case "number":
      return Number.isSafeInteger(value) ? "integer" : "number";
    default:
      return isJsonArray(value) ? "array" : "object";
  }
}

const noTypes: readonly SchemaType[] = [];
const intOrString: readonly SchemaType[] = ["integer", "string"];
const single: Readonly<Record<SchemaType, readonly SchemaType[]>> = {
  array: ["array"],
  boolean: ["boolean"],
  integer: ["integer"],
  number: ["number"],
  object: ["object"],
  string: ["string"],
};

function typesOf(schema: StructuralSchema): readonly SchemaType[] {
  if (schema.intOrString) return intOrString;
  return schema.type === undefined ? noTypes : single[schema.type];
}

/** How Go's types are called in the one message that names them. */
const goFormats: Readonly<Partial<Record<ValueType, string>>> = { integer: "int64", number: "float64" };

/** The format, if it is one that means something for the type. */
function formatOf({ format, type, intOrString: isIntOrString }: StructuralSchema): string | undefined {
  if (format === undefined) return undefined;
  if (type === undefined || type === "string" || isIntOrString) {
    return stringFormat(format) === undefined ? undefined : format;
  }
  if (type === "integer") return format === "int32" || format === "int64" ? format : undefined;
  if (type === "number") return format === "float" || format === "double" ? format : undefined;
  return undefined;
}

/**
 * Schemas met, errors passed on by junctors, and a part of the matcher steps of patterns. About two seconds of work; an
 * object of the largest size that a server accepts needs a quarter of it.
 */
const MAX_STEPS = 2_000_000;
const MATCHER_STEPS_PER_STEP = 250;

const MAX_INT32 = 2_147_483_647;
const MAX_FLOAT32 = 3.4028234663852886e38;

/**
 * One walk over a value. Every `check…` appends to `errors` and returns how many checks passed: that number decides
 * which branch of a junctor is told when none fits, so it counts exactly as Kubernetes counts.
 */
class Validation {
  readonly #under: string;
  #steps = 0;

  constructor(under: string) {
    this.#under = under;
  }

  get isExhausted(): boolean {
    return this.#steps > MAX_STEPS;
  }

  exhausted(): FieldError {
    const detail = "the object is too large to be validated against all of its schema";
    return { type: "InternalError", field: this.#field(""), detail };
  }

  /** @param old what `value` was; `undefined`: nothing, or it is not known */
  check(value: JsonValue, schema: StructuralSchema, path: string, errors: FieldError[], old?: JsonValue): number {
    this.#steps += 1;
    if (this.isExhausted) return 0;
    if (old !== undefined && jsonEquals(value, old)) return 1;
    const type = typeOf(value);
    let passed = this.#checkType(type, schema, path, errors);
    if (value === null) {
      this.#checkEnum(value, schema, path, errors);
      return passed;
    }
    passed += 1 + this.#checkJunctors(value, schema, path, errors);
    if (typeof value === "string") passed += this.#checkString(value, schema, path, errors);
    if (typeof value === "number" || typeof value === "bigint") {
      passed += 1 + this.#checkNumber(value, schema, path, errors);
    }
    if (isJsonArray(value)) passed += 1 + this.#checkArray(value, schema, path, errors, old);
    passed += 1;
    this.#checkEnum(value, schema, path, errors);
    if (isJsonObject(value)) passed += 1 + this.#checkObject(value, schema, path, errors, old);
    return passed + 1;
  }

  #checkType(actual: ValueType, schema: StructuralSchema, path: string, errors: FieldError[]): number {
    const types = typesOf(schema);
    const format = formatOf(schema);
    if (actual === "null") {
      if (types.length === 0 || schema.nullable) return 1;
      errors.push(this.#typeError(path, types.join(","), actual));
      return 0;
    }
    if (types.length === 0 && format === undefined) return 0;
    const fits = types.includes(actual) || (actual === "integer" && types.includes("number"));
    const isNumeric = types.includes("integer") || types.includes("number");
    if (fits || (format !== undefined && (actual === "string" || actual === "array") && !isNumeric)) return 2;
    if (format !== undefined && actual !== "string" && actual !== "array" && goFormats[actual] !== format) {
      errors.push(this.#typeError(path, format, goFormats[actual] ?? ""));
    } else {
      errors.push(this.#typeError(path, types.join(","), actual));
    }
    return 1;
  }

  #checkJunctors(value: JsonValue, schema: StructuralSchema, path: string, errors: FieldError[]): number {
    let passed = 1;
    if (schema.anyOf.length > 0) passed += this.#checkAnyOf(value, schema.anyOf, path, errors);
    if (schema.oneOf.length > 0) passed += this.#checkOneOf(value, schema.oneOf, path, errors);
    if (schema.allOf.length > 0) passed += this.#checkAllOf(value, schema.allOf, path, errors);
    if (schema.not !== undefined && this.#try(value, schema.not, path).errors.length === 0) {
      errors.push(this.#junctorError(path, "must not validate the schema (not)"));
    }
    return passed;
  }

  #checkAnyOf(value: JsonValue, schemas: readonly StructuralSchema[], path: string, errors: FieldError[]): number {
    let best: Branch | undefined;
    for (const schema of schemas) {
      const branch = this.#try(value, schema, path);
      if (branch.errors.length === 0) return branch.passed;
      if (best === undefined || branch.passed > best.passed) best = branch;
    }
    errors.push(this.#junctorError(path, "must validate at least one schema (anyOf)"));
    this.#passOn(errors, best?.errors ?? []);
    return best?.passed ?? 0;
  }

  #checkOneOf(value: JsonValue, schemas: readonly StructuralSchema[], path: string, errors: FieldError[]): number {
    const branches = schemas.map((schema) => this.#try(value, schema, path));
    const [first, ...others] = branches.filter((branch) => branch.errors.length === 0);
    const sentence = "must validate one and only one schema (oneOf).";
    if (first === undefined) {
      const best = branches.reduce((a, b) => (b.passed > a.passed ? b : a));
      errors.push(this.#junctorError(path, `${sentence} Found none valid`));
      this.#passOn(errors, best.errors);
      return best.passed;
    }
    if (others.length === 0) return first.passed;
    errors.push(this.#junctorError(path, `${sentence} Found ${others.length + 1} valid alternatives`));
    return 0;
  }

  #checkAllOf(value: JsonValue, schemas: readonly StructuralSchema[], path: string, errors: FieldError[]): number {
    const branches = schemas.map((schema) => this.#try(value, schema, path));
    const valid = branches.filter((branch) => branch.errors.length === 0).length;
    for (const branch of branches) this.#passOn(errors, branch.errors);
    if (valid !== branches.length) {
      const none = valid === 0 ? ". None validated" : "";
      errors.push(this.#junctorError(path, `must validate all the schemas (allOf)${none}`));
    }
    return branches.reduce((sum, branch) => sum + branch.passed, 0);
  }

  #passOn(errors: FieldError[], more: readonly FieldError[]): void {
    this.#steps += more.length;
    append(errors, more);
  }

  #try(value: JsonValue, schema: StructuralSchema, path: string): Branch {
    const errors: FieldError[] = [];
    return { passed: this.check(value, schema, path, errors), errors };
  }

  /** Length and pattern: the first that fails; and the format. */
  #checkString(text: string, schema: StructuralSchema, path: string, errors: FieldError[]): number {
    const error = this.#lengthError(text, schema, path) ?? this.#patternError(text, schema, path);
    if (error !== undefined) errors.push(error);
    const format = formatOf(schema);
    const test = format === undefined ? undefined : stringFormat(format);
    if (format === undefined || test === undefined) return 1;
    if (!test(text)) errors.push(this.#typeError(path, format, text));
    return 2;
  }

  #lengthError(text: string, { maxLength, minLength }: StructuralSchema, path: string): FieldError | undefined {
    // Code units are at least as many as code points, and those at least half as many.
    if (maxLength !== undefined && text.length > maxLength && codePoints(text) > maxLength) {
      const detail = `may not be more than ${maxLength} byte${maxLength === 1 ? "" : "s"}`;
      return { type: "FieldValueTooLong", field: this.#field(path), detail };
    }
    if (minLength !== undefined && text.length < minLength * 2 && codePoints(text) < minLength) {
      return this.#invalid(path, text, `${path} in body should be at least ${minLength} chars long`);
    }
    return undefined;
  }

  #patternError(text: string, { pattern }: StructuralSchema, path: string): FieldError | undefined {
    if (pattern === undefined) return undefined;
    this.#steps += Math.floor(pattern.cost(text) / MATCHER_STEPS_PER_STEP);
    if (this.isExhausted || pattern.matches(text)) return undefined;
    const { problem } = pattern;
    const source = problem === undefined ? pattern.source : `${pattern.source}, but pattern is invalid: ${problem}`;
    return this.#invalid(path, text, `${path} in body should match '${source}'`);
  }

  #checkNumber(value: number | bigint, schema: StructuralSchema, path: string, errors: FieldError[]): number {
    const range = (number: number | bigint, what: string): boolean => {
      const wanted = rangeProblem(number, schema);
      if (wanted !== undefined) errors.push(this.#plainError(`${what} value must be of type ${wanted} in ${path}`));
      return wanted === undefined;
    };
    range(value, "Checked");
    if (schema.multipleOf !== undefined) {
      const isNative = range(schema.multipleOf, "MultipleOf") && typeOf(value) === "integer";
      errors.push(...this.#multipleError(value, isNative ? truncated(schema.multipleOf) : schema.multipleOf, path));
    }
    for (const bound of [minimumOf(schema), maximumOf(schema)]) {
      if (bound === undefined) continue;
      const isNative = range(bound.limit, bound.name) && typeOf(value) === "integer";
      const limit = isNative ? truncated(bound.limit) : bound.limit;
      if (bound.excludes(value, limit)) {
        errors.push(this.#invalid(path, value, `${path} in body should be ${bound.phrase} ${formatNumber(limit)}`));
      }
    }
    return 1;
  }

  #multipleError(value: number | bigint, factor: number | bigint, path: string): FieldError[] {
    if (factor <= 0) {
      const sentence = `factor MultipleOf declared for ${path} must be positive: ${formatNumber(factor)}`;
      return [this.#invalid(path, factor, sentence)];
    }
    if (isMultiple(value, factor)) return [];
    return [this.#invalid(path, value, `${path} in body should be a multiple of ${formatNumber(factor)}`)];
  }

  #checkArray(
    list: JsonArray,
    schema: StructuralSchema,
    path: string,
    errors: FieldError[],
    old: JsonValue | undefined,
  ): number {
    const { items, maxItems, minItems } = schema;
    let passed = 1;
    if (items !== undefined) {
      const before = oldItems(old, schema);
      for (const [index, item] of list.entries()) {
        passed += this.check(item, items, `${path}[${index}]`, errors, before(item));
      }
    }
    if (minItems !== undefined && list.length < minItems) {
      errors.push(this.#invalid(path, list.length, `${path} in body should have at least ${minItems} items`));
    }
    if (maxItems !== undefined && list.length > maxItems) errors.push(this.#tooMany(path, list.length, maxItems));
    if (schema.uniqueItems && hasRepetition(list)) {
      errors.push(this.#invalid(path, "", `${path} in body shouldn't contain duplicates`));
    }
    return passed;
  }

  #checkEnum(value: JsonValue, schema: StructuralSchema, path: string, errors: FieldError[]): void {
    if (schema.enum === undefined || schema.enum.some((known) => jsonEquals(known, value))) return;
    const known = schema.enum.map((word) => goQuote(typeof word === "string" ? word : formatJson(word)));
    const detail = `supported values: ${known.join(", ")}`;
    errors.push({ type: "FieldValueNotSupported", field: this.#field(path), value, detail });
  }

  #checkObject(
    object: JsonObject,
    schema: StructuralSchema,
    path: string,
    errors: FieldError[],
    old: JsonValue | undefined,
  ): number {
    const before = isJsonObject(old) ? old : {};
    const names = Object.keys(object).filter((name) => object[name] !== undefined);
    const { maxProperties, minProperties } = schema;
    if (minProperties !== undefined && names.length < minProperties) {
      errors.push(
        this.#invalid(path, names.length, `${path} in body should have at least ${minProperties} properties`),
      );
      return 0;
    }
    if (maxProperties !== undefined && names.length > maxProperties) {
      errors.push(this.#tooMany(path, names.length, maxProperties));
      return 0;
    }
    let passed = this.#checkFurther(object, names, schema, path, errors, before);
    for (const [name, property] of schema.properties) {
      const member = getMember(object, name);
      if (member === undefined) continue;
      passed += this.check(member, property, path === "" ? name : `${path}.${name}`, errors, getMember(before, name));
    }
    for (const name of schema.required) {
      if (getMember(object, name) !== undefined) continue;
      errors.push({ type: "FieldValueRequired", field: this.#field(`${path}.${name}`) });
    }
    return passed;
  }

  /** The members that are no properties. */
  #checkFurther(
    object: JsonObject,
    names: readonly string[],
    { additionalProperties, properties }: StructuralSchema,
    path: string,
    errors: FieldError[],
    before: JsonObject,
  ): number {
    if (additionalProperties === undefined || additionalProperties === true) return 0;
    let passed = 0;
    for (const name of names) {
      if (properties.has(name)) continue;
      if (additionalProperties === false) {
        errors.push(this.#invalid(path, name, `${path}.${name} in body is a forbidden property`));
      } else {
        const member = getMember(object, name) ?? null;
        passed += this.check(member, additionalProperties, `${path}.${name}`, errors, getMember(before, name));
      }
    }
    return passed;
  }

  #field(path: string): string {
    const field = joinFields(this.#under, path);
    return field === "" ? "<nil>" : field;
  }

  #invalid(path: string, value: JsonValue, detail: string): FieldError {
    return { type: "FieldValueInvalid", field: this.#field(path), value, detail };
  }

  #typeError(path: string, wanted: string, actual: string): FieldError {
    const detail = `${path} in body must be of type ${wanted}: ${goQuote(actual)}`;
    return { type: "FieldValueTypeInvalid", field: this.#field(path), value: actual, detail };
  }

  #tooMany(path: string, actual: number, max: number): FieldError {
    const detail = `must have at most ${max} item${max === 1 ? "" : "s"}`;
    return { type: "FieldValueTooMany", field: this.#field(path), value: actual, detail };
  }

  #junctorError(path: string, sentence: string): FieldError {
    return this.#plainError(`${goQuote(path)} ${sentence}`);
  }

  /** Kubernetes does not know the field of these, so they stand at the object itself. */
  #plainError(detail: string): FieldError {
    return this.#invalid("", "", detail);
  }
}

/** What an item was before, for lists whose items have keys; nothing else tells which was which. */
function oldItems(old: JsonValue | undefined, schema: StructuralSchema): (item: JsonValue) => JsonValue | undefined {
  if (schema.listType !== "map" || old === undefined || !isJsonArray(old)) return () => undefined;
  const byKeys = new Map(old.map((item) => [keysOf(item, schema), item]));
  return (item) => byKeys.get(keysOf(item, schema));
}

function keysOf(item: JsonValue, { listMapKeys }: StructuralSchema): string {
  return formatJson(listMapKeys.map((name) => (isJsonObject(item) ? (getMember(item, name) ?? null) : null)));
}

interface Branch {
  readonly passed: number;
  readonly errors: readonly FieldError[];
}

/** The type that `number` does not fit, as messages name it. */
function rangeProblem(number: number | bigint, { format, type, intOrString }: StructuralSchema): string | undefined {
  if (intOrString) return undefined;
  if (type === "integer") {
    const fits =
      typeOf(number) === "integer" && (format !== "int32" || (number <= MAX_INT32 && number >= -MAX_INT32 - 1));
    if (fits) return undefined;
    return format === "int32" || format === "int64" ? `integer with format ${format}` : "integer (default format)";
  }
  const isBeyondFloat = type === "number" && format === "float" && (number > MAX_FLOAT32 || number < -MAX_FLOAT32);
  return isBeyondFloat ? "number with format float" : undefined;
}

interface Bound {
  readonly name: string;
  readonly limit: number | bigint;
  readonly phrase: string;
  readonly excludes: (value: number | bigint, limit: number | bigint) => boolean;
}

function minimumOf({ exclusiveMinimum, minimum }: StructuralSchema): Bound | undefined {
  if (minimum === undefined) return undefined;
  return exclusiveMinimum
    ? { name: "Minimum boundary", limit: minimum, phrase: "greater than", excludes: (value, limit) => value <= limit }
    : {
        name: "Minimum boundary",
        limit: minimum,
        phrase: "greater than or equal to",
        excludes: (value, limit) => value < limit,
      };
}

function maximumOf({ exclusiveMaximum, maximum }: StructuralSchema): Bound | undefined {
  if (maximum === undefined) return undefined;
  return exclusiveMaximum
    ? { name: "Maximum boundary", limit: maximum, phrase: "less than", excludes: (value, limit) => value >= limit }
    : {
        name: "Maximum boundary",
        limit: maximum,
        phrase: "less than or equal to",
        excludes: (value, limit) => value > limit,
      };
}

/** Kubernetes compares integers with the integral part of a bound: an integer is never "a multiple of 0.5". */
function truncated(number: number | bigint): number | bigint {
  return typeof number === "bigint" ? number : Math.trunc(number) + 0;
}

function isMultiple(value: number | bigint, factor: number | bigint): boolean {
  if (typeof value === "bigint" || typeof factor === "bigint") {
    if (Number.isInteger(Number(value)) && Number.isInteger(Number(factor)))
      return BigInt(value) % BigInt(factor) === 0n;
  }
  const quotient = Number(factor) < 1 ? (1 / Number(factor)) * Number(value) : Number(value) / Number(factor);
  if (!Number.isFinite(quotient) || Math.abs(quotient) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(quotient);
  return quotient === whole || Math.abs(quotient - whole) / (Math.abs(quotient) + Math.abs(whole)) < 1e-9;
}

function formatNumber(number: number | bigint): string {
  return typeOf(number) === "integer" ? number.toString() : goFloat(Number(number));
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function hasRepetition(list: JsonArray): boolean {
  return new Set(list.map((item) => formatJson(sortMembers(item)))).size !== list.length;
}
