export type { ApiObjectMetadata, ApiObjectMetadataDefinitionOptions, OwnerReference } from "@slipway/core";
export { ApiObjectMetadataDefinition } from "@slipway/core";
