export type { SanitizeOptions } from "@slipway/core/internal";
export { sanitizeValue } from "@slipway/core/internal";
