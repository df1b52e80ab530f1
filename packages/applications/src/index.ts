export { carryOver, carryOverShown } from "./carry-over.ts";
export type { MonitorReading, MonitorState } from "./conditions.ts";
export { showDefaults } from "./defaults.ts";
export type {
  ChartReference,
  Definition,
  HealthCheckExpression,
  ReadDefinition,
  ReleaseTemplate,
} from "./definition.ts";
export { readDefinition } from "./definition.ts";
export type { DefinitionSet, DegradedDefinition } from "./definition-set.ts";
export { buildDefinitionSet } from "./definition-set.ts";
export {
  applicationGroup,
  applicationLabels,
  applicationName,
  applicationVersion,
  maxNameLength,
  releaseName,
  tenantNamespace,
} from "./derived-names.ts";
export type { Nanoseconds } from "./duration.ts";
export { fluxDuration, formatDuration, parseDuration } from "./duration.ts";
export type { LiveDefinitions, LiveDefinitionsOptions } from "./live-definitions.ts";
export { definitionKind, serveDefinitions } from "./live-definitions.ts";
export type { ReleaseFlags } from "./release-flags.ts";
export { defaultReleaseFlags } from "./release-flags.ts";
export { applicationResource, applicationResources } from "./resource.ts";
export type { ApplicationOptions } from "./storage.ts";
export { createApplicationStorage } from "./storage.ts";
export { applicationColumns } from "./table.ts";
