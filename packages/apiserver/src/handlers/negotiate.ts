import { ApiStatusError, badRequest, failure } from "@slipway/objects";
import type { IncludeObject } from "../table.ts";

/** How an answer is to be shaped, beside the object as it is. */
type Transform =
  | { readonly as: "Object" }
  | { readonly as: "Table"; readonly version: "v1" | "v1beta1"; readonly includeObject: IncludeObject }
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

/** The clauses of an `Accept` header, best first; equal quality keeps the order of the header (RFC 9110, 12.5.1). */
export function parseAccept(header: string | undefined): readonly Clause[] {
  const clauses: Clause[] = [];
  for (const part of (header ?? "").split(",")) {
    const [type = "", ...rest] = part.split(";").map((piece) => piece.trim());
    if (type === "") continue;
    const parameters = new Map<string, string>();
    for (const piece of rest) {
      const equals = piece.indexOf("=");
      if (equals > 0) parameters.set(piece.slice(0, equals).trim().toLowerCase(), piece.slice(equals + 1).trim());
    }
    const quality = Number(parameters.get("q") ?? "1");
    clauses.push({ type: type.toLowerCase(), parameters, quality: Number.isFinite(quality) ? quality : 1 });
  }
  return clauses.filter((clause) => clause.quality > 0).toSorted((a, b) => b.quality - a.quality);
}

const formats: ReadonlyMap<string, Format> = new Map([
  ["application/json", "json"],
  ["application/*", "json"],
  ["*/*", "json"],
  ["application/yaml", "yaml"],
]);

/** What refusals list. Kubernetes names protobuf for every kind, also where it does not answer in it. */
const acceptedTypes = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
export const acceptedWatchTypes = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

/**
 * What `Accept` asks for. Clauses that cannot be served are skipped, as kube-apiserver skips them: another media
 * type, or a transformation that does not exist. Watches are JSON only.
 *
 * @throws {ApiStatusError} `NotAcceptable` when no clause is left; `BadRequest` for a bad `includeObject`.
 */
export function negotiate(
  headers: Readonly<Record<string, string | undefined>>,
  query: URLSearchParams,
  options: { readonly watch?: boolean } = {},
): Representation {
  const { accept = "" } = headers;
  if (accept === "") return { transform: plain, format: "json", pretty: wantsPretty(headers, query, undefined) };
  for (const clause of parseAccept(accept)) {
    const format = formats.get(clause.type);
    if (format === undefined || (format === "yaml" && options.watch === true)) continue;
    const transform = transformOf(clause, query);
    if (transform !== undefined) return { transform, format, pretty: wantsPretty(headers, query, clause) };
  }
  throw notAcceptable(options.watch === true ? acceptedWatchTypes : acceptedTypes);
}

/** The same for a document that knows no transformations, such as discovery. */
export function negotiateDocument(
  headers: Readonly<Record<string, string | undefined>>,
  query: URLSearchParams,
): Pick<Representation, "format" | "pretty"> {
  const format = plainFormat(headers.accept);
  if (format === undefined) throw notAcceptable(acceptedTypes);
  return { format, pretty: wantsPretty(headers, query, undefined) };
}

export function notAcceptable(types: string): ApiStatusError {
  return new ApiStatusError(failure("NotAcceptable", `only the following media types are accepted: ${types}`));
}

function transformOf({ parameters }: Clause, query: URLSearchParams): Transform | undefined {
  const as = parameters.get("as");
  if (as === undefined) return plain;
  const version = parameters.get("v") ?? "v1";
  if (parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  switch (as) {
    case "Table":
      return { as, version, includeObject: includeObjectOf(query) };
    case "PartialObjectMetadata":
    case "PartialObjectMetadataList":
      return { as, version };
    default:
      return undefined;
  }
}

function includeObjectOf(query: URLSearchParams): IncludeObject {
  const value = query.get("includeObject") ?? "";
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

/** People at a terminal or a browser get indented JSON, programs do not, unless `pretty` says so. */
export function wantsPretty(
  headers: Readonly<Record<string, string | undefined>>,
  query: URLSearchParams,
  clause: Clause | undefined,
): boolean {
  const asked = query.get("pretty");
  if (asked !== null)
    return asked === "" || asked === "1" || asked.toLowerCase() === "true" || asked.toLowerCase() === "t";
  if (clause?.parameters.get("pretty") === "1") return true;
  return /^(curl|Wget|Mozilla\/5\.0)/.test(headers["user-agent"] ?? "");
}

/** What `Accept` asks for when nothing can be transformed; `undefined`: nothing that there is. */
export function plainFormat(accept: string | undefined): Format | undefined {
  if (accept === undefined || accept === "") return "json";
  for (const { type, parameters } of parseAccept(accept)) {
    const format = parameters.has("as") ? undefined : formats.get(type);
    if (format !== undefined) return format;
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
