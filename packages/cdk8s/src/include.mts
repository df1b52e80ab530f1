export type { IncludeProps } from "@slipway/core";
export { Include } from "@slipway/core";
