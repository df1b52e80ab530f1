/** A widget as the soak looks at it. `step` counts every change of its name: creations, updates and deletions. */
export interface Seen {
  readonly namespace: string;
  readonly name: string;
  readonly tier: string;
  readonly step: number;
  readonly version: number;
}

/** What a watch selects. */
export interface Selection {
  /** @default all */
  readonly namespace?: string;
  readonly name?: string;
  readonly tier?: string;
}

export function matches(selection: Selection, { namespace, name, tier }: Seen): boolean {
  return (
    (selection.namespace ?? namespace) === namespace &&
    (selection.name ?? name) === name &&
    (selection.tier ?? tier) === tier
  );
}

/** Path and query of the selection, to be continued with `&`. */
export function pathOf({ namespace, name, tier }: Selection): string {
  const place = namespace === undefined ? "" : `namespaces/${namespace}/`;
  const fields = name === undefined ? "" : `&fieldSelector=metadata.name%3D${name}`;
  const labels = tier === undefined ? "" : `&labelSelector=tier%3D${tier}`;
  return `/apis/example.com/v1/${place}widgets?${`${fields}${labels}`.slice(1)}`;
}

interface WidgetObject {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly resourceVersion: string;
    readonly labels?: { readonly tier?: string };
  };
  readonly spec: { readonly size: number };
}

export function seen({ metadata, spec }: WidgetObject): Seen {
  const { namespace, name, labels, resourceVersion } = metadata;
  return { namespace, name, tier: labels?.tier ?? "", step: spec.size, version: Number(resourceVersion) };
}
