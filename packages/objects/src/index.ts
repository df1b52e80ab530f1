export type { SlipwayErrorCode } from "./errors.ts";
export { ApiStatusError, SlipwayError } from "./errors.ts";
export type { FieldError, FieldErrorType } from "./field-error.ts";
export { formatFieldError, formatFieldErrorBody } from "./field-error.ts";
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
export type { KubernetesObject, ObjectMeta, OwnerReference } from "./object.ts";
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
