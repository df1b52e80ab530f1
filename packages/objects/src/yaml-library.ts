/** What the readers use of the `yaml` package. */
export type YamlLibrary = Pick<
  typeof import("yaml"),
  "Lexer" | "isAlias" | "isMap" | "isNode" | "isScalar" | "isSeq" | "parseAllDocuments" | "visit"
>;
