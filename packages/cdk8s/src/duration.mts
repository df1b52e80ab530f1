export type { TimeConversionOptions } from "@slipway/core";
export { Duration } from "@slipway/core";
