import type { JsonObject } from "@slipway/objects";
import type { Resource } from "../resource.ts";
import type { GroupVersion } from "./discovery.ts";

export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
}

export interface OpenApiOptions {
  /**
   * Content types of PATCH bodies.
   * @default JSON patch and merge patch
   */
  readonly patchTypes?: readonly string[] | undefined;
}

/** The self-contained OpenAPI v3 document of one group version. Resources of other group versions are left out. */
export function openApiV3Document(
  _groupVersion: GroupVersion,
  _resources: readonly Resource[],
  _info: OpenApiInfo,
  _options: OpenApiOptions = {},
): JsonObject {
  throw new Error("not written yet");
}

/** Answer of `GET /openapi/v3`: where the document of each group version is. `hash` is opaque. */
export function openApiV3Index(_documents: readonly (GroupVersion & { readonly hash: string })[]): JsonObject {
  throw new Error("not written yet");
}
