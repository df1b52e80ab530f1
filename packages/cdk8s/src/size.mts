export type { SizeConversionOptions } from "@slipway/core";
export { Size, SizeRoundingBehavior } from "@slipway/core";
