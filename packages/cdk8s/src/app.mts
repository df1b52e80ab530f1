export type { AppProps } from "@slipway/core";
export { App, YamlOutputType } from "@slipway/core";
