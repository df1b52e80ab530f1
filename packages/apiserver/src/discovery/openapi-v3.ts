import {
  byCodeUnit,
  formatApiVersion,
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  setMember,
} from "@slipway/objects";
import type { Resource } from "../resource.ts";
import { type PlacedSubresource, subresourcesOf } from "../subresources.ts";
import type { GroupVersion } from "./discovery.ts";
import { withEmbeddedProperties } from "./embedded-properties.ts";
import {
  apiVersionProperty,
  itemsDescription,
  kindProperty,
  listMetadataProperty,
  metadataProperty,
  metaRef,
  metaSchemas,
  scaleSchemaName,
  schemaRef,
} from "./meta-schemas.ts";
import {
  deleteCollectionParameters,
  deleteParameters,
  force,
  getParameters,
  listParameters,
  nameParameter,
  namespaceParameter,
  pretty,
  writeParameters,
} from "./operation-parameters.ts";

export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
}

export interface OpenApiOptions {
  /**
   * Content types of PATCH bodies for a kind. kubectl applies by merge patch where the strategic one is not among them.
   * @default ["application/json-patch+json", "application/merge-patch+json"]
   */
  readonly patchTypes?: ((resource: Resource) => readonly string[]) | undefined;
}

const defaultPatchTypes: readonly string[] = ["application/json-patch+json", "application/merge-patch+json"];
const APPLY_PATCH = "application/apply-patch+yaml";
const bodyTypes: readonly string[] = ["application/json", "application/yaml"];
const KIND_MARK = "x-kubernetes-group-version-kind";

/**
 * The OpenAPI v3 document of one group version, complete in itself. Resources of other group versions are left out.
 *
 * Paths have an operation for each verb that the storage of the resource is able to do. Every kind and its list are
 * marked on exactly one schema; marks that the schemas of resources bring along are dropped. Schemas and paths are
 * sorted.
 */
export function openApiV3Document(
  groupVersion: GroupVersion,
  resources: readonly Resource[],
  info: OpenApiInfo,
  options: OpenApiOptions = {},
): JsonObject {
  const { group, version } = groupVersion;
  const served = resources.filter((resource) => resource.group === group && resource.version === version);
  const patchTypes = options.patchTypes ?? (() => defaultPatchTypes);
  return {
    openapi: "3.0.0",
    info: { title: info.title, version: info.version },
    paths: sorted(served.flatMap((resource) => pathsOf(resource, patchTypes(resource)))),
    components: {
      schemas: sorted([
        ...metaSchemas(groupVersion, { scale: served.some(({ scaleStorage }) => scaleStorage !== undefined) }),
        ...schemasOf(served),
      ]),
    },
  };
}

/** Answer of `GET /openapi/v3`: where the document of each group version is. A new document has a new `hash`. */
export function openApiV3Index(documents: readonly (GroupVersion & { readonly hash: string })[]): JsonObject {
  const paths = documents.map(({ group, hash, version }) => {
    const path = apiPath({ group, version });
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${encodeURIComponent(hash)}` }] as const;
  });
  return { paths: sorted(paths) };
}

/**
 * References of `document` that lead nowhere, each once. A document that has any makes kubectl refuse the whole group.
 * Walks without recursion.
 */
export function danglingReferences(document: JsonObject): string[] {
  const schemas = memberAt(document, ["components", "schemas"]);
  const known = isJsonObject(schemas) ? schemas : {};
  const dangling = new Set<string>();
  const left: JsonValue[] = [document];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== "object" || value === null) continue;
    const reference = isJsonArray(value) ? undefined : getMember(value, "$ref");
    if (typeof reference === "string") {
      const name = /^#\/components\/schemas\/(.*)$/.exec(reference)?.[1];
      if (name === undefined || getMember(known, name) === undefined) dangling.add(reference);
    }
    for (const member of Object.values(value)) if (member !== undefined) left.push(member);
  }
  return [...dangling].sort(byCodeUnit);
}

function memberAt(value: JsonObject, path: readonly string[]): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const name of path) found = isJsonObject(found) ? getMember(found, name) : undefined;
  return found;
}

function sorted(members: readonly (readonly [string, JsonValue])[]): JsonObject {
  const object: MutableJsonObject = {};
  for (const [name, value] of members.toSorted(([a], [b]) => byCodeUnit(a, b))) {
    setMember(object, name, value);
  }
  return object;
}

/** `apis/GROUP/VERSION`, or `api/VERSION` in the core group. */
function apiPath({ group, version }: GroupVersion): string {
  return `${group === "" ? "api" : "apis"}/${formatApiVersion(group, version)}`;
}

function schemasOf(resources: readonly Resource[]): [string, JsonObject][] {
  const marked = new Set<string>();
  const schemas = new Map<string, JsonObject>();
  for (const resource of resources) {
    const { definitions = {}, schemaName } = resource.openApi;
    for (const [name, schema] of Object.entries(definitions)) schemas.set(name, withoutMark(schema));
    const { kind } = resource.names;
    const list = listKind(resource);
    const selectable = selectableFieldsOf(resource);
    schemas.set(schemaName, { ...kindSchema(resource), ...markOnce(resource, kind, marked), ...selectable });
    schemas.set(`${schemaName}List`, { ...listSchema(resource), ...markOnce(resource, list, marked), ...selectable });
  }
  return [...schemas];
}

function listKind({ names }: Resource): string {
  return names.listKind ?? `${names.kind}List`;
}

/** Nothing when the kind has its mark already: a second one makes clients refuse the document. */
function markOnce({ group, version }: GroupVersion, kind: string, marked: Set<string>): JsonObject {
  if (marked.has(kind)) return {};
  marked.add(kind);
  return { [KIND_MARK]: [{ group, kind, version }] };
}

/** KEP-4358. Kinds of Kubernetes itself select by more fields than their documents say. */
function selectableFieldsOf({ order, selectableFields = [] }: Resource): JsonObject {
  if (order === "typed" || selectableFields.length === 0) return {};
  return { "x-kubernetes-selectable-fields": selectableFields.map((fieldPath) => ({ fieldPath })) };
}

function withoutMark(schema: JsonObject): JsonObject {
  const { [KIND_MARK]: _, ...rest } = schema;
  return rest;
}

function kindSchema({ openApi }: Resource): JsonObject {
  const schema = withEmbeddedProperties(withoutMark(openApi.schema));
  const properties = getMember(schema, "properties");
  return {
    ...schema,
    type: "object",
    properties: {
      ...(isJsonObject(properties) ? properties : {}),
      apiVersion: apiVersionProperty,
      kind: kindProperty,
      metadata: metadataProperty,
    },
  };
}

function listSchema({ names, openApi }: Resource): JsonObject {
  return {
    description: `${names.listKind ?? `${names.kind}List`} is a list of ${names.kind}`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: apiVersionProperty,
      items: { description: itemsDescription(names.plural), type: "array", items: schemaRef(openApi.schemaName) },
      kind: kindProperty,
      metadata: listMetadataProperty,
    },
  };
}

function pathsOf(resource: Resource, patchTypes: readonly string[]): [string, JsonObject][] {
  const base = `/${apiPath(resource)}`;
  const { plural } = resource.names;
  const collection = resource.namespaced ? `${base}/namespaces/{namespace}/${plural}` : `${base}/${plural}`;
  const operations = new Operations(resource, patchTypes);
  const paths: [string, JsonObject][] = [
    [collection, operations.collection()],
    [`${collection}/{name}`, operations.item()],
  ];
  if (resource.namespaced) paths.push([`${base}/${plural}`, operations.allNamespaces()]);
  for (const subresource of subresourcesOf(resource)) {
    paths.push([`${collection}/{name}/${subresource.name}`, operations.subresource(subresource)]);
  }
  return paths.filter(([, path]) => Object.keys(path).some((member) => member !== "parameters"));
}

interface OperationParts {
  /** Start of the operation's id: `list`, `create`. */
  readonly idVerb: string;
  readonly action: string;
  readonly description: string;
  readonly parameters: readonly JsonObject[];
  readonly body?: JsonObject | undefined;
  /** HTTP status and schema of each answer. */
  readonly responses: Readonly<Record<number, JsonObject>>;
}

/** Builds the operations of one resource. An ability that is missing makes no operation. */
class Operations {
  readonly #resource: Resource;
  readonly #patchTypes: readonly string[];
  readonly #object: JsonObject;
  readonly #list: JsonObject;

  constructor(resource: Resource, patchTypes: readonly string[]) {
    this.#resource = resource;
    this.#patchTypes = patchTypes;
    this.#object = schemaRef(resource.openApi.schemaName);
    this.#list = schemaRef(`${resource.openApi.schemaName}List`);
  }

  collection(): JsonObject {
    const { names, namespaced, storage } = this.#resource;
    const scope = namespaced ? "Namespaced" : "";
    return {
      ...(storage.list === undefined ? {} : { get: this.#listing(`${scope}${names.kind}`) }),
      ...(storage.create === undefined ? {} : { post: this.#creation(`${scope}${names.kind}`) }),
      ...(storage.deleteCollection === undefined
        ? {}
        : { delete: this.#collectionDeletion(`Collection${scope}${names.kind}`) }),
      parameters: [...(namespaced ? [namespaceParameter] : []), pretty],
    };
  }

  allNamespaces(): JsonObject {
    const { names, storage } = this.#resource;
    return {
      ...(storage.list === undefined ? {} : { get: this.#listing(`${names.kind}ForAllNamespaces`) }),
      parameters: [pretty],
    };
  }

  item(): JsonObject {
    const { names, namespaced, storage } = this.#resource;
    const subject = `${namespaced ? "Namespaced" : ""}${names.kind}`;
    return {
      get: this.#reading(subject),
      ...(storage.update === undefined ? {} : { put: this.#replacement(subject), patch: this.#patch(subject) }),
      ...(storage.delete === undefined ? {} : { delete: this.#deletion(subject) }),
      parameters: this.#itemParameters(),
    };
  }

  subresource({ name, verbs, form }: PlacedSubresource): JsonObject {
    const { names, namespaced } = this.#resource;
    const subject = `${namespaced ? "Namespaced" : ""}${names.kind}${capitalized(name)}`;
    const body = form === this.#resource ? this.#object : schemaRef(scaleSchemaName);
    const part = ` ${name} of`;
    return {
      ...(verbs.includes("get") ? { get: this.#reading(subject, part, body) } : {}),
      ...(verbs.includes("update") ? { put: this.#replacement(subject, part, body) } : {}),
      ...(verbs.includes("patch") ? { patch: this.#patch(subject, part, body) } : {}),
      parameters: this.#itemParameters(),
    };
  }

  #itemParameters(): JsonObject[] {
    const { names, namespaced } = this.#resource;
    return [nameParameter(names.kind), ...(namespaced ? [namespaceParameter] : []), pretty];
  }

  #listing(subject: string): JsonObject {
    const { names, storage } = this.#resource;
    return this.#operation(subject, {
      idVerb: "list",
      action: "list",
      description: `${this.#resource.order === "typed" ? "list or watch" : "list"} objects of kind ${names.kind}`,
      parameters: listParameters(storage.watch !== undefined),
      responses: { 200: this.#list },
    });
  }

  #creation(subject: string): JsonObject {
    return this.#operation(subject, {
      idVerb: "create",
      action: "post",
      description: `create ${withArticle(this.#resource.names.kind)}`,
      parameters: writeParameters,
      body: bodyOf(this.#object, bodyTypes),
      responses: { 200: this.#object, 201: this.#object, 202: this.#object },
    });
  }

  #collectionDeletion(subject: string): JsonObject {
    return this.#operation(subject, {
      idVerb: "delete",
      action: "deletecollection",
      description: `delete collection of ${this.#resource.names.kind}`,
      parameters: deleteCollectionParameters(),
      body: { content: contentOf(metaRef("DeleteOptions"), bodyTypes) },
      responses: { 200: metaRef("Status") },
    });
  }

  #reading(subject: string, part = "", body = this.#object): JsonObject {
    return this.#operation(subject, {
      idVerb: "read",
      action: "get",
      description: `read${part} the specified ${this.#resource.names.kind}`,
      parameters: getParameters,
      responses: { 200: body },
    });
  }

  #deletion(subject: string): JsonObject {
    return this.#operation(subject, {
      idVerb: "delete",
      action: "delete",
      description: `delete ${withArticle(this.#resource.names.kind)}`,
      parameters: deleteParameters,
      body: { content: contentOf(metaRef("DeleteOptions"), bodyTypes) },
      responses: { 200: metaRef("Status"), 202: metaRef("Status") },
    });
  }

  #replacement(subject: string, part = "", object = this.#object): JsonObject {
    return this.#operation(subject, {
      idVerb: "replace",
      action: "put",
      description: `replace${part} the specified ${this.#resource.names.kind}`,
      parameters: writeParameters,
      body: bodyOf(object, bodyTypes),
      responses: { 200: object, 201: object },
    });
  }

  #patch(subject: string, part = "", object = this.#object): JsonObject {
    return this.#operation(subject, {
      idVerb: "patch",
      action: "patch",
      description: `partially update${part} the specified ${this.#resource.names.kind}`,
      parameters: this.#patchTypes.includes(APPLY_PATCH) ? [...writeParameters, force] : writeParameters,
      body: bodyOf(metaRef("Patch"), this.#patchTypes),
      responses: { 200: object, 201: object },
    });
  }

  #operation(subject: string, parts: OperationParts): JsonObject {
    const { group, names, version } = this.#resource;
    const groupWords = (group === "" ? "core" : group).split(/[^A-Za-z0-9]+/).map(capitalized);
    const tag = groupWords.join("");
    return {
      tags: [`${tag.charAt(0).toLowerCase()}${tag.slice(1)}_${version}`],
      description: parts.description,
      operationId: `${parts.idVerb}${tag}${capitalized(version)}${subject}`,
      parameters: parts.parameters,
      ...(parts.body === undefined ? {} : { requestBody: parts.body }),
      responses: responsesOf(parts.responses),
      "x-kubernetes-action": parts.action,
      [KIND_MARK]: { group, version, kind: names.kind },
    };
  }
}

/** `a Widget`, `an Image`, `Redis`: by the letters, as Kubernetes does it. */
function withArticle(kind: string): string {
  if (kind.endsWith("s") && !kind.endsWith("ss")) return kind;
  return `${/^[AEIOU]/i.test(kind) ? "an" : "a"} ${kind}`;
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function contentOf(schema: JsonObject, types: readonly string[]): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function bodyOf(schema: JsonObject, types: readonly string[]): JsonObject {
  return { content: contentOf(schema, types), required: true };
}

const statusTexts: Readonly<Record<string, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };

function responsesOf(schemas: Readonly<Record<number, JsonObject>>): JsonObject {
  const answers = Object.entries(schemas).map(([code, schema]) => [
    code,
    { description: statusTexts[code] ?? code, content: contentOf(schema, bodyTypes) },
  ]);
  return { ...Object.fromEntries(answers), 401: { description: "Unauthorized" } };
}
