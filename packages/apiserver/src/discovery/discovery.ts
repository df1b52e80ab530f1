import type { JsonObject } from "@slipway/objects";
import type { Resource } from "../resource.ts";

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Answer of `GET /apis/GROUP/VERSION`. Resources of other group versions are left out. */
export function apiResourceList(_groupVersion: GroupVersion, _resources: readonly Resource[]): JsonObject {
  throw new Error("not written yet");
}

/** Answer of `GET /apis/GROUP`. */
export function apiGroup(_group: string, _resources: readonly Resource[]): JsonObject {
  throw new Error("not written yet");
}

/** Answer of `GET /apis`. */
export function apiGroupList(_resources: readonly Resource[]): JsonObject {
  throw new Error("not written yet");
}

/** Answer of `GET /apis` for clients that ask for `APIGroupDiscoveryList`. */
export function aggregatedDiscovery(_resources: readonly Resource[]): JsonObject {
  throw new Error("not written yet");
}
