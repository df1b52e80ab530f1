import {
  ApiStatusError,
  badRequest,
  byCodeUnit,
  type FieldError,
  failure,
  formatApiVersion,
  getMember,
  goQuote,
  invalid,
  isJsonObject,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  type KubernetesObject,
  parseApiVersion,
  readJson,
  SlipwayError,
  sortMembers,
} from "@slipway/objects";
import { readYaml } from "@slipway/objects/yaml";
import { decodeMetadata, goKind } from "../object-meta.ts";
import { decodeMessage } from "../protobuf/decode-message.ts";
import { openEnvelope } from "../protobuf/envelope.ts";
import { kubernetesFields } from "../protobuf/kubernetes-fields.ts";
import { ProtobufError } from "../protobuf/wire.ts";
import type { ObjectForm } from "../resource.ts";
import { dropNulls } from "../schema/nulls.ts";
import { type Pruned, prune } from "../schema/prune.ts";
import { quoteBody, unsupportedMediaType } from "./body.ts";
import type { FieldValidation } from "./options.ts";
import { readTypedObject, type TypedObject, TypedObjectError, type TypedSource } from "./typed-object.ts";
import { wireJson } from "./wire-json.ts";

/** Nesting that a body may have. Go's decoder stops at 10,000; ours earlier, since every step below recurses. */
export const maxBodyDepth = 512;

/** An object as read, with what fell by the wayside. */
export interface DecodedObject {
  readonly object: KubernetesObject;
  /**
   * `duplicate field "spec.a"`, `unknown field "spec.b"`: an error with Strict, warnings with Warn. The duplicates of a
   * YAML body are one problem with a line for each.
   */
  readonly problems: readonly string[];
  /** Of an object in another version: it is refused, but not before its problems are told. */
  readonly refusal?: Error | undefined;
}

const protobufType = "application/vnd.kubernetes.protobuf";
const textTypes = ["application/json", "application/yaml"] as const;
/** What refusals list. Kubernetes names protobuf for every kind, also where it does not read it. */
const bodyTypes = [...textTypes, protobufType] as const;

interface ParsedBody {
  readonly value: JsonValue;
  readonly problems: readonly string[];
}

/**
 * Reads the body of a create or an update as an object of `resource`: media type, syntax, version and kind,
 * metadata, unknown fields. What `fieldValidation` asks about unknown and duplicate fields is for the caller.
 *
 * @throws {ApiStatusError} `BadRequest`, `Invalid` for another kind, `UnsupportedMediaType`
 */
export function decodeObject(
  body: Uint8Array,
  type: string,
  resource: ObjectForm,
  validation: FieldValidation,
): DecodedObject {
  if (type === protobufType) return readFields(decodeProtobuf(body, resource), resource);
  const { value, problems } = parseText(body, type, (why) => unrecognized(resource, body, why));
  // A body of null is to Go one without members.
  if (value === null && resource.message !== undefined) return readFields(identify({}, body, resource), resource);
  if (value === null) throw unrecognized(resource, body, missingKind(new TextDecoder().decode(body)));
  if (!isJsonObject(value)) throw unrecognized(resource, body, notAnObject(value));
  // The lenient decoder of Kubernetes notices a missing kind later than the strict one, and says it in other words.
  if (validation === "Ignore" && resource.missingKind === "refuse" && (getMember(value, "kind") ?? "") === "") {
    throw badRequest(cannotBeHandled(value, resource, missingKind(new TextDecoder().decode(body))));
  }
  const identified = identify(value, body, resource);
  const refusal = otherVersion(identified, resource);
  if (refusal !== undefined) {
    const version = parseApiVersion(String(identified.apiVersion ?? "")).version;
    const metadata = decodeMetadata(
      getMember(identified, "metadata"),
      "ObjectMeta",
      (why) => `${identified.kind} in version "${version}" cannot be handled as a ${resource.names.kind}: ${why}`,
    );
    const unknown = [...metadata.unknown.map(unknownField), ...unknownInVersion(identified, resource)];
    return { object: identified as KubernetesObject, problems: [...problems, ...unknown], refusal };
  }
  const decoded = readFields(identified, resource);
  return { object: decoded.object, problems: [...problems, ...decoded.problems] };
}

/** What is no field in the version of the object; of a version that does not exist nothing is known but metadata. */
function unknownInVersion(object: JsonObject, { group, names, versions }: ObjectForm): string[] {
  const { apiVersion, kind, metadata: _, ...members } = object;
  const sent = parseApiVersion(String(apiVersion ?? ""));
  if (sent.group !== group || kind !== names.kind) return [];
  const schema = versions?.get(sent.version);
  const unknown =
    schema === undefined
      ? Object.keys(members).sort(byCodeUnit)
      : prune(object, schema, { isResourceRoot: true }).unknown;
  return unknown.map(unknownField);
}

function otherVersion({ apiVersion = "" }: JsonObject, { group, version }: ObjectForm): Error | undefined {
  const expected = formatApiVersion(group, version);
  if (apiVersion === expected) return undefined;
  return badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
  );
}

/**
 * Reads the options in the body of a deletion.
 *
 * @throws {ApiStatusError} `BadRequest`, `UnsupportedMediaType`
 */
export function decodeDeleteOptions(body: Uint8Array, type: string): JsonObject {
  if (type !== protobufType) {
    const value = parseText(body, type, badRequest).value ?? {};
    if (!isJsonObject(value)) throw badRequest(notAnObject(value));
    return value;
  }
  return fromProtobuf(badRequest, () => {
    const { apiVersion, kind, raw } = openEnvelope(body);
    const isOptions = kind === "" || kind === "DeleteOptions"; // the caller refuses what is something else
    return { ...(isOptions ? decodeMessage(raw, "meta.v1.DeleteOptions") : {}), apiVersion, kind };
  });
}

/**
 * Reads the result of a patch as an object of `resource`. `source` says whose words describe what does not fit.
 *
 * @throws {ApiStatusError} `BadRequest`, `Invalid`
 */
export function decodeValue(value: JsonValue, resource: ObjectForm, source: TypedSource): DecodedObject {
  const text = new Uint8Array();
  if (!isJsonObject(value)) throw unrecognized(resource, text, notAnObject(value));
  if (resource.missingKind === "refuse") {
    if ((getMember(value, "kind") ?? "") === "") throw badRequest(missingKind(wireJson(value)));
    if ((getMember(value, "apiVersion") ?? "") === "") throw missingApiVersion();
  }
  // Of kinds that are neither of Kubernetes nor of a definition the words are those for a body.
  const isOther = resource.message === undefined && resource.missingKind === "fill";
  const describe = isOther ? undefined : (why: string): string => why;
  const identified = identify(value, text, resource, describe);
  return resource.message === undefined
    ? readFields(identified, resource, describe)
    : readTyped(identified, resource, resource.message, source, badRequest);
}

function missingKind(object: string): string {
  return `Object 'Kind' is missing in '${object}'`;
}

/** Kubernetes notices it where it should not: the failure is called its own. */
function missingApiVersion(): ApiStatusError {
  const message = "Object 'apiVersion' is missing in 'object has no apiVersion field'";
  return new ApiStatusError(failure("InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] }));
}

/** A patch that makes something else of a custom object. */
export interface WrongType {
  /** For `fieldValidation`: in a version without a schema nothing is known but metadata. */
  readonly problems: readonly string[];
  readonly error: Error;
}

/** Whether the result of a patch is still of its kind and version; a kind that is missing is for the decoder. */
export function wrongType(patched: JsonValue, resource: ObjectForm): WrongType | undefined {
  const { group, version, names, missingKind } = resource;
  if (!isJsonObject(patched) || missingKind === "fill") return undefined;
  const { apiVersion, kind, metadata } = patched;
  const expected = formatApiVersion(group, version);
  if (typeof apiVersion !== "string" || typeof kind !== "string" || kind === "") return undefined;
  if (apiVersion === expected && kind === names.kind) return undefined;
  const sent = parseApiVersion(apiVersion);
  const mismatch = (field: string, value: string, right: string): FieldError[] =>
    value === right ? [] : [{ type: "FieldValueInvalid", field, value, detail: `must be ${right}` }];
  const name = isJsonObject(metadata) ? getMember(metadata, "name") : undefined;
  return {
    problems: unknownInVersion(patched, resource),
    error: invalid({ group: sent.group, kind }, typeof name === "string" ? name : "", [
      ...mismatch("kind", kind, names.kind),
      ...mismatch("apiVersion", apiVersion, expected),
    ]),
  };
}

/** What Strict answers; Warn turns each problem into a warning; Ignore drops them. */
export function reportProblems(
  problems: readonly string[],
  validation: FieldValidation,
  warn: (text: string) => void,
  refuse: (text: string) => Error,
): void {
  if (problems.length === 0 || validation === "Ignore") return;
  if (validation === "Strict") throw refuse(`strict decoding error: ${problems.join(", ")}`);
  for (const problem of problems.flatMap(linesOfProblem).slice(0, 100)) warn(problem);
}

const yamlProblem = "yaml: unmarshal errors:\n  ";

/** What go-yaml found in one text: each line becomes a warning of its own. */
function linesOfProblem(problem: string): string[] {
  return problem.startsWith(yamlProblem) ? problem.slice(yamlProblem.length).split("\n  ") : [problem];
}

export function duplicateField(path: string): string {
  return `duplicate field "${path}"`;
}

/** `Widget in version "v1" cannot be handled as a Widget: <why>`, for an object whose kind is known. */
function cannotBeHandled(object: JsonObject, resource: ObjectForm, why: string): string {
  if (resource.bodyRefusal !== undefined) return resource.bodyRefusal;
  const { kind } = resource.names;
  const sentKind = typeof object.kind === "string" ? object.kind : kind;
  const sentVersion = typeof object.apiVersion === "string" ? object.apiVersion : "";
  const version = sentVersion === "" ? resource.version : parseApiVersion(sentVersion).version;
  return `${sentKind} in version "${version}" cannot be handled as a ${kind}: ${why}`;
}

/** The strict decoder complains once the object is read, and an object of a custom kind is then what it says it is. */
export function strictlyRefused(object: KubernetesObject, resource: ObjectForm, why: string): Error {
  const names = resource.message === undefined ? { ...resource.names, kind: object.kind } : resource.names;
  return badRequest(cannotBeHandled(object, { ...resource, names }, why));
}

function unrecognized(resource: ObjectForm, body: Uint8Array, why: string): Error {
  return badRequest(
    resource.bodyRefusal ??
      `the object provided is unrecognized (must be of type ${resource.names.kind}): ${why} (${quoteBody(body)})`,
  );
}

const versionAndKind =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function notAnObject(value: JsonValue): string {
  return value === null
    ? missingKind("null")
    : `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(value)} into Go value of type ${versionAndKind}`;
}

function parseText(body: Uint8Array, type: string, refuse: (why: string) => Error): ParsedBody {
  switch (type) {
    case "application/json":
      return parseJsonText(new TextDecoder("utf-8", { ignoreBOM: true }).decode(body), refuse);
    case "application/yaml":
      return parseYamlText(strictUtf8(body, refuse), refuse);
    default:
      throw unsupportedMediaType(bodyTypes);
  }
}

/** Go's YAML reader refuses what its JSON reader replaces. */
function strictUtf8(body: Uint8Array, refuse: (why: string) => Error): string {
  try {
    return new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(body);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    const refusal = refuse("yaml: invalid leading UTF-8 octet");
    refusal.cause = cause;
    throw refusal;
  }
}

function parseJsonText(text: string, refuse: (why: string) => Error): ParsedBody {
  try {
    const { value, duplicates } = readJson(text, { maxDepth: maxBodyDepth });
    return { value, problems: duplicates.map(duplicateField) };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw refuse(`couldn't get version/kind; json parse error: ${error.reason}`);
  }
}

function parseYamlText(text: string, refuse: (why: string) => Error): ParsedBody {
  const duplicates: string[] = [];
  if (isEmptyYaml(text)) return { value: null, problems: [] };
  try {
    const value = readYaml(text, {
      source: "body",
      maxDepth: maxBodyDepth,
      onDuplicateKey: (key, line) => duplicates.push(`line ${line}: key ${goQuote(key)} already set in map`),
    });
    return { value, problems: duplicates.length === 0 ? [] : [yamlProblem + duplicates.join("\n  ")] };
  } catch (error) {
    if (!SlipwayError.isSlipwayError(error)) throw error;
    throw refuse(`yaml: ${error.message}`);
  }
}

/** Comments, and a null at most. */
function isEmptyYaml(text: string): boolean {
  return /^(?:null|~)?$/.test(text.replace(/^[ \t]*#.*$/gm, "").trim());
}

/** Only kinds of Kubernetes itself have messages. */
function decodeProtobuf(body: Uint8Array, resource: ObjectForm): JsonObject {
  const { message } = resource;
  if (message === undefined) throw unsupportedMediaType(textTypes);
  const { apiVersion, kind, raw } = fromProtobuf(
    (why) => unrecognized(resource, body, why),
    () => openEnvelope(body),
  );
  const identity = identify({ apiVersion, kind }, body, resource);
  return fromProtobuf(
    (why) => badRequest(cannotBeHandled(identity, resource, why)),
    () => ({ ...decodeMessage(raw, message), ...identity }),
  );
}

function fromProtobuf<T>(refuse: (why: string) => Error, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw refuse(error.message);
  }
}

/** Checks, or fills in, apiVersion and kind. */
function identify(
  value: JsonObject,
  body: Uint8Array,
  resource: ObjectForm,
  describe?: (why: string) => string,
): JsonObject {
  const refuse = (why: string): Error =>
    describe === undefined ? unrecognized(resource, body, why) : badRequest(describe(why));
  const expected = formatApiVersion(resource.group, resource.version);
  const { kind: expectedKind } = resource.names;
  const apiVersion = getMember(value, "apiVersion") ?? "";
  const kind = getMember(value, "kind") ?? "";
  if (typeof apiVersion === "string" && apiVersion.split("/", 3).length > 2) {
    throw refuse(`unexpected GroupVersion string: ${apiVersion}`);
  }
  for (const [name, member] of [
    ["APIVersion", apiVersion],
    ["Kind", kind],
  ] as const) {
    if (typeof member === "string") continue;
    const field = name === "Kind" ? "kind" : "apiVersion";
    throw refuse(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(member)} into Go struct field .${field} of type string`,
    );
  }
  if (resource.missingKind === "fill") {
    const named = {
      ...value,
      apiVersion: apiVersion === "" ? expected : apiVersion,
      kind: kind === "" ? expectedKind : kind,
    };
    if (named.apiVersion === expected && named.kind === expectedKind) return named;
    const why = otherKind(named, resource);
    throw badRequest(describe?.(why) ?? cannotBeHandled(named, resource, why));
  }
  if (kind === "") {
    throw unrecognized(resource, body, missingKind(new TextDecoder().decode(body)));
  }
  return value;
}

function otherKind(
  { apiVersion, kind }: { readonly apiVersion: JsonValue; readonly kind: JsonValue },
  { group, version, names, message }: ObjectForm,
): string {
  const unknown = `no kind "${kind}" is registered for version "${apiVersion}"`;
  if (message === undefined) {
    return `${unknown} at this address: must be ${names.kind} in ${formatApiVersion(group, version)}`;
  }
  const sent = parseApiVersion(String(apiVersion));
  return Object.hasOwn(kubernetesFields, `${packageOf(sent.group)}.${sent.version}.${kind}`)
    ? `converting (${sent.version}.${kind}) to (${packageOf(group)}.${names.kind}): unknown conversion`
    : `${unknown} in scheme "pkg/runtime/scheme.go:111"`;
}

/** Where Go keeps the kinds of a group. */
function packageOf(group: string): string {
  return group === "" ? "core" : (group.split(".", 1)[0] ?? "");
}

function readFields(
  value: JsonObject,
  resource: ObjectForm,
  describe = (why: string): string => cannotBeHandled(value, resource, why),
): DecodedObject {
  const { message } = resource;
  const refuse = (why: string): Error => badRequest(describe(why));
  if (message !== undefined) return readTyped(value, resource, message, "body", refuse);
  const path = resource.missingKind === "fill" ? "ObjectMeta.metadata" : "ObjectMeta";
  const { metadata, unknown } = decodeMetadata(getMember(value, "metadata"), path, describe);
  const object = {
    ...value,
    apiVersion: formatApiVersion(resource.group, resource.version),
    // Another kind stays what it is until somebody refuses it.
    kind: resource.missingKind === "fill" ? resource.names.kind : String(value.kind),
    metadata,
  };
  // Nobody knows the fields of another kind.
  if (resource.schema === undefined || object.kind !== resource.names.kind)
    return { object, problems: unknown.map(unknownField) };
  const pruned = prune(object, resource.schema, {
    isResourceRoot: true,
    embedded: {
      metadata: (embedded, at) => readEmbeddedMetadata(embedded, at, refuse),
      name(text, at) {
        if (typeof text !== "string") throw refuse(`${at}: Invalid value: ${wireJson(text)}: must be a string`);
      },
    },
  });
  return {
    object: dropNulls(pruned.value, resource.schema) as KubernetesObject,
    problems: inOrder([...unknown, ...pruned.unknown], value, resource).map(unknownField),
  };
}

/** Custom resources name unknown members as they are found, installed kinds as they stand in the body. */
function inOrder(paths: readonly string[], body: JsonObject, { order }: ObjectForm): readonly string[] {
  if (order === "sorted") return paths;
  const names = Object.keys(body);
  const at = (path: string): number => names.findIndex((name) => path === name || path.startsWith(`${name}.`));
  return paths.toSorted((a, b) => at(a) - at(b));
}

/** The metadata of a resource inside the object is read like the object's own. */
function readEmbeddedMetadata(embedded: JsonValue, at: string, refuse: (why: string) => Error): Pruned {
  const fits = (message: string): string => `${at}: Invalid value: ${wireJson(sortMembers(embedded))}: ${message}`;
  try {
    const { metadata, unknown } = decodeMetadata(embedded, "ObjectMeta", fits, at);
    return { value: metadata, unknown };
  } catch (error) {
    throw ApiStatusError.isApiStatusError(error) ? refuse(error.message) : error;
  }
}

function readTyped(
  value: JsonObject,
  { group, version, names }: ObjectForm,
  message: string,
  source: TypedSource,
  refuse: (why: string) => Error,
): DecodedObject {
  const { object, unknown } = typedObject(value, message, source, refuse);
  const { selfLink: _, ...metadata } = object.metadata as JsonObject;
  return {
    object: { ...object, apiVersion: formatApiVersion(group, version), kind: names.kind, metadata },
    problems: unknown.map(unknownField),
  };
}

function typedObject(
  value: JsonObject,
  message: string,
  source: TypedSource,
  refuse: (why: string) => Error,
): TypedObject {
  try {
    return readTypedObject(value, message, source);
  } catch (error) {
    if (!(error instanceof TypedObjectError)) throw error;
    throw refuse(error.message);
  }
}

function unknownField(path: string): string {
  return `unknown field "${path}"`;
}
