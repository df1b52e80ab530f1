export { Yaml } from "@slipway/core";
