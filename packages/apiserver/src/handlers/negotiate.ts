import { ApiStatusError, badRequest, failure } from "@slipway/objects";
import type { IncludeObject } from "../table.ts";

/** How an answer is to be shaped, beside the object as it is. */
type Transform =
  | { readonly as: "Object" }
  | {
      readonly as: "Table";
      readonly version: "v1" | "v1beta1";
      /** As asked for, whatever that is: {@link includeObjectOf} reads it. */
      readonly includeObject: string;
    }
  | { readonly as: "PartialObjectMetadata" | "PartialObjectMetadataList"; readonly version: "v1" | "v1beta1" };

/** What answers are written in. */
export type Format = "json" | "yaml";

export interface Representation {
  readonly transform: Transform;
  readonly format: Format;
  /** Of JSON: indented. */
  readonly pretty: boolean;
}

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const plain: Transform = { as: "Object" };

/**
 * The clauses of an `Accept` header, best first; equal quality keeps the order of the header. As Kubernetes reads it
 * (goautoneg), case counts, and what has the quality 0 is the last choice rather than none.
 */
export function parseAccept(header: string | undefined): readonly Clause[] {
  const clauses: Clause[] = [];
  for (const part of (header ?? "").split(",")) {
    const [type = "", ...rest] = part.split(";").map((piece) => piece.trim());
    if (type === "") continue;
    const parameters = new Map<string, string>();
    for (const piece of rest) {
      const equals = piece.indexOf("=");
      if (equals > 0) parameters.set(piece.slice(0, equals).trim(), piece.slice(equals + 1).trim());
    }
    const quality = Number(parameters.get("q") ?? "1");
    clauses.push({ type, parameters, quality: Number.isFinite(quality) ? quality : 1 });
  }
  return clauses.toSorted((a, b) => b.quality - a.quality);
}

const formats: ReadonlyMap<string, Format> = new Map([
  ["application/json", "json"],
  ["application/*", "json"],
  ["*/*", "json"],
  ["application/yaml", "yaml"],
]);

/** What refusals list. Kubernetes names protobuf for every kind, also where it does not answer in it. */
const acceptedTypes = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const acceptedWatchTypes = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

/**
 * What `Accept` asks for. Clauses that cannot be served are skipped, as kube-apiserver skips them: another media
 * type, or a transformation that does not exist.
 *
 * @throws {ApiStatusError} `NotAcceptable` when no clause is left.
 */
export function negotiate(
  headers: Readonly<Record<string, string | undefined>>,
  query: URLSearchParams,
): Representation {
  const { accept = "" } = headers;
  if (accept === "") return { transform: plain, format: "json", pretty: wantsPretty(headers, query, undefined) };
  for (const clause of parseAccept(accept)) {
    const format = formats.get(clause.type);
    if (format === undefined) continue;
    const transform = streams(clause, format) ? transformOf(clause, query) : undefined;
    if (transform !== undefined) return { transform, format, pretty: wantsPretty(headers, query, clause) };
  }
  throw notAcceptable(acceptedTypes);
}

/**
 * The same for a watch. Streams are JSON, and whoever prefers YAML gets none.
 *
 * @throws {ApiStatusError} `NotAcceptable`
 */
export function negotiateWatch(
  headers: Readonly<Record<string, string | undefined>>,
  query: URLSearchParams,
): Representation {
  const representation = negotiate(headers, query);
  if (representation.format === "yaml") throw notAcceptable(acceptedWatchTypes);
  return representation;
}

/** The same for a document that knows no transformations, such as discovery. */
export function negotiateDocument(
  headers: Readonly<Record<string, string | undefined>>,
  query: URLSearchParams,
): Pick<Representation, "format" | "pretty"> {
  const plainly = plainRepresentation(headers, query);
  if (plainly === undefined) throw notAcceptable(acceptedTypes);
  return plainly;
}

function notAcceptable(types: string): ApiStatusError {
  return new ApiStatusError(failure("NotAcceptable", `only the following media types are accepted: ${types}`));
}

function transformOf({ parameters }: Clause, query: URLSearchParams): Transform | undefined {
  if (isPlain(parameters)) return plain;
  const [as, version] = [parameters.get("as"), parameters.get("v")];
  if (parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  switch (as) {
    case "Table":
      return { as, version, includeObject: query.get("includeObject") ?? "" };
    case "PartialObjectMetadata":
    case "PartialObjectMetadataList":
      return { as, version };
    default:
      return undefined;
  }
}

/** No parameter asks for another kind: each of the three alone does. */
function isPlain(parameters: Clause["parameters"]): boolean {
  return !["as", "v", "g"].some((name) => parameters.has(name));
}

/** The one way of streaming that there is, and only in JSON. */
function streams({ parameters }: Clause, format: Format): boolean {
  const stream = parameters.get("stream") ?? "";
  return stream === "" || (stream === "watch" && format === "json");
}

/**
 * What of its object a row has. Only who shows a table asks: until then nobody minds a value that there is not.
 *
 * @throws {ApiStatusError} `BadRequest`
 */
export function includeObjectOf(value: string): IncludeObject {
  switch (value) {
    case "":
    case "Metadata":
      return "Metadata";
    case "Object":
    case "None":
      return value;
    default:
      throw badRequest(
        `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: ` +
          "must be 'Metadata', 'Object', 'None', or empty",
      );
  }
}

/** What Go's strconv.ParseBool takes for true. */
const goTrue: ReadonlySet<string> = new Set(["1", "t", "T", "true", "True", "TRUE"]);

/** People at a terminal or a browser get indented JSON, programs do not, unless `pretty` says so. */
function wantsPretty(
  headers: Readonly<Record<string, string | undefined>>,
  query: URLSearchParams,
  clause: Clause | undefined,
): boolean {
  if (clause?.parameters.get("pretty") === "1") return true;
  const asked = query.get("pretty") ?? "";
  if (asked !== "") return goTrue.has(asked);
  return /^(curl|Wget|Mozilla\/5\.0)/.test(headers["user-agent"] ?? "");
}

/** What `Accept` asks for when nothing can be transformed; `undefined`: nothing that there is. */
export function plainRepresentation(
  headers: Readonly<Record<string, string | undefined>>,
  query: URLSearchParams,
): Pick<Representation, "format" | "pretty"> | undefined {
  const { accept = "" } = headers;
  if (accept === "") return { format: "json", pretty: wantsPretty(headers, query, undefined) };
  for (const clause of parseAccept(accept)) {
    const isServed = isPlain(clause.parameters) && (clause.parameters.get("sv") ?? "") === "";
    const format = isServed ? formats.get(clause.type) : undefined;
    if (format === undefined || !streams(clause, format)) continue;
    return { format, pretty: wantsPretty(headers, query, clause) };
  }
  return undefined;
}

/**
 * The first of `types` that `Accept` asks for, as it is answered; `undefined`: none of them. For documents that have
 * types of their own.
 *
 * @param types what is asked for to what is answered; the first of them is the answer to "anything"
 */
export function acceptedType(accept: string | undefined, types: Readonly<Record<string, string>>): string | undefined {
  const [byDefault] = Object.values(types);
  if (accept === undefined || accept === "") return byDefault;
  for (const { type } of parseAccept(accept)) {
    if (type === "*/*" || type === "application/*") return byDefault;
    if (Object.hasOwn(types, type)) return types[type];
  }
  return undefined;
}
