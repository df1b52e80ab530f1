// biome-ignore-all lint/style/useFilenamingConvention: cdk8s's name for the file
export { _child_process } from "@slipway/core/internal";
