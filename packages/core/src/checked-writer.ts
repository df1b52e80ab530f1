import { createTidyYamlFormatter, type JsonObject } from "@slipway/objects";
import { ProblemSearch } from "./checks.ts";
import { createDocumentFormatter, joinDocuments } from "./format-documents.ts";
import { isSortDisabled } from "./node/environment.ts";
import type { OutputFile } from "./node/output.ts";
import { ObjectDocument, type PlannedOutput, type SynthDocument } from "./outputs.ts";
import type { Checks, SynthProblem } from "./problem.ts";
import { isPlain } from "./resolve.ts";

/**
 * Writes the documents of one synthesis as YAML, and looks for problems in each when it has been written: by then it is
 * known whether its values need a closer look.
 */
export class CheckedWriter {
  readonly #search: ProblemSearch;
  readonly #formatSource: (source: JsonObject) => string | undefined;
  readonly #formatTree: (value: unknown) => string;
  readonly #formatAny: (value: unknown) => string;
  #isInDoubt = false;

  constructor(checks: Checks | undefined) {
    this.#search = new ProblemSearch(checks);
    const onDoubt = (): void => {
      this.#isInDoubt = true;
    };
    this.#formatSource = createTidyYamlFormatter({ accept: isPlain, sortKeys: !isSortDisabled(), onDoubt });
    this.#formatTree = createDocumentFormatter({ areTrees: true, onDoubt });
    this.#formatAny = createDocumentFormatter({ onDoubt });
  }

  /** Each file is to be read before the next one is asked for. */
  *write(outputs: Iterable<PlannedOutput>): Generator<OutputFile> {
    for (const { name, documents, isOfObjects, text } of outputs) {
      this.#search.addOutput(name);
      yield { name, chunks: text === undefined ? this.format(documents, isOfObjects) : [text] };
    }
  }

  /**
   * `documents` as one text, in pieces.
   * @param areOfObjects Objects rendered all of them for this synthesis. What charts with a `toJson` of their own give
   *   may be anything.
   */
  format(documents: Iterable<SynthDocument>, areOfObjects: boolean): Iterable<string> {
    return joinDocuments(this.#texts(documents, areOfObjects ? this.#formatTree : this.#formatAny));
  }

  *#texts(documents: Iterable<SynthDocument>, formatValue: (value: unknown) => string): Generator<string> {
    for (const document of documents) {
      this.#isInDoubt = false;
      const source = document instanceof ObjectDocument ? document.source : undefined;
      const text = source === undefined ? undefined : this.#formatSource(source as JsonObject);
      yield text ?? formatValue(document.value);
      const { path, construct } = document;
      this.#search.addDocument(text === undefined ? document : { value: source, path, construct }, this.#isInDoubt);
    }
  }

  /** In everything that has been written. */
  findProblems(): SynthProblem[] {
    return this.#search.finish();
  }
}
