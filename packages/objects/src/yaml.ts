/** Reading YAML, apart from the rest because only this needs a YAML library. */
export type { Manifest } from "./yaml-manifests.ts";
export { readManifests } from "./yaml-manifests.ts";
export type { YamlDocument, YamlReadOptions } from "./yaml-reader.ts";
export { readYaml, readYamlDocuments } from "./yaml-reader.ts";
