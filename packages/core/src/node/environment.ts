import process from "node:process";

/** `CDK8S_OUTDIR`: the folder that an App writes to when its program names none. */
export function outdirFromEnvironment(): string | undefined {
  return process.env.CDK8S_OUTDIR;
}

/** `CDK8S_RECORD_CONSTRUCT_METADATA`: whether an App writes `construct-metadata.json` when its program does not say. */
export function recordsConstructMetadata(): boolean {
  return process.env.CDK8S_RECORD_CONSTRUCT_METADATA === "true";
}

/** `CDK8S_DISABLE_SORT`: members keep the order that the program gave them. Any text that is not empty counts. */
export function isSortDisabled(): boolean {
  return Boolean(process.env.CDK8S_DISABLE_SORT);
}

/** `CDK8S_LEGACY_HASH`: names end with a hash as cdk8s made it once. Any text that is not empty counts. */
export function usesLegacyHash(): boolean {
  return Boolean(process.env.CDK8S_LEGACY_HASH);
}

/** `SLIPWAY_TRACE`: objects remember the file and line that made them. Any text that is not empty counts. */
export function isTraceRequested(): boolean {
  return Boolean(process.env.SLIPWAY_TRACE);
}
