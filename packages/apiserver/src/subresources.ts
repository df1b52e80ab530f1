import { scaleForm } from "./builtin/scale-form.ts";
import type { RestStorage } from "./registry/rest.ts";
import type { Verb } from "./request-info.ts";
import type { ObjectForm, Resource } from "./resource.ts";

/** What stands below the address of an object: `/status`, `/scale`. */
export interface Subresource {
  readonly name: string;
  readonly form: ObjectForm;
  readonly storage: RestStorage;
  /** In alphabetical order. */
  readonly verbs: readonly ("get" | "patch" | "update")[] & readonly Verb[];
}

/** The subresources that a kind has, in the order in which discovery lists them. */
export function subresourcesOf(resource: Resource): readonly Subresource[] {
  const { statusStorage, scaleStorage } = resource;
  return [
    ...(statusStorage === undefined ? [] : [subresource("status", resource, statusStorage)]),
    ...(scaleStorage === undefined ? [] : [subresource("scale", scaleForm, scaleStorage)]),
  ];
}

/** A patch is an update computed by the server. */
function subresource(name: string, form: ObjectForm, storage: RestStorage): Subresource {
  return { name, form, storage, verbs: storage.update === undefined ? ["get"] : ["get", "patch", "update"] };
}
