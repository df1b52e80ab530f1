import {
  badRequest,
  type FieldError,
  invalid,
  type JsonObject,
  type JsonValue,
  type PropagationPolicy,
} from "@slipway/objects";
import { deleteObject, deleteObjects, requireAbility } from "../registry/operations.ts";
import type { DeleteRequest, DeleteResult } from "../registry/rest.ts";
import type { ApiResponse } from "../request.ts";
import { booleanParameter } from "../request-info.ts";
import { mediaType, readBody } from "./body.ts";
import type { Call } from "./call.ts";
import { decodeDeleteOptions } from "./decode.ts";
import { negotiate } from "./negotiate.ts";
import { dryRunErrors, integerParameter, listRequest, managerOfAgent } from "./options.ts";
import { jsonResponse, representList, representObject } from "./respond.ts";
import { readTypedObject, TypedObjectError } from "./typed-object.ts";

export async function deleteOne(call: Call): Promise<ApiResponse> {
  const { request, info, target, context, host } = call;
  const representation = negotiate(request.headers, info.query);
  const { deletion, orphanDependents } = await readDeletion(call);
  const result = await deleteObject(context, target, info, deletion);
  const isShown = !result.done || target.resource.returnsDeleted === true;
  if (!isShown) return jsonResponse(200, deletedStatus(result, call), representation);
  const status = orphanDependents === false ? 202 : 200;
  return jsonResponse(status, representObject(result.object, target.form, representation, host.now()), representation);
}

export async function deleteMany(call: Call): Promise<ApiResponse> {
  const { request, info, target, context, host } = call;
  requireAbility(target, "deleteCollection", "deletecollection");
  const representation = negotiate(request.headers, info.query);
  const list = listRequest(info);
  const { deletion } = await readDeletion(call);
  const result = await deleteObjects(context, target, list, deletion);
  return jsonResponse(200, representList(result, target.form, representation, host.now()), representation);
}

/** kubectl waits for the uid to be gone, so it is named. */
function deletedStatus({ object }: DeleteResult, { target: { resource } }: Call): JsonObject {
  const { name, uid } = object.metadata;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      ...(name === undefined ? {} : { name }),
      ...(resource.group === "" ? {} : { group: resource.group }),
      kind: resource.names.plural,
      ...(uid === undefined ? {} : { uid }),
    },
  };
}

interface Deletion {
  readonly deletion: DeleteRequest;
  readonly orphanDependents: boolean | undefined;
}

/** Options of a deletion: the body when there is one, else the query (Kubernetes looks at one of them only). */
async function readDeletion({ request, info }: Call): Promise<Deletion> {
  const body = await readBody(request);
  const options =
    body.length === 0 ? queryOptions(info.query) : bodyOptions(decodeDeleteOptions(body, mediaType(request)));
  const errors = optionErrors(options);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
  const { orphanDependents } = options;
  const policy =
    options.propagationPolicy ??
    (orphanDependents === undefined ? undefined : orphanDependents ? "Orphan" : "Background");
  return {
    orphanDependents,
    deletion: {
      dryRun: options.dryRun.includes("All"),
      fieldManager: managerOfAgent(request.headers["user-agent"]),
      options: {
        propagationPolicy: policy as PropagationPolicy | undefined,
        gracePeriodSeconds: options.gracePeriodSeconds,
        preconditions: options.preconditions,
      },
    },
  };
}

interface RawOptions {
  readonly dryRun: readonly string[];
  readonly propagationPolicy?: string | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined };
}

function optionErrors({ dryRun, propagationPolicy, orphanDependents }: RawOptions): FieldError[] {
  const errors: FieldError[] = [];
  const field = "propagationPolicy";
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    errors.push({
      type: "FieldValueInvalid",
      field,
      value: propagationPolicy,
      detail: "orphanDependents and deletionPropagation cannot be both set",
    });
  }
  if (propagationPolicy !== undefined && !["Foreground", "Background", "Orphan"].includes(propagationPolicy)) {
    errors.push({
      type: "FieldValueNotSupported",
      field,
      value: propagationPolicy,
      detail: 'supported values: "Foreground", "Background", "Orphan", "nil"',
    });
  }
  return [...errors, ...dryRunErrors(dryRun)];
}

function queryOptions(query: URLSearchParams): RawOptions {
  return {
    dryRun: query.getAll("dryRun"),
    propagationPolicy: query.get("propagationPolicy") ?? undefined,
    orphanDependents: query.has("orphanDependents") ? booleanParameter(query, "orphanDependents") : undefined,
    gracePeriodSeconds: integerParameter(query, "gracePeriodSeconds"),
    preconditions: {
      uid: query.get("uid") || undefined,
      resourceVersion: query.get("resourceVersion") || undefined,
    },
  };
}

function bodyOptions(value: JsonObject): RawOptions {
  refuseOtherKind(value);
  const { dryRun = [], preconditions = {}, ...options } = readOptions(value) as Partial<RawOptions>;
  return { ...options, dryRun, preconditions };
}

/** @throws {ApiStatusError} `BadRequest`: options that were meant must not be lost. */
function readOptions(value: JsonObject): JsonObject {
  try {
    return readTypedObject(value, "meta.v1.DeleteOptions", "body").object;
  } catch (error) {
    throw error instanceof TypedObjectError ? badRequest(error.message) : error;
  }
}

/** Kinds without a group of their own, which Go knows in `v1` beside the options. */
const unversionedKinds: readonly JsonValue[] = ["Status", "APIVersions", "APIGroupList", "APIGroup", "APIResourceList"];

function refuseOtherKind({ kind = null, apiVersion = null }: JsonObject): void {
  if (kind === null || kind === "" || kind === "DeleteOptions") return;
  throw badRequest(
    apiVersion === "v1" && unversionedKinds.includes(kind)
      ? `converting (v1.${kind}) to (v1.DeleteOptions): unknown conversion`
      : `no kind "${kind}" is registered for version "${apiVersion ?? "v1"}" in scheme "pkg/runtime/scheme.go:111"`,
  );
}
