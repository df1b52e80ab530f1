export { Testing } from "@slipway/core";
