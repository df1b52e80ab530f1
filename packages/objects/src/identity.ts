import type { Compiled } from "./compiled.ts";
import { getMember, type JsonObject } from "./json.ts";
import { referenceOf } from "./reference.ts";
import { Resource } from "./resource.ts";

declare const brand: unique symbol;

/** What an object is called, as it was written. `namespace` is `""` for cluster scope or when none is named. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Group, kind, namespace and name in one string, equal for two objects exactly when they are one. The version is left
 * out on purpose: the server serves one object under every version of its group.
 */
export type ObjectKey = string & { readonly [brand]: "ObjectKey" };

export interface ObjectKeyParts {
  /** `""` for the core group. */
  readonly group: string;
  readonly kind: string;
  /** `""` for cluster scope. */
  readonly namespace: string;
  readonly name: string;
}

/** `apps/v1 Deployment web-system/web`, without what is empty. */
export function formatIdentity({ apiVersion, kind, namespace, name }: Identity): string {
  const path = namespace === "" ? name : `${namespace}/${name}`;
  return apiVersion === "" ? `${kind} ${path}` : `${apiVersion} ${kind} ${path}`;
}

/** The part of an apiVersion before its first slash; `""` without one. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash === -1 ? "" : apiVersion.slice(0, slash);
}

export function objectKey({ apiVersion, kind, namespace, name }: Identity): ObjectKey {
  return formatObjectKey({ group: groupOf(apiVersion), kind, namespace, name });
}

/** `apps/Deployment/web-system/web`: always three slashes; those inside a part are written `%2F`, and `%` as `%25`. */
export function formatObjectKey({ group, kind, namespace, name }: ObjectKeyParts): ObjectKey {
  return `${escapePart(group)}/${escapePart(kind)}/${escapePart(namespace)}/${escapePart(name)}` as ObjectKey;
}

/** Undoes {@link formatObjectKey}; `undefined` for a text that it does not give. */
export function parseObjectKey(text: string): ObjectKeyParts | undefined {
  const parts = text.split("/");
  if (parts.length !== 4 || /%(?!25|2F)/.test(text)) return undefined;
  const [group, kind, namespace, name] = parts.map(unescapePart) as [string, string, string, string];
  return { group, kind, namespace, name };
}

function escapePart(part: string): string {
  return part.includes("/") || part.includes("%") ? part.replaceAll("%", "%25").replaceAll("/", "%2F") : part;
}

function unescapePart(part: string): string {
  return part.replaceAll("%2F", "/").replaceAll("%25", "%");
}

/** The identity of an object; `undefined` for what has no kind or no name, and so is no Kubernetes object. */
export function identityOf(object: JsonObject): Identity | undefined {
  const apiVersion = getMember(object, "apiVersion");
  return identified({ apiVersion: typeof apiVersion === "string" ? apiVersion : "", ...referenceOf(object) });
}

/** As {@link identityOf}; reads four fields of the value and nothing else. */
export function identityOfCompiled(compiled: Compiled): Identity | undefined {
  const { apiVersion, kind, namespace, name } = new Resource(compiled);
  return identified({ apiVersion, kind, namespace, name });
}

function identified(identity: Identity): Identity | undefined {
  return identity.kind === "" || identity.name === "" ? undefined : identity;
}
