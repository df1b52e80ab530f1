export type { ApiObjectProps, GroupVersionKind } from "@slipway/core";
export { ApiObject } from "@slipway/core";
