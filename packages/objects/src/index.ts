export type { SlipwayErrorCode } from "./errors.ts";
export { ApiStatusError, SlipwayError } from "./errors.ts";
export type { FieldError, FieldErrorType } from "./field-error.ts";
export { formatFieldError, formatFieldErrorBody } from "./field-error.ts";
export { goFloat } from "./go-float.ts";
export { goQuote } from "./go-quote.ts";
export type { GroupResource, GroupVersionKind } from "./gvk.ts";
export { formatApiVersion, formatGroupKind, formatGroupResource, parseApiVersion } from "./gvk.ts";
export type { JsonArray, JsonObject, JsonValue, MutableJsonObject } from "./json.ts";
export {
  formatJson,
  getMember,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  setMember,
  sortMembers,
} from "./json.ts";
export type { JsonPatchOperation, JsonPatchOptions, JsonPatchProblem } from "./json-patch.ts";
export { applyJsonPatch, JsonPatchError, readJsonPatch } from "./json-patch.ts";
export type { JsonParseOptions, JsonReadOptions, JsonReadResult } from "./json-reader.ts";
export { JsonSyntaxError, parseJson, readJson } from "./json-reader.ts";
export type {
  DeleteOptions,
  KubeClient,
  ListOptions,
  ObjectList,
  ObjectRef,
  Preconditions,
  PropagationPolicy,
  RequestOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./kube-client.ts";
export type { MergePatchOptions } from "./merge-patch.ts";
export { mergePatch } from "./merge-patch.ts";
export {
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  labelValue,
  MAX_ANNOTATIONS_BYTES,
  qualifiedName,
  validateAnnotations,
  validateFinalizers,
  validateLabels,
} from "./names.ts";
export type { KubernetesObject, ObjectMeta, OwnerReference } from "./object.ts";
export { byCodeUnit } from "./order.ts";
export type { FieldRequirement, LabelOperator, LabelRequirement, LabelSelector } from "./selector.ts";
export { formatLabelRequirement, parseFieldSelector, parseLabelSelector } from "./selector.ts";
export type { Status, StatusCause, StatusDetails, StatusReason } from "./status.ts";
export {
  alreadyExists,
  badRequest,
  conflict,
  expired,
  failure,
  forbidden,
  invalid,
  MODIFIED_SINCE_READ,
  methodNotAllowed,
  notFound,
  statusCodes,
  unknownResource,
} from "./status.ts";
