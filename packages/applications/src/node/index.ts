export { readCustomResourceDefinitions } from "./custom-resource-definitions.ts";
