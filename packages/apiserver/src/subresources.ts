import { scaleForm } from "./builtin/scale-form.ts";
import type { RestStorage } from "./registry/rest.ts";
import type { ObjectForm, Resource, Subresource } from "./resource.ts";

/** A subresource with its form. */
export interface PlacedSubresource extends Subresource {
  readonly form: ObjectForm;
}

/** The subresources that a kind has, in the order in which discovery lists them. */
export function subresourcesOf(resource: Resource): readonly PlacedSubresource[] {
  const { statusStorage, scaleStorage, subresources = [] } = resource;
  return [
    ...(statusStorage === undefined ? [] : [readAndChanged("status", resource, statusStorage)]),
    ...(scaleStorage === undefined ? [] : [readAndChanged("scale", scaleForm, scaleStorage)]),
    ...subresources.map((own) => ({ ...own, form: own.form ?? resource })),
  ];
}

function readAndChanged(name: string, form: ObjectForm, storage: RestStorage): PlacedSubresource {
  return { name, form, storage, verbs: storage.update === undefined ? ["get"] : ["get", "patch", "update"] };
}
