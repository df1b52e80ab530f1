export type { HelmProps } from "@slipway/core";
export { Helm } from "@slipway/core";
