import {
  ApiStatusError,
  applyJsonPatch,
  badRequest,
  byCodeUnit,
  failure,
  getMember,
  invalid,
  isJsonArray,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  JsonPatchError,
  type JsonPatchOperation,
  JsonSyntaxError,
  type JsonValue,
  type KubernetesObject,
  type MutableJsonObject,
  mergePatch,
  readJson,
  readJsonPatch,
  setMember,
} from "@slipway/objects";
import { goKind } from "../object-meta.ts";
import { updateObject } from "../registry/operations.ts";
import type { ApiResponse } from "../request.ts";
import type { Resource } from "../resource.ts";
import { readBody, tooLarge, unsupportedMediaType } from "./body.ts";
import type { Call } from "./call.ts";
import { type DecodedObject, decodeValue, duplicateField, maxBodyDepth, reportProblems, wrongType } from "./decode.ts";
import { formatGoValue, goType } from "./go-value.ts";
import { negotiate } from "./negotiate.ts";
import { writeOptions } from "./options.ts";
import { jsonResponse, representObject } from "./respond.ts";
import { strategicMergePatch } from "./strategic-merge-patch.ts";
import type { TypedSource } from "./typed-object.ts";
import { wireJson } from "./wire-json.ts";

interface ReadPatch {
  apply(current: KubernetesObject): JsonValue;
  /** Whose words describe a result that does not fit the kind. */
  readonly source: TypedSource;
  /** What a refusal of the result shows as the value that is wrong. */
  quote(patched: JsonValue): string;
  /** Problems of the patch itself, for `fieldValidation`. */
  readonly problems: readonly string[];
}

type PatchReader = (text: string, resource: Resource) => ReadPatch;

const readers: Readonly<Record<string, PatchReader>> = {
  "application/json-patch+json": readJsonPatchBody,
  "application/merge-patch+json": readMergePatchBody,
};

const strategicReaders: Readonly<Record<string, PatchReader>> = {
  ...readers,
  "application/strategic-merge-patch+json": readStrategicMergePatchBody,
};

/** Only for kinds of Kubernetes itself is it known how strategic merge patches merge them. */
function readersOf(resource: Resource): Readonly<Record<string, PatchReader>> {
  return resource.message === undefined ? readers : strategicReaders;
}

/** Media types of PATCH bodies for the kind; also what OpenAPI says, from which kubectl chooses. */
export function patchTypes(resource: Resource): readonly string[] {
  return Object.keys(readersOf(resource));
}

/** Kubernetes' limit for one JSON patch. */
const maxPatchOperations = 10_000;

export async function patchOne({ request, info, target, context, host }: Call): Promise<ApiResponse> {
  const { resource, form } = target;
  const known = readersOf(resource);
  const type = patchType(request.headers["content-type"] ?? "");
  const read = Object.hasOwn(known, type) ? known[type] : undefined;
  if (read === undefined) throw unsupportedMediaType(patchTypes(resource));
  if (info.name === "") throw badRequest("name must be provided");
  const representation = negotiate(request.headers, info.query);
  const body = await readBody(request);
  const options = writeOptions("PatchOptions", info.query, request.headers["user-agent"]);
  let readOnce: ReadPatch | undefined;
  const transition = (current: KubernetesObject): KubernetesObject => {
    // Only here: when there is no object, nobody says what is wrong with the patch.
    readOnce ??= read(new TextDecoder("utf-8", { ignoreBOM: true }).decode(body), resource);
    const patch = readOnce;
    const patched = patch.apply(current);
    const refuse = (why: string): ApiStatusError => invalidPatch(patch.quote(patched), why);
    const wrong = wrongType(patched, form);
    if (wrong !== undefined) {
      reportProblems([...patch.problems, ...wrong.problems], options.fieldValidation, context.warn, refuse);
      throw wrong.error;
    }
    const decoded = decodePatched(() => decodeValue(patched, form, patch.source), refuse);
    reportProblems([...patch.problems, ...decoded.problems], options.fieldValidation, context.warn, refuse);
    return decoded.object;
  };
  const updated = await updateObject(context, target, info, transition, { ...options, patch: true });
  return jsonResponse(200, representObject(updated, form, representation, host.now()), representation);
}

/** What stands before the parameters, as it is: kube-apiserver compares the types of patches letter by letter. */
function patchType(header: string): string {
  const end = header.indexOf(";");
  return end > 0 ? header.slice(0, end) : header;
}

/** A result that is no object of the kind any more: 422 quoting it, as kube-apiserver answers. */
function decodePatched(decode: () => DecodedObject, refuse: (why: string) => ApiStatusError): DecodedObject {
  try {
    return decode();
  } catch (error) {
    if (!ApiStatusError.isApiStatusError(error) || error.status.code !== 400) throw error;
    throw refuse(error.message);
  }
}

function invalidPatch(value: string, detail: string): ApiStatusError {
  const { status } = invalid({ group: "", kind: "" }, "", [
    { type: "FieldValueInvalid", field: "patch", value, detail },
  ]);
  // The kind is not known here, and a member without a value is no member.
  return new ApiStatusError({ ...status, details: { causes: status.details?.causes ?? [] } });
}

function parsePatch(
  text: string,
  prefix = "error decoding patch: ",
): { readonly value: JsonValue; readonly duplicates: readonly string[] } {
  try {
    return readJson(text, { maxDepth: maxBodyDepth });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw badRequest(prefix + error.reason);
  }
}

/** What Go's decoder says about a document of the wrong type. */
function cannotUnmarshal(value: JsonValue, type: string): string {
  return `json: cannot unmarshal ${goKind(value)} into Go value of type ${type}`;
}

function readJsonPatchBody(text: string): ReadPatch {
  const { value, duplicates } = parsePatch(text);
  const list = value ?? []; // Go reads null as a list without items
  if (!isJsonArray(list)) throw badRequest(`error decoding patch: ${cannotUnmarshal(list, "[]handlers.jsonPatchOp")}`);
  const mismatch = operationMismatch(list);
  if (mismatch !== undefined) throw badRequest(`error decoding patch: ${mismatch}`);
  if (list.length > maxPatchOperations) {
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${maxPatchOperations}, got ${list.length}`);
  }
  const operations = patchErrors(() => readJsonPatch(list, { lenient: true }));
  return {
    apply: (current) =>
      sortedWhereMerged(
        patchErrors(() => applyJsonPatch(current, operations, { lenient: true })),
        reachOf(operations),
      ),
    source: "body",
    quote: wireJson,
    problems: [...duplicates.filter(isKnownInOperation).map(duplicateField), ...unknownInOperations(list)].map(
      (problem) => `json patch ${problem}`,
    ),
  };
}

/** The objects that the operations reach into, as members of each other. */
function reachOf(operations: readonly JsonPatchOperation[]): JsonObject {
  const reach: MutableJsonObject = {};
  for (const operation of operations) {
    for (const pointer of [operation.path, "from" in operation ? operation.from : ""]) {
      let at = reach;
      for (const segment of pointer.split("/").slice(1, -1)) {
        const name = segment.replaceAll("~1", "/").replaceAll("~0", "~");
        const below = (getMember(at, name) ?? {}) as MutableJsonObject;
        setMember(at, name, below);
        at = below;
      }
    }
  }
  return reach;
}

const operationMembers: ReadonlySet<string> = new Set(["op", "path", "from", "value"]);

/** Go does not count how often a member stands there that it does not know. */
function isKnownInOperation(path: string): boolean {
  const [, name] = /^\[\d+\]\.([^.[]*)/.exec(path) ?? [];
  return name === undefined || operationMembers.has(name);
}

function unknownInOperations(operations: JsonArray): string[] {
  return operations.flatMap((operation, index) =>
    Object.keys(isJsonObject(operation) ? operation : {})
      .filter((name) => !operationMembers.has(name))
      .map((name) => `unknown field "[${index}].${name}"`),
  );
}

/** What Go's decoder says about the first member that is of another type. */
function operationMismatch(operations: JsonArray): string | undefined {
  for (const operation of operations) {
    if (operation === null) continue;
    if (!isJsonObject(operation)) return cannotUnmarshal(operation, "handlers.jsonPatchOp");
    for (const name of Object.keys(operation)) {
      const member = getMember(operation, name) ?? null;
      if (name === "value" || !operationMembers.has(name) || member === null || typeof member === "string") continue;
      return `json: cannot unmarshal ${goKind(member)} into Go struct field jsonPatchOp.${name} of type string`;
    }
  }
  return undefined;
}

/** 400 for a patch that is none; 422 with Kubernetes' sparse text for one that does not fit the object. */
function patchErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    if (error.kind === "malformed") throw badRequest(`error decoding patch: ${error.message}`);
    throw new ApiStatusError(failure("Invalid", "the server rejected our request due to an error in our request", {}), {
      cause: error,
    });
  }
}

function readMergePatchBody(text: string): ReadPatch {
  const { value, duplicates } = parsePatch(text);
  if (value === null) throw badRequest("Invalid JSON Patch");
  if (!isJsonObject(value)) throw badRequest(`error decoding patch: ${cannotUnmarshal(value, goType({}))}`);
  return {
    apply: (current) => sortedWhereMerged(mergePatch(current, value, { lenient: true }), value),
    source: "body",
    quote: wireJson,
    problems: duplicates.map(duplicateField),
  };
}

/** What a merge patch reaches into, Go has as maps, which it prints in order of their keys. The rest stays as it was. */
function sortedWhereMerged(patched: JsonValue, patch: JsonValue): JsonValue {
  if (!isJsonObject(patched) || !isJsonObject(patch)) return patched;
  const sorted: MutableJsonObject = {};
  for (const name of Object.keys(patched).sort(byCodeUnit)) {
    setMember(sorted, name, sortedWhereMerged(getMember(patched, name) ?? null, getMember(patch, name) ?? null));
  }
  return sorted;
}

function readStrategicMergePatchBody(text: string, { message = "" }: Resource): ReadPatch {
  const { value, duplicates } = parsePatch(text, "");
  if (value !== null && !isJsonObject(value)) {
    throw badRequest(cannotUnmarshal(value, goType({})));
  }
  const patch = value ?? {};
  return {
    apply: (current) => strategicMergePatch(current, patch, message),
    source: "patch",
    quote: () => formatGoValue(patch),
    problems: duplicates.map(duplicateField),
  };
}
