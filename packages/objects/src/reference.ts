import { getMember, isJsonObject, type JsonObject } from "./json.ts";

/** What people call an object by. An empty namespace is none. */
export interface Reference {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** `Kind/namespace/name`, or `Kind/name` without a namespace: how messages name an object. */
export function formatReference({ kind, namespace, name }: Reference): string {
  return namespace === "" ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}

/** The reference of an object that may be anything: what is missing or no string is `""`. */
export function referenceOf(object: JsonObject): Reference {
  const metadata = getMember(object, "metadata");
  const member = (of: unknown, name: string): string => {
    const value = isJsonObject(of) ? getMember(of, name) : undefined;
    return typeof value === "string" ? value : "";
  };
  return { kind: member(object, "kind"), namespace: member(metadata, "namespace"), name: member(metadata, "name") };
}
