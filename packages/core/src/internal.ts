/** For the drop-in package, whose users reach these by deep import. Not part of the public surface. */
export { _child_process } from "./node/child-process.ts";
export type { SanitizeOptions } from "./sanitize.ts";
export { sanitizeValue } from "./sanitize.ts";
