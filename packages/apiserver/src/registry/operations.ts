import {
  ApiStatusError,
  badRequest,
  conflict,
  type GroupResource,
  invalid,
  type KubernetesObject,
  methodNotAllowed,
  type StatusReason,
} from "@slipway/objects";
import type { ObjectForm, Resource } from "../resource.ts";
import type { AdmissionStep } from "./admission.ts";
import { requireRevision } from "./resource-version.ts";
import type {
  DeleteRequest,
  DeleteResult,
  ListRequest,
  ListResult,
  ObjectKey,
  RequestContext,
  RestStorage,
  WriteRequest,
} from "./rest.ts";

/**
 * Where a request goes: a kind, its storage (that of the object or of a subresource) and the admission in front of it.
 * HTTP handlers and the in-process client share these functions, so that no write goes round the chain.
 */
export interface Target {
  readonly resource: Resource;
  /** `""` for the object itself. */
  readonly subresource: string;
  /** What is read and written: objects of the resource, or what its subresource shows of them. */
  readonly form: ObjectForm;
  readonly storage: RestStorage;
  readonly admission: readonly AdmissionStep[];
}

export function groupResource({ group, names }: Resource): GroupResource {
  return { group, resource: names.plural };
}

/** The storage's ability behind a verb. @throws {ApiStatusError} `MethodNotAllowed` when it has none. */
export function requireAbility<Ability extends keyof RestStorage>(
  { storage, resource }: Target,
  ability: Ability,
  verb: string,
): NonNullable<RestStorage[Ability]> {
  const method = storage[ability];
  if (method === undefined) throw methodNotAllowed(groupResource(resource), verb);
  return method.bind(storage) as NonNullable<RestStorage[Ability]>;
}

/**
 * Creates `object` in `namespace`, which the object may leave out but not contradict.
 *
 * @throws {ApiStatusError}
 */
export async function createObject(
  context: RequestContext,
  target: Target,
  namespace: string,
  object: KubernetesObject,
  request: WriteRequest,
): Promise<KubernetesObject> {
  const create = requireAbility(target, "create", "create");
  const placed = inNamespace(object, namespace, target.resource);
  const { name = "", generateName = "" } = placed.metadata;
  await admit(context, target, {
    operation: "CREATE",
    namespace,
    name: name === "" ? generateName : name,
    object: placed,
    oldObject: undefined,
    dryRun: request.dryRun,
  });
  return create(context, placed, request);
}

/** Computes the object to write from the one that is there. */
export type Transition = (current: KubernetesObject) => KubernetesObject | Promise<KubernetesObject>;

/** Replaces or patches one object. */
export async function updateObject(
  context: RequestContext,
  target: Target,
  key: ObjectKey,
  transition: Transition,
  request: WriteRequest & { readonly patch: boolean },
): Promise<KubernetesObject> {
  const update = requireAbility(target, "update", request.patch ? "patch" : "update");
  const change = async (current: KubernetesObject): Promise<KubernetesObject> => {
    const sent = inNamespace(await transition(current), key.namespace, target.resource);
    checkName(sent, key.name);
    const changed = request.patch ? withUidOf(sent, current, target) : sent;
    await admit(context, target, {
      operation: "UPDATE",
      namespace: key.namespace,
      name: key.name,
      object: changed,
      oldObject: current,
      dryRun: request.dryRun,
    });
    return changed;
  };
  return update(context, key, change, request);
}

/** What a PUT has made. */
export interface PutResult {
  readonly object: KubernetesObject;
  readonly created: boolean;
}

/**
 * Replaces one object by `object`, whose name and namespace may not contradict the key; where the kind allows it, creates
 * the object when it is not there. Then a resourceVersion counts for nothing, and a uid is that of another object.
 *
 * @param mayCreate rejects when the user may not create it
 * @throws {ApiStatusError}
 */
export async function putObject(
  context: RequestContext,
  target: Target,
  key: ObjectKey,
  object: KubernetesObject,
  request: WriteRequest,
  mayCreate: () => Promise<void>,
): Promise<PutResult> {
  checkName(inNamespace(object, key.namespace, target.resource), key.name);
  for (;;) {
    try {
      const updated = await updateObject(context, target, key, () => object, { ...request, patch: false });
      return { object: updated, created: false };
    } catch (error) {
      const creates = target.resource.createOnUpdate === true && target.subresource === "";
      if (!creates || !isRefusal(error, "NotFound", target)) throw error;
    }
    const { resourceVersion = "", uid = "", ...metadata } = object.metadata;
    if (resourceVersion !== "") requireRevision(resourceVersion);
    if (uid !== "") {
      const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: `;
      throw conflict(groupResource(target.resource), key.name, why);
    }
    await mayCreate();
    try {
      const created = await createObject(context, target, key.namespace, { ...object, metadata }, request);
      return { object: created, created: true };
    } catch (error) {
      // Somebody else was faster: then it is an update after all.
      if (!isRefusal(error, "AlreadyExists", target)) throw error;
      context.signal.throwIfAborted();
    }
  }
}

/** Whether it is about objects of the kind, and not, say, about their namespace. */
function isRefusal(error: unknown, reason: StatusReason, { resource }: Target): boolean {
  if (!ApiStatusError.isApiStatusError(error)) return false;
  const { status } = error;
  return status.reason === reason && status.details?.kind === resource.names.plural;
}

export async function deleteObject(
  context: RequestContext,
  target: Target,
  key: ObjectKey,
  request: DeleteRequest,
): Promise<DeleteResult> {
  const remove = requireAbility(target, "delete", "delete");
  await admit(context, target, {
    operation: "DELETE",
    namespace: key.namespace,
    name: key.name,
    object: undefined,
    oldObject: undefined,
    dryRun: request.dryRun,
  });
  return remove(context, key, request);
}

/** Deletes what a list shows; every object passes admission by itself. */
export async function deleteObjects(
  context: RequestContext,
  target: Target,
  list: ListRequest,
  request: DeleteRequest,
): Promise<ListResult> {
  const remove = requireAbility(target, "deleteCollection", "deletecollection");
  return remove(context, list, request, ({ metadata: { namespace = "", name = "" } }) =>
    admit(context, target, {
      operation: "DELETE",
      namespace,
      name,
      object: undefined,
      oldObject: undefined,
      dryRun: request.dryRun,
    }),
  );
}

async function admit(
  context: RequestContext,
  { admission, resource, subresource }: Target,
  attributes: Omit<Parameters<AdmissionStep>[1], "resource" | "subresource">,
): Promise<void> {
  for (const step of admission) await step(context, { ...attributes, resource, subresource });
}

function inNamespace(object: KubernetesObject, namespace: string, resource: Resource): KubernetesObject {
  const { namespace: sent = "", ...metadata } = object.metadata;
  if (!resource.namespaced) return sent === "" ? object : { ...object, metadata };
  if (sent === namespace) return object;
  if (sent !== "") {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return { ...object, metadata: { ...object.metadata, namespace } };
}

function checkName({ metadata }: KubernetesObject, name: string): void {
  const { name: sent = "" } = metadata;
  if (sent === name) return;
  throw badRequest(
    sent === ""
      ? `the name of the object (${name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${sent}) does not match the name on the URL (${name})`,
  );
}

/**
 * A patch cannot move an object to another life; a PUT with another uid is a conflict, which storages check. Patches of
 * the status of custom kinds have no say in metadata at all.
 */
function withUidOf(
  changed: KubernetesObject,
  current: KubernetesObject,
  { resource, subresource }: Target,
): KubernetesObject {
  const { uid = "", name = "" } = changed.metadata;
  if (uid === "" || uid === current.metadata.uid) return changed;
  if (subresource === "status" && resource.order === "sorted") {
    return { ...changed, metadata: { ...changed.metadata, uid: current.metadata.uid } };
  }
  const error = {
    type: "FieldValueInvalid",
    field: "metadata.uid",
    value: uid,
    detail: "field is immutable",
  } as const;
  throw invalid({ group: resource.group, kind: resource.names.kind }, name, [error, error]);
}
