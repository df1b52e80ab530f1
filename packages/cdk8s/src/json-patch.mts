export { JsonPatch } from "@slipway/core";
