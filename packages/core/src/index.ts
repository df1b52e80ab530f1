export type { ApiObjectProps, GroupVersionKind } from "./api-object.ts";
export { ApiObject } from "./api-object.ts";
export type { AppProps, SynthRun } from "./app.ts";
export { App, YamlOutputType } from "./app.ts";
export type { ChartProps } from "./chart.ts";
export { Chart } from "./chart.ts";
export type { CronOptions } from "./cron.ts";
export { Cron } from "./cron.ts";
export { DependencyGraph, DependencyVertex } from "./dependency.ts";
export type { TimeConversionOptions } from "./duration.ts";
export { Duration } from "./duration.ts";
export type { HelmProps } from "./helm.ts";
export { Helm } from "./helm.ts";
export type { IncludeProps } from "./include.ts";
export { Include } from "./include.ts";
export { JsonPatch } from "./json-patch.ts";
export type { IAnyProducer } from "./lazy.ts";
export { Lazy } from "./lazy.ts";
export type {
  ApiObjectMetadata,
  ApiObjectMetadataDefinitionOptions,
  OwnerReference,
} from "./metadata.ts";
export { ApiObjectMetadataDefinition } from "./metadata.ts";
export type { NameOptions } from "./names.ts";
export { Names } from "./names.ts";
export type { SynthDocument, SynthOutput } from "./outputs.ts";
export type { CheckCode, CheckSeverity, Checks, SynthProblem } from "./problem.ts";
export type { IResolver } from "./resolve.ts";
export {
  ImplicitTokenResolver,
  LazyResolver,
  NumberStringUnionResolver,
  ResolutionContext,
  resolve,
} from "./resolve.ts";
export type { SizeConversionOptions } from "./size.ts";
export { Size, SizeRoundingBehavior } from "./size.ts";
export { Testing } from "./testing.ts";
export type { LoadOptions } from "./yaml.ts";
export { Yaml } from "./yaml.ts";
