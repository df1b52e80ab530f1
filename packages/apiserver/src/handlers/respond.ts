import {
  ApiStatusError,
  failure,
  formatApiVersion,
  formatJson,
  goYaml,
  type JsonObject,
  type JsonValue,
  type KubernetesObject,
  type Status,
  sortMembers,
} from "@slipway/objects";
import type { ListResult } from "../registry/rest.ts";
import { unclassified } from "../registry/unclassified.ts";
import type { ApiRequest, ApiResponse } from "../request.ts";
import type { ObjectForm } from "../resource.ts";
import { defaultColumns, toPartialObjectMetadata, toTable } from "../table.ts";
import { joinedBytes } from "./joined-bytes.ts";
import type { JsonTexts } from "./json-texts.ts";
import { type Format, includeObjectOf, plainRepresentation, type Representation } from "./negotiate.ts";
import { wireJson } from "./wire-json.ts";

/** JSON text: on one line with its end, or indented by two blanks when `pretty`, and then without. */
function jsonText(value: JsonValue, pretty: boolean): string {
  const text = wireJson(value);
  return pretty ? indentJson(text) : `${text}\n`;
}

/** Re-indents JSON text without reading its numbers, so that no digit is lost. */
export function indentJson(text: string): string {
  let out = "";
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index);
    if (inString) {
      out += char;
      if (char === "\\") out += text.charAt(++index);
      else if (char === '"') inString = false;
      continue;
    }
    const next = text.charAt(index + 1);
    if (char === '"') {
      inString = true;
      out += char;
    } else if (char === "{" || char === "[") {
      if (next === "}" || next === "]") {
        out += char + next;
        index++;
      } else out += `${char}\n${"  ".repeat(++depth)}`;
    } else if (char === "}" || char === "]") out += `\n${"  ".repeat(--depth)}${char}`;
    else if (char === ",") out += `,\n${"  ".repeat(depth)}`;
    else out += char === ":" ? ": " : char;
  }
  return out;
}

/** An answer with `value` in the format that was negotiated; JSON when nothing is said. */
export function jsonResponse(
  status: number,
  value: JsonValue,
  options: { readonly format?: Format; readonly pretty?: boolean; readonly headers?: ApiResponse["headers"] } = {},
): ApiResponse {
  const { format = "json", pretty = false } = options;
  return {
    status,
    headers: { "content-type": `application/${format}`, ...options.headers },
    body: format === "yaml" ? goYaml(value) : jsonText(value, pretty),
  };
}

/** The Status of any error. What is not a refusal becomes a 500 with nothing of the inside in it. */
export function toStatus(error: unknown, requestId: string): Status {
  if (ApiStatusError.isApiStatusError(error)) return error.status;
  return failure(
    "InternalError",
    `Internal error occurred: the server log has the details under request ${requestId}`,
    { causes: [{ message: `request ${requestId}` }] },
  );
}

export function statusResponse(status: Status, request: ApiRequest, query: URLSearchParams): ApiResponse {
  const retryAfter = status.details?.retryAfterSeconds;
  return jsonResponse(status.code, status, {
    ...(plainRepresentation(request.headers, query) ?? { format: "json", pretty: true }),
    headers: retryAfter === undefined ? {} : { "retry-after": String(retryAfter) },
  });
}

/** One object as the client wants it. */
export function representObject(
  object: KubernetesObject,
  resource: ObjectForm,
  representation: Representation,
  now: Date,
): JsonObject {
  const { transform } = representation;
  switch (transform.as) {
    case "Object":
      return object;
    case "Table":
      return toTable([object], resource.table ?? defaultColumns, {
        now,
        resourceVersion: object.metadata.resourceVersion ?? "",
        includeObject: includeObjectOf(transform.includeObject),
        apiVersion: `meta.k8s.io/${transform.version}`,
      });
    case "PartialObjectMetadata":
      return toPartialObjectMetadata(object, `meta.k8s.io/${transform.version}`);
    case "PartialObjectMetadataList":
      if (resource.message === undefined) throw unclassified("content is not a list");
      throw otherShape("PartialObjectMetadataList", `not a list (*${goTypeOf(resource)})`);
    default:
      return assertNever(transform);
  }
}

export function representList(
  list: ListResult,
  resource: ObjectForm,
  representation: Representation,
  now: Date,
): JsonObject {
  const { transform } = representation;
  const metadata: JsonObject = {
    resourceVersion: list.resourceVersion,
    ...(list.continue === undefined ? {} : { continue: list.continue }),
    ...(list.remainingItemCount === undefined ? {} : { remainingItemCount: list.remainingItemCount }),
  };
  switch (transform.as) {
    case "Object":
      return wholeList(list, resource, metadata);
    case "Table":
      return toTable(list.items, resource.table ?? defaultColumns, {
        now,
        resourceVersion: list.resourceVersion,
        continue: list.continue,
        remainingItemCount: list.remainingItemCount,
        includeObject: includeObjectOf(transform.includeObject),
        apiVersion: `meta.k8s.io/${transform.version}`,
      });
    case "PartialObjectMetadataList":
      return {
        kind: "PartialObjectMetadataList",
        apiVersion: `meta.k8s.io/${transform.version}`,
        metadata,
        // Go prints a list that was never filled as null.
        items:
          list.items.length === 0
            ? null
            : list.items.map((item) => toPartialObjectMetadata(item, `meta.k8s.io/${transform.version}`)),
      };
    case "PartialObjectMetadata":
      throw otherShape(
        "PartialObjectMetadata",
        `a list (*${resource.message === undefined ? "unstructured.UnstructuredList" : `${goTypeOf(resource)}List`})`,
      );
    default:
      return assertNever(transform);
  }
}

function otherShape(asked: string, found: string): ApiStatusError {
  const message = `you requested ${asked}, but the requested object is ${found}`;
  return new ApiStatusError(failure("NotAcceptable", message));
}

/** `core.ConfigMap` for `core.v1.ConfigMap`: inside of a server types have no version, but for the scales of custom kinds. */
function goTypeOf({ message = "", names }: ObjectForm): string {
  return names.kind === "Scale" ? "v1.Scale" : message.replace(/\.[^.]*\./, ".");
}

/**
 * The same as the bytes of its JSON text, put together from the texts of its items, which other answers share.
 * `undefined` for the forms that nobody asks for often.
 */
export function listBytes(
  list: ListResult,
  resource: ObjectForm,
  { transform, format, pretty }: Representation,
  now: Date,
  texts: JsonTexts,
): Uint8Array | undefined {
  if (format === "yaml" || pretty) return undefined;
  const empty = { ...list, items: [] };
  const outer = (): JsonObject => representList(empty, resource, { transform, format, pretty }, now);
  if (transform.as === "Object") {
    return filled(outer(), '"items":[', list.items, (item) => withoutKind(texts.of(item), item, resource));
  }
  if (transform.as !== "Table" || transform.version !== "v1" || includeObjectOf(transform.includeObject) !== "Metadata")
    return undefined;
  const { cells } = resource.table ?? defaultColumns;
  const row = (item: KubernetesObject): string =>
    `{"cells":${wireJson(cells(item, now))},"object":${texts.ofMetadata(item)}}`;
  return filled(outer(), '"rows":[', list.items, row);
}

/** The text of `outer` with `items` in its one empty list; nothing else in a list can look like `opening`. */
function filled(
  outer: JsonObject,
  opening: string,
  items: readonly KubernetesObject[],
  textOf: (item: KubernetesObject) => string,
): Uint8Array {
  const text = wireJson(outer);
  const at = text.indexOf(`${opening}]`) + opening.length;
  return joinedBytes(text.slice(0, at), mapped(items, textOf), `${text.slice(at)}\n`);
}

/** One by one, so that no more than a piece of them is held. */
function* mapped<T, U>(items: Iterable<T>, toValue: (item: T) => U): Generator<U> {
  for (const item of items) yield toValue(item);
}

/** In lists of Kubernetes' own kinds, which Go has as lists of one type, items do not say what they are. */
function isKindOfKubernetes({ message }: ObjectForm): boolean {
  return message !== undefined;
}

function untyped({ kind: _, apiVersion: __, ...item }: KubernetesObject): JsonObject {
  return item;
}

function withoutKind(text: string, { kind, apiVersion }: KubernetesObject, resource: ObjectForm): string {
  const start = `{"kind":${formatJson(kind)},"apiVersion":${formatJson(apiVersion)},`;
  return isKindOfKubernetes(resource) && text.startsWith(start) ? `{${text.slice(start.length)}` : text;
}

/** Custom resources list `continue` always and sort their members; built-in kinds do neither. */
function wholeList(list: ListResult, resource: ObjectForm, metadata: JsonObject): JsonObject {
  const apiVersion = formatApiVersion(resource.group, resource.version);
  const kind = resource.names.listKind ?? `${resource.names.kind}List`;
  return resource.order === "typed"
    ? { kind, apiVersion, metadata, items: isKindOfKubernetes(resource) ? list.items.map(untyped) : list.items }
    : { apiVersion, items: list.items, kind, metadata: sortMembers({ continue: "", ...metadata }) };
}

function assertNever(value: never): never {
  throw new TypeError(`unhandled case: ${JSON.stringify(value)}`);
}
