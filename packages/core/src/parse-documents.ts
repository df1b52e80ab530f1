import { SlipwayError } from "@slipway/objects";
import { createYamlReader, nestsFarBeyond } from "@slipway/objects/yaml-reader";
import { yamlLibrary } from "./node/yaml-library.ts";

export interface ParseOptions {
  /** Names the text in errors. */
  readonly source: string;
  /**
   * Make what can be made of a text that is not YAML, as cdk8s does: a broken document may come back as two, with parts
   * of it missing.
   * @default false
   */
  readonly lenient?: boolean | undefined;
}

/** As deep as our other readers read. */
const MAX_DEPTH = 512;

const { refuseSyntaxErrors } = createYamlReader(yamlLibrary);

/**
 * The documents of a text as cdk8s reads them: YAML 1.1 with numbers in base 60 (`12:30` is 750) and times, which come as
 * text. Large integers are rounded. Documents that are null, `[]` or `{}` are left out.
 *
 * @throws {SlipwayError} `INVALID_YAML` with all syntax errors, unless `lenient`; for aliases that have no anchor or expand
 *   to too much; and for a text that nests far deeper than 512 levels, at which the parser would take the process along.
 */
export function parseDocuments(text: string, { source, lenient }: ParseOptions): unknown[] {
  const content = text.replace(/^\ufeff/, "");
  if (nestsFarBeyond(content, MAX_DEPTH, yamlLibrary())) {
    throw new SlipwayError(`${source}: it nests too deep. Make it flatter.`, { code: "INVALID_YAML" });
  }
  const documents = [...yamlLibrary().parseAllDocuments(content, { version: "1.1", prettyErrors: false })];
  if (lenient !== true) {
    try {
      refuseSyntaxErrors(documents, content, { source });
    } catch (error) {
      throw withAdvice(error);
    }
  }
  return documents.map((document) => toValue(() => document.toJSON(), source)).filter((value) => !isEmpty(value));
}

function withAdvice(error: unknown): unknown {
  if (!SlipwayError.isSlipwayError(error)) return error;
  const advice = "Yaml.load(file, { lenient: true }) makes what it can of it, as cdk8s does.";
  return new SlipwayError(`${error.message}\n${advice}`, { code: error.code, cause: error.cause });
}

function toValue(convert: () => unknown, source: string): unknown {
  try {
    return convert();
  } catch (cause) {
    throw new SlipwayError(`${source}: ${cause instanceof Error ? cause.message : String(cause)}.`, {
      code: "INVALID_YAML",
      cause,
    });
  }
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
