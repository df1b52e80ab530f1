export type { ChartProps } from "@slipway/core";
export { Chart } from "@slipway/core";
