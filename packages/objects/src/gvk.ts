/** `group` is `""` for the core group. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** `resource` is plural and lower case: `deployments`. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export function formatApiVersion(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Without a slash the group is `""`. Undoes {@link formatApiVersion}. */
export function parseApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf("/");
  return slash === -1
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** `deployments.apps`, or `pods` in the core group: the way Status messages name a resource. */
export function formatGroupResource({ group, resource }: GroupResource): string {
  return group === "" ? resource : `${resource}.${group}`;
}

/** `Deployment.apps`, or `Pod` in the core group: the way Status messages name a kind. */
export function formatGroupKind({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return group === "" ? kind : `${kind}.${group}`;
}
