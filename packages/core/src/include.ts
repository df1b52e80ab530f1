import { type JsonObject, SlipwayError } from "@slipway/objects";
import { createYamlReader, type Manifest } from "@slipway/objects/yaml-reader";
import { Construct } from "constructs";
import { ApiObject, type ApiObjectProps } from "./api-object.ts";
import { describeSource, loadText } from "./node/load.ts";
import { yamlLibrary } from "./node/yaml-library.ts";

export interface IncludeProps {
  /**
   * Path or `http` or `https` URL of YAML or JSON manifests.
   * @example "mymanifest.yaml"
   */
  readonly url: string;
  /**
   * Take the last of several equal keys in a mapping, as kubectl does.
   * @default false, which is an error that names them
   */
  readonly allowDuplicateKeys?: boolean;
}

/** A text that was loaded already; `url` names it in errors. */
export const TEXT: unique symbol = Symbol("text of the manifests");

/** What `Include` takes from constructs that bring the text with them. */
export interface IncludedText extends IncludeProps {
  readonly [TEXT]?: string;
}

const { readManifests } = createYamlReader(yamlLibrary);

/**
 * The objects of a file or URL, read as kubectl reads them, each List opened. They keep their names; chart and labels are
 * those of any other object.
 */
export class Include extends Construct {
  /**
   * The id of an object is its name (`object0`, `object1` and so on for those without), its kind in lower case and its
   * namespace, joined by `-`.
   *
   * @throws {SlipwayError} `READ_FAILED` when there is nothing to be read; `INVALID_YAML` with all that is wrong in the
   *   text, each with file, line and column.
   * @throws {Error} when two objects have one name, kind and namespace.
   */
  constructor(scope: Construct, id: string, props: IncludeProps) {
    super(scope, id);
    const { [TEXT]: text = loadText(props.url) } = props as IncludedText;
    let nameless = 0;
    for (const { object } of read(text, props)) {
      const metadata = object.metadata as JsonObject | null | undefined;
      const name = metadata?.name ?? `object${nameless++}`;
      const parts = [name, String(object.kind).toLowerCase(), metadata?.namespace];
      new ApiObject(this, parts.filter(Boolean).join("-"), object as unknown as ApiObjectProps);
    }
  }

  /** The included objects. */
  get apiObjects(): ApiObject[] {
    return this.node.children.filter((child) => ApiObject.isApiObject(child));
  }
}

function read(text: string, { url, allowDuplicateKeys = false }: IncludeProps): Manifest[] {
  const options = { source: describeSource(url), skipEmpty: true };
  if (allowDuplicateKeys) return readManifests(text, { ...options, onDuplicateKey: () => {} });
  try {
    return readManifests(text, options);
  } catch (error) {
    throw withAdvice(error);
  }
}

function withAdvice(error: unknown): unknown {
  if (!SlipwayError.isSlipwayError(error) || !/ stands twice in one mapping/.test(error.message)) return error;
  const advice = "allowDuplicateKeys: true takes the last of equal keys, as kubectl does.";
  return new SlipwayError(`${error.message}\n${advice}`, { code: error.code, cause: error.cause });
}
