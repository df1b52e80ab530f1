export type { AbortScope } from "./abort-scope.ts";
export { abortScope, pause } from "./abort-scope.ts";
export { ageOf } from "./age.ts";
export type { Cluster, ClusterOptions } from "./cluster.ts";
export { startCluster } from "./cluster.ts";
export type { CustomResourceOptions } from "./custom-resource.ts";
export { customResources, schemaName } from "./custom-resource.ts";
export type { Authenticator } from "./filters/authentication.ts";
export { certificateAuthenticator, firstOf, tokenAuthenticator } from "./filters/authentication.ts";
export type { Authorizer } from "./filters/authorization.ts";
export { mastersOnly } from "./filters/authorization.ts";
export type { InFlightCounts, RequestKind } from "./filters/in-flight.ts";
export type { HealthCheck, HealthEndpoint } from "./health.ts";
export type { ServerHost } from "./host.ts";
export { formatTime, systemHost } from "./host.ts";
export { createLocalClient } from "./local-client.ts";
export type { LogFormat, LogLineOptions } from "./log-line.ts";
export { errorLogLine, requestLogLevel, requestLogLine } from "./log-line.ts";
export type { RequestLabels, RequestSeries, ServerGauges, ServerMetrics } from "./metrics.ts";
export type { OpenRequests, OperationOptions } from "./operation.ts";
export type { AdmissionAttributes, AdmissionStep } from "./registry/admission.ts";
export { namespaceLifecycle } from "./registry/admission.ts";
export type {
  CollectionDeleter,
  Counter,
  Creator,
  DeleteRequest,
  DeleteResult,
  Deleter,
  FieldRequirement,
  Getter,
  LabelMatcher,
  Lister,
  ListRequest,
  ListResult,
  ObjectChange,
  ObjectKey,
  RequestContext,
  RestEvent,
  RestStorage,
  UpdateRequest,
  Updater,
  UserInfo,
  Watcher,
  WatchRequest,
  WriteRequest,
} from "./registry/rest.ts";
export type { ScalePaths } from "./registry/scale.ts";
export { scaleStorage } from "./registry/scale.ts";
export type { StoreOptions } from "./registry/store.ts";
export { Store } from "./registry/store.ts";
export type { CustomResourceRules, Strategy } from "./registry/strategy.ts";
export { customResourceStrategy, statusStrategy } from "./registry/strategy.ts";
export type {
  ApiRequest,
  ApiResponse,
  RequestConnection,
  RequestHandler,
  SentAnswer,
  VerifiedCertificate,
} from "./request.ts";
export type { RequestInfo, Verb } from "./request-info.ts";
export { requestInfo } from "./request-info.ts";
export type { RequestLog, RequestLogEntry } from "./request-log.ts";
export type { ObjectForm, Resource, ResourceNames, Subresource, TableColumn, TableColumns } from "./resource.ts";
export { applyDefaults } from "./schema/defaults.ts";
export { dropNulls } from "./schema/nulls.ts";
export { prune } from "./schema/prune.ts";
export type { StructuralSchema } from "./schema/structural.ts";
export { parseStructuralSchema } from "./schema/structural.ts";
export { validate } from "./schema/validate.ts";
export type { ApiServer, ApiServerOptions } from "./server.ts";
export { createApiServer } from "./server.ts";
export { createMemoryStorage } from "./storage/memory-storage.ts";
export type {
  ObjectStorage,
  StorageErrorReason,
  StorageEvent,
  StorageList,
  StorageListOptions,
  StorageWatchOptions,
  StoredValue,
} from "./storage/storage.ts";
export { StorageError } from "./storage/storage.ts";
export { humanDuration } from "./table.ts";
