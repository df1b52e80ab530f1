/** Reading YAML, apart from the rest because only this needs a YAML library. */
import * as library from "yaml";
import { createYamlReader, type YamlReader } from "./yaml-reader.ts";

export type { Manifest, ManifestReadOptions, YamlDocument, YamlReader, YamlReadOptions } from "./yaml-reader.ts";

const reader: YamlReader = createYamlReader(() => library);

/** @see {@link YamlReader.readManifests} */
export const readManifests: YamlReader["readManifests"] = reader.readManifests;

/** @see {@link YamlReader.readYaml} */
export const readYaml: YamlReader["readYaml"] = reader.readYaml;

/** @see {@link YamlReader.readYamlDocuments} */
export const readYamlDocuments: YamlReader["readYamlDocuments"] = reader.readYamlDocuments;
