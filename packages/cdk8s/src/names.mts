export type { NameOptions } from "@slipway/core";
export { Names } from "@slipway/core";
