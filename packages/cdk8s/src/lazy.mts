export type { IAnyProducer } from "@slipway/core";
export { Lazy } from "@slipway/core";
