import { SlipwayError } from "./errors.ts";
import { getMember, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { openListAt } from "./list.ts";
import { SourceText } from "./source-text.ts";
import { readYamlDocuments, type YamlReadOptions } from "./yaml-documents.ts";
import type { YamlLibrary } from "./yaml-library.ts";

/** An object as a file has it. */
export interface Manifest {
  /** Has a kind and an apiVersion. What is in its metadata has the types that Kubernetes wants. */
  readonly object: JsonObject;
  /** Where the document that it is in begins, from 1. */
  readonly line: number;
}

type Path = readonly (string | number)[];

interface Fault {
  readonly path: Path;
  readonly problem: string;
}

export interface ManifestReadOptions extends YamlReadOptions {
  /**
   * Leave out documents that are `{}` or `[]`. kubectl refuses them.
   * @default false
   */
  readonly skipEmpty?: boolean | undefined;
}

/** @see `YamlReader` */
export function readManifests(text: string, options: ManifestReadOptions, library: () => YamlLibrary): Manifest[] {
  const manifests: Manifest[] = [];
  const problems: string[] = [];
  for (const { value, line } of readYamlDocuments(text, options, library)) {
    if (options.skipEmpty === true && hasNothing(value)) continue;
    for (const { value: object, path } of openListAt(value)) {
      const faults = [...findFaults(object)].map((fault) => ({ ...fault, path: [...path, ...fault.path] }));
      problems.push(...faults.map((fault) => `${options.source}:${describe(fault, text, line, library())}`));
      if (isJsonObject(object)) manifests.push({ object, line });
    }
  }
  if (problems.length > 0) throw new SlipwayError(problems.join("\n"), { code: "INVALID_YAML" });
  return manifests;
}

function* findFaults(value: JsonValue): Generator<Fault> {
  if (!isJsonObject(value)) {
    yield { path: [], problem: `${describeType(value)} stands where an object is expected.` };
    return;
  }
  for (const name of ["apiVersion", "kind"]) {
    if (isEmpty(getMember(value, name))) yield { path: [], problem: `${name} is missing. Every object has one.` };
    else yield* findNoText(value, [name]);
  }
  for (const path of ["name", "namespace", "generateName"]) yield* findNoText(value, ["metadata", path]);
  for (const map of ["labels", "annotations"]) {
    const members = read(value, ["metadata", map]);
    if (!isJsonObject(members)) continue;
    for (const key of Object.keys(members)) yield* findNoText(value, ["metadata", map, key]);
  }
}

/** Null is as good as absent to Kubernetes. */
function* findNoText(object: JsonObject, path: readonly string[]): Generator<Fault> {
  const value = read(object, path);
  if (value === undefined || value === null || typeof value === "string") return;
  const quote = isJsonArray(value) || isJsonObject(value) ? "It has to be text." : "Quote it.";
  yield { path, problem: `${path.join(".")} is ${describeType(value)}. ${quote}` };
}

function hasNothing(value: JsonValue): boolean {
  return (isJsonArray(value) || isJsonObject(value)) && Object.keys(value).length === 0;
}

function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === "";
}

function read(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const step of path) value = isJsonObject(value) ? getMember(value, step) : undefined;
  return value;
}

function describeType(value: JsonValue): string {
  if (isJsonArray(value)) return "a list";
  if (isJsonObject(value)) return "a mapping";
  if (value === null) return "null";
  return `a ${typeof value === "bigint" ? "number" : typeof value === "string" ? "text" : typeof value}`;
}

/** `12:9: metadata.name is a boolean. Quote it.` What comes by an alias or a merge is named with where that stands. */
function describe({ path, problem }: Fault, text: string, line: number, yaml: YamlLibrary): string {
  const content = text.replace(/^\ufeff/, "");
  const start = content.split("\n", line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  const [document] = yaml.parseAllDocuments(content.slice(start).split(/^---/m, 1)[0] ?? "", { logLevel: "silent" });
  for (let length = path.length; length > 0; length -= 1) {
    const node = document?.getIn(path.slice(0, length), true);
    if (!yaml.isNode(node) || !node.range) continue;
    const position = new SourceText(content).position(start + node.range[0]);
    return `${position.line}:${position.column}: ${problem}`;
  }
  return `${line}:1: ${problem}`;
}
