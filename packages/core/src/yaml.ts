import { formatDocuments } from "./format-documents.ts";
import { describeSource, loadText } from "./node/load.ts";
import { createTemporaryFolder } from "./node/temporary-folder.ts";
import { writeChunks } from "./node/write-chunks.ts";
import { parseDocuments } from "./parse-documents.ts";

export interface LoadOptions {
  /**
   * Make what can be made of a text that is not YAML, as cdk8s does, instead of an error: a broken document may come
   * back as two, with parts of it missing.
   * @default false
   */
  readonly lenient?: boolean | undefined;
}

/** Reading and writing YAML. */
export class Yaml {
  /** @deprecated Use {@link Yaml.stringify}. */
  static formatObjects(docs: any[]): string {
    return [...formatDocuments(docs)].join("");
  }

  /**
   * Writes a file of YAML documents, over the one that is there.
   * @throws {SlipwayError} as {@link Yaml.stringify}; nothing is written then.
   */
  static save(filePath: string, docs: any[]): void {
    writeChunks(filePath, [...formatDocuments(docs)]);
  }

  /**
   * `docs` as YAML with `---` between them. A document that is `undefined` is empty, and `undefined` in one is null.
   * @throws {SlipwayError} `INVALID_VALUE` for a function or symbol, with its path.
   */
  static stringify(...docs: any[]): string {
    return [...formatDocuments(docs)].join("");
  }

  /** The path of a new temporary file with `docs`. It stays until the caller removes it. */
  static tmp(docs: any[]): string {
    const chunks = [...formatDocuments(docs)];
    const filePath = `${createTemporaryFolder("cdk8s-")}/temp.yaml`;
    writeChunks(filePath, chunks);
    return filePath;
  }

  /**
   * The documents of a YAML file, or of what a server answers to an `http` or `https` URL. Those that are null, `[]` or
   * `{}` are left out.
   *
   * It is YAML 1.1 as cdk8s reads it, which is not what kubectl reads: `12:30` is 750, and large integers are rounded.
   * `Include` reads as kubectl does.
   *
   * @throws {SlipwayError} `READ_FAILED` when there is nothing to be read there, or a server sends nothing for a minute;
   *   `INVALID_YAML` with all that is wrong in the text, each with file, line and column.
   */
  static load(urlOrFile: string, options: LoadOptions = {}): any[] {
    return parseDocuments(loadText(urlOrFile), { ...options, source: describeSource(urlOrFile) });
  }

  private constructor() {}
}
