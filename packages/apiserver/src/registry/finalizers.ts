import type { ObjectMeta, PropagationPolicy } from "@slipway/objects";

const orphan = "orphan";
const foreground = "foregroundDeletion";

/**
 * The finalizers an object keeps when it is deleted: those it has, with the two of the garbage collector set as the
 * policy asks. Without a policy, whichever of the two is there stays.
 * @see Kubernetes, apiserver's deletionFinalizersForGarbageCollection
 */
export function finalizersForDeletion(metadata: ObjectMeta, policy: PropagationPolicy | undefined): readonly string[] {
  const present = metadata.finalizers ?? [];
  const others = present.filter((finalizer) => finalizer !== orphan && finalizer !== foreground);
  switch (policy) {
    case undefined:
      return present;
    case "Background":
      return others;
    case "Orphan":
      return present.includes(orphan) && !present.includes(foreground) ? present : [...others, orphan];
    case "Foreground":
      return present.includes(foreground) && !present.includes(orphan) ? present : [...others, foreground];
    default:
      throw new TypeError(`unhandled policy ${policy satisfies never}`);
  }
}
