import {
  createYamlFormatter,
  formatReference,
  formatYamlKey,
  formatYamlString,
  isJsonObject,
  type JsonValue,
  referenceOf,
  SlipwayError,
} from "@slipway/objects";
import type { Tags } from "yaml";
import { yamlLibrary } from "./node/yaml-library.ts";
import { surveyForYaml } from "./yaml-survey.ts";

export interface FormatOptions {
  /**
   * All documents are known to be fresh trees of plain objects, arrays and scalars, as rendered objects are. They are
   * not searched for anything else then, and what stands in two places is written twice.
   * @default false
   */
  readonly areTrees?: boolean | undefined;
  /**
   * Called before the next document is read when the one at hand holds what kubectl would refuse, or may.
   * @default - nobody is told
   */
  readonly onDoubt?: (() => void) | undefined;
}

const defaults = { areTrees: false } as const satisfies FormatOptions;

/** In UTF-16 code units. */
const MIN_CHUNK_LENGTH = 65_536;

/**
 * `documents` as cdk8s writes them, `---` between them, in pieces of whole documents. They are read as the pieces are
 * taken.
 *
 * `undefined` is an empty document, and null inside one. The bytes are those of the `yaml` package (2.9.1, version 1.1,
 * lines of any length), and where kubectl would read another value from them, text is quoted.
 *
 * @throws {SlipwayError} `INVALID_VALUE` for a function or symbol, with its path, when the turn of that document comes.
 */
export function formatDocuments(
  documents: Iterable<unknown>,
  options: FormatOptions = {},
): Generator<string, void, undefined> {
  const format = createDocumentFormatter(options);
  function* texts(): Generator<string> {
    for (const document of documents) yield format(document);
  }
  return joinDocuments(texts());
}

/** Formats one document after another, as {@link formatDocuments} does. */
export function createDocumentFormatter(options: FormatOptions): (document: unknown) => string {
  const areTrees = options.areTrees ?? defaults.areTrees;
  const { onDoubt } = options;
  const formatTree = createYamlFormatter({ lenient: true, onDoubt });
  return (document) => formatDocument(document, areTrees, formatTree, onDoubt);
}

/** `texts` with `---` between them, in pieces of whole ones. The next is taken when the one before has been dealt with. */
export function* joinDocuments(texts: Iterable<string>): Generator<string, void, undefined> {
  let chunk = "";
  let separator = "";
  for (const text of texts) {
    chunk += separator + text;
    separator = "---\n";
    if (chunk.length < MIN_CHUNK_LENGTH) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

type Formatter = ReturnType<typeof createYamlFormatter>;

function formatDocument(
  document: unknown,
  isTree: boolean,
  formatTree: Formatter,
  onDoubt: (() => void) | undefined,
): string {
  if (isTree) {
    try {
      return formatTree(document as JsonValue);
    } catch (error) {
      if (!SlipwayError.isSlipwayError(error)) throw error; // otherwise it is no tree, or too deep
    }
  }
  const { needsLibrary, problem } = surveyForYaml(document);
  if (problem !== undefined) throw refusal(document, problem);
  if (!needsLibrary) return formatTree(document as JsonValue);
  onDoubt?.();
  return formatWithLibrary(document);
}

function refusal(document: unknown, problem: string): SlipwayError {
  const object = isJsonObject(document) ? referenceOf(document) : undefined;
  const subject = object === undefined || object.kind === "" ? "" : `${formatReference(object)}: `;
  return new SlipwayError(`${subject}${problem} cannot be written as YAML. Put data there.`, { code: "INVALID_VALUE" });
}

/** What cdk8s hands to the library, but for texts that kubectl would take for something else. */
function formatWithLibrary(document: unknown): string {
  const { Document, visit } = yamlLibrary();
  const options = { customTags: withoutMerge, keepUndefined: true, lineWidth: 0, version: "1.1" } as const;
  const tree = new Document(document, null, options);
  visit(tree, {
    Scalar: (place, scalar) => {
      if (typeof scalar.value !== "string") return;
      const text = place === "key" ? formatYamlKey(scalar.value, "  ") : formatYamlString(scalar.value, "  ");
      if (text.startsWith('"')) scalar.type = "QUOTE_DOUBLE";
      else if (text.startsWith("'")) scalar.type = "QUOTE_SINGLE";
    },
  });
  return tree.toString(options);
}

/** Otherwise the library writes the text `<<` bare whatever it is told. */
function withoutMerge(tags: Tags): Tags {
  return tags.filter((tag) => typeof tag === "string" || tag.tag !== "tag:yaml.org,2002:merge");
}
