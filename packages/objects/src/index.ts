export type { Compiled, SourceLocation, Value, ValuePath } from "./compiled.ts";
export { createValue } from "./compiled.ts";
export type { Condition, ConditionStatus } from "./condition.ts";
export {
  conditionsEqual,
  findCondition,
  hasCondition,
  removeCondition,
  setCondition,
  setConditions,
} from "./condition.ts";
export type { Difference, DiffOptions } from "./diff.ts";
export { diffObjects, formatDifference } from "./diff.ts";
export type { Duplicate, DuplicateOptions, Producer } from "./duplicates.ts";
export { DuplicateIdentitiesError, duplicates } from "./duplicates.ts";
export type { SlipwayErrorCode } from "./errors.ts";
export { ApiStatusError, SlipwayError } from "./errors.ts";
export { explainStages } from "./explain-stages.ts";
export type { Exported, ExportStep } from "./export.ts";
export { ExportError, exportResources } from "./export.ts";
export type { FieldError, FieldErrorType } from "./field-error.ts";
export { formatFieldError, formatFieldErrorBody } from "./field-error.ts";
export { goFloat } from "./go-float.ts";
export { goQuote } from "./go-quote.ts";
export { goYaml } from "./go-yaml.ts";
export type { Edge, OrderOptions } from "./graph.ts";
export { DependencyCycleError, orderByEdges, orderByNeed } from "./graph.ts";
export type { GroupResource, GroupVersionKind } from "./gvk.ts";
export { formatApiVersion, formatGroupKind, formatGroupResource, parseApiVersion } from "./gvk.ts";
export type { Identity, ObjectKey, ObjectKeyParts } from "./identity.ts";
export {
  formatIdentity,
  formatObjectKey,
  groupOf,
  identityOf,
  identityOfCompiled,
  objectKey,
  parseObjectKey,
} from "./identity.ts";
export type { Inventory, InventoryEntry } from "./inventory.ts";
export {
  apiVersionOf,
  createInventory,
  intersectInventories,
  inventoriesEqual,
  inventoryOf,
  subtractInventory,
  uniteInventories,
} from "./inventory.ts";
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
export type { JsonCheckOptions, JsonProblem } from "./json-problem.ts";
export { findJsonProblem } from "./json-problem.ts";
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
export { openList } from "./list.ts";
export { MASK, maskSecretPair, maskSecrets } from "./mask.ts";
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
export type { Quantity, QuantityFormat } from "./quantity.ts";
export { compareQuantities, formatQuantity, parseQuantity } from "./quantity.ts";
export type { Reference } from "./reference.ts";
export { formatReference, referenceOf } from "./reference.ts";
export { newResource, Resource, resources } from "./resource.ts";
export type { KindScope, Scope } from "./scope.ts";
export { builtInScope, createScopes, definedScopes } from "./scope.ts";
export { isSecret, normalizeSecret } from "./secret.ts";
export type { FieldRequirement, LabelOperator, LabelRequirement, LabelSelector } from "./selector.ts";
export { formatLabelRequirement, parseFieldSelector, parseLabelSelector } from "./selector.ts";
export type { Stage, StageOptions } from "./stages.ts";
export { findContradictions, stages } from "./stages.ts";
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
export { findUses } from "./uses.ts";
export type { GroupKind, KindWeight, SortDirection, WeightRule } from "./weights.ts";
export { explainWeight, sort, weightOf } from "./weights.ts";
export { formatYamlKey, formatYamlString } from "./yaml-string.ts";
export type { TidyYamlOptions, YamlWriteOptions } from "./yaml-writer.ts";
export {
  createTidyYamlFormatter,
  createYamlFormatter,
  formatYamlChunks,
  formatYamlDocument,
  formatYamlStream,
} from "./yaml-writer.ts";
