import {
  ApiStatusError,
  applyJsonPatch,
  badRequest,
  failure,
  formatJson,
  invalid,
  isJsonArray,
  isJsonObject,
  JsonPatchError,
  JsonSyntaxError,
  type JsonValue,
  type KubernetesObject,
  mergePatch,
  readJson,
  readJsonPatch,
} from "@slipway/objects";
import { updateObject } from "../registry/operations.ts";
import type { ApiResponse } from "../request.ts";
import { mediaType, readBody, tooLarge, unsupportedMediaType } from "./body.ts";
import type { Call } from "./call.ts";
import { type DecodedObject, decodeValue, duplicateField, maxBodyDepth, reportProblems } from "./decode.ts";
import { negotiate } from "./negotiate.ts";
import { writeOptions } from "./options.ts";
import { jsonResponse, representObject } from "./respond.ts";

interface ReadPatch {
  apply(current: KubernetesObject): JsonValue;
  /** Problems of the patch itself, for `fieldValidation`. */
  readonly problems: readonly string[];
}

/** Media types of PATCH bodies; also what OpenAPI says, from which kubectl chooses. */
export const patchTypes: Readonly<Record<string, (text: string) => ReadPatch>> = {
  "application/json-patch+json": readJsonPatchBody,
  "application/merge-patch+json": readMergePatchBody,
};

/** Kubernetes' limit for one JSON patch. */
const maxPatchOperations = 10_000;

export async function patchOne({ request, info, target, context, host }: Call): Promise<ApiResponse> {
  const read = patchTypes[mediaType(request)];
  if (read === undefined) throw unsupportedMediaType(Object.keys(patchTypes));
  if (info.name === "") throw badRequest("name must be provided");
  const representation = negotiate(request.headers, info.query);
  const { resource } = target;
  const body = await readBody(request);
  const options = writeOptions("PatchOptions", info.query, request.headers["user-agent"]);
  const patch = read(new TextDecoder().decode(body));
  const transition = (current: KubernetesObject): KubernetesObject => {
    const patched = patch.apply(current);
    const decoded = decodePatched(patched, () => decodeValue(patched, resource));
    reportProblems([...patch.problems, ...decoded.problems], options.fieldValidation, context.warn, (text) =>
      invalidPatch(patched, text),
    );
    return decoded.object;
  };
  const updated = await updateObject(context, target, info, transition, { ...options, patch: true });
  return jsonResponse(200, representObject(updated, resource, representation, host.now()), representation);
}

/** A result that is no object of the kind any more: 422 quoting it, as kube-apiserver answers. */
function decodePatched(patched: JsonValue, decode: () => DecodedObject): DecodedObject {
  try {
    return decode();
  } catch (error) {
    if (!ApiStatusError.isApiStatusError(error) || error.status.code !== 400) throw error;
    throw invalidPatch(patched, error.message);
  }
}

function invalidPatch(patched: JsonValue, detail: string): ApiStatusError {
  return invalid({ group: "", kind: "" }, "", [
    { type: "FieldValueInvalid", field: "patch", value: formatJson(patched), detail },
  ]);
}

function parsePatch(text: string): { readonly value: JsonValue; readonly duplicates: readonly string[] } {
  try {
    return readJson(text, { maxDepth: maxBodyDepth });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw badRequest(`error decoding patch: ${error.reason}`);
  }
}

function readJsonPatchBody(text: string): ReadPatch {
  const { value, duplicates } = parsePatch(text);
  if (!isJsonArray(value)) throw badRequest("error decoding patch: a JSON patch is a list of operations");
  if (value.length > maxPatchOperations) {
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${maxPatchOperations}, got ${value.length}`);
  }
  const operations = patchErrors(() => readJsonPatch(value, { lenient: true }));
  return {
    apply: (current) => patchErrors(() => applyJsonPatch(current, operations, { lenient: true })),
    problems: duplicates.map((path) => `json patch ${duplicateField(path)}`),
  };
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
  if (!isJsonObject(value)) throw badRequest("error decoding patch: a merge patch of an object is an object");
  return { apply: (current) => mergePatch(current, value), problems: duplicates.map(duplicateField) };
}
