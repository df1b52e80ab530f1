/** Reading YAML with a library that is loaded by the caller, and only when a text needs it. */
import type { Document } from "yaml";
import type { JsonValue } from "./json.ts";
import {
  readYaml,
  readYamlDocuments,
  refuseSyntaxErrors,
  type YamlDocument,
  type YamlReadOptions,
} from "./yaml-documents.ts";
import type { YamlLibrary } from "./yaml-library.ts";
import { type Manifest, type ManifestReadOptions, readManifests } from "./yaml-manifests.ts";

export type { YamlDocument, YamlReadOptions } from "./yaml-documents.ts";
export type { YamlLibrary } from "./yaml-library.ts";
export type { Manifest, ManifestReadOptions } from "./yaml-manifests.ts";
export { nestsFarBeyond } from "./yaml-nesting.ts";

export interface YamlReader {
  /**
   * The one document of a YAML or JSON text, as {@link YamlReader.readYamlDocuments} reads it.
   * @throws {SlipwayError} `INVALID_YAML`, also when there is none or more than one.
   */
  readonly readYaml: (text: string, options: YamlReadOptions) => JsonValue;
  /**
   * The documents of a YAML or JSON file, with the values that kubectl reads (sigs.k8s.io/yaml on go-yaml 2, that is
   * YAML 1.1 without base 60). Documents that are empty or null are left out.
   *
   * Unlike kubectl it keeps all digits of an integer, and refuses what kubectl loses: the first of two equal keys, and
   * what follows a document after `...`.
   *
   * @throws {SlipwayError} `INVALID_YAML` with all that is wrong in the text, each with file, line and column, and with
   *   the line itself unless it may be part of a Secret.
   */
  readonly readYamlDocuments: (text: string, options: YamlReadOptions) => YamlDocument[];
  /**
   * The objects in the text of a YAML or JSON file, as kubectl takes them: documents in their order, each List opened.
   *
   * @throws {SlipwayError} `INVALID_YAML`, as {@link YamlReader.readYamlDocuments} does; and when a document is no object,
   *   or a text in its metadata is none as YAML reads it (`name: y`): all of a file at once, each with file, line and
   *   column.
   */
  readonly readManifests: (text: string, options: ManifestReadOptions) => Manifest[];
  /**
   * For those who read another dialect with the same library.
   *
   * @param documents What `parseAllDocuments` made of `text` with `prettyErrors: false`.
   * @throws {SlipwayError} `INVALID_YAML` with all errors of the documents, as {@link YamlReader.readYamlDocuments} words
   *   them.
   */
  readonly refuseSyntaxErrors: (
    documents: readonly Document.Parsed[],
    text: string,
    options: Pick<YamlReadOptions, "source">,
  ) => void;
}

/** @param library Called once a text is not simple: a YAML library takes a while to load. */
export function createYamlReader(library: () => YamlLibrary): YamlReader {
  return {
    readYaml: (text, options) => readYaml(text, options, library),
    readYamlDocuments: (text, options) => readYamlDocuments(text, options, library),
    readManifests: (text, options) => readManifests(text, options, library),
    refuseSyntaxErrors: (documents, text, options) => refuseSyntaxErrors(documents, text, options, library),
  };
}
