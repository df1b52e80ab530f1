import {
  byCodeUnit,
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  setMember,
} from "@slipway/objects";
import { mapSubschemas } from "./map-subschemas.ts";

const KIND_MARK = "x-kubernetes-group-version-kind";

/**
 * One OpenAPI v2 document for the v3 documents of all group versions. What v2 cannot express is left out of schemas:
 * junctors, and the insides of what may be null or may hold unknown fields, which clients would take for the whole.
 * @see Kubernetes, apiextensions' ToStructuralOpenAPIV2
 */
export function openApiV2Document(documents: readonly JsonObject[]): JsonObject {
  const [first] = documents;
  const paths: MutableJsonObject = {};
  const definitions: MutableJsonObject = {};
  for (const document of documents) {
    for (const [path, item] of members(getMember(document, "paths"))) setMember(paths, path, pathItem(item));
    const components = getMember(document, "components");
    for (const [name, schema] of members(isJsonObject(components) ? getMember(components, "schemas") : undefined)) {
      setMember(definitions, name, mergedMarks(getMember(definitions, name), definition(schema)));
    }
  }
  return {
    swagger: "2.0",
    info: (first && getMember(first, "info")) ?? {},
    paths: sortedByName(paths),
    definitions: sortedByName(definitions),
    securityDefinitions: {
      BearerToken: { description: "Bearer Token authentication", type: "apiKey", name: "authorization", in: "header" },
    },
    security: [{ BearerToken: [] }],
  };
}

function members(value: JsonValue | undefined): [string, JsonObject][] {
  return Object.entries(isJsonObject(value) ? value : {}).flatMap(([name, member]) =>
    isJsonObject(member) ? [[name, member]] : [],
  );
}

function sortedByName(object: JsonObject): JsonObject {
  const sorted: MutableJsonObject = {};
  for (const name of Object.keys(object).sort(byCodeUnit)) setMember(sorted, name, object[name] ?? null);
  return sorted;
}

function pathItem(item: JsonObject): JsonObject {
  const { parameters, ...operations } = item;
  return {
    ...Object.fromEntries(members(operations).map(([method, operation]) => [method, toOperation(operation)])),
    ...(isJsonArray(parameters) ? { parameters: parameters.map(toParameter) } : {}),
  };
}

function toOperation(operation: JsonObject): JsonObject {
  const { parameters, requestBody, responses, ...rest } = operation;
  const body = isJsonObject(requestBody) ? [bodyParameter(requestBody)] : [];
  const answers = members(responses);
  return {
    ...rest,
    consumes: isJsonObject(requestBody) ? contentTypes(requestBody) : ["*/*"],
    produces: contentTypes(answers[0]?.[1] ?? {}),
    schemes: ["https"],
    parameters: [...body, ...(isJsonArray(parameters) ? parameters.map(toParameter) : [])],
    responses: Object.fromEntries(answers.map(([code, answer]) => [code, toResponse(answer)])),
  };
}

function contentTypes(value: JsonObject): string[] {
  const content = getMember(value, "content");
  return isJsonObject(content) ? Object.keys(content) : [];
}

/** The same for each content type. */
function contentSchema(value: JsonObject): JsonObject | undefined {
  const content = members(getMember(value, "content"))[0]?.[1];
  const schema = content && getMember(content, "schema");
  return isJsonObject(schema) ? toV2(schema) : undefined;
}

function bodyParameter(body: JsonObject): JsonObject {
  const schema = contentSchema(body);
  return {
    name: "body",
    in: "body",
    ...(getMember(body, "required") === true ? { required: true } : {}),
    ...(schema === undefined ? {} : { schema }),
  };
}

/** v2 says what type a parameter is beside its name. */
function toParameter(parameter: JsonValue): JsonValue {
  if (!isJsonObject(parameter)) return parameter;
  const { schema, ...rest } = parameter;
  return { ...rest, ...(isJsonObject(schema) ? schema : {}) };
}

function toResponse(answer: JsonObject): JsonObject {
  const schema = contentSchema(answer);
  return { description: getMember(answer, "description") ?? "", ...(schema === undefined ? {} : { schema }) };
}

/** A whole kind that may hold anything is an object, and no more. */
function definition(schema: JsonObject): JsonObject {
  if (!preservesUnknown(schema)) return toV2(schema);
  const mark = getMember(schema, KIND_MARK);
  return { type: "object", ...(mark === undefined ? {} : { [KIND_MARK]: mark }) };
}

function preservesUnknown(schema: JsonObject): boolean {
  return getMember(schema, "x-kubernetes-preserve-unknown-fields") === true;
}

/** The marks of the same definition in two documents are put together. */
function mergedMarks(before: JsonValue | undefined, schema: JsonObject): JsonObject {
  const known = isJsonObject(before) ? getMember(before, KIND_MARK) : undefined;
  const marks = getMember(schema, KIND_MARK);
  if (!isJsonArray(known) || !isJsonArray(marks)) return schema;
  const all = new Map([...known, ...marks].map((mark) => [JSON.stringify(mark), mark]));
  return { ...schema, [KIND_MARK]: [...all.values()] };
}

function toV2(schema: JsonObject): JsonObject {
  const reference = referenceOf(schema);
  if (reference !== undefined) {
    const description = getMember(schema, "description");
    return {
      ...(description === undefined ? {} : { description }),
      $ref: reference.replace("#/components/schemas/", "#/definitions/"),
    };
  }
  const { allOf: _, oneOf: _o, anyOf: _a, not: _n, nullable, ...kept } = schema;
  const opened = new Set<string>();
  if (nullable === true || preservesUnknown(schema)) opened.add("items").add("properties");
  const hasItems = Object.hasOwn(kept, "items") && !opened.has("items");
  const type = getMember(schema, "type");
  if (nullable === true || (type === "array" && !hasItems) || (type === "object" && preservesUnknown(schema))) {
    opened.add("type");
  }
  const required = requiredOf(schema);
  const open = Object.fromEntries(Object.entries(kept).filter(([name]) => !opened.has(name) && name !== "required"));
  return { ...mapSubschemas(open, toV2), ...(required.length === 0 ? {} : { required }) };
}

/** `$ref` itself, or the one schema in `allOf`, which is how v3 puts a description beside it. */
function referenceOf(schema: JsonObject): string | undefined {
  const allOf = getMember(schema, "allOf");
  const only = isJsonArray(allOf) && allOf.length === 1 ? allOf[0] : undefined;
  const reference = getMember(schema, "$ref") ?? (isJsonObject(only) ? getMember(only, "$ref") : undefined);
  return typeof reference === "string" ? reference : undefined;
}

/** What may be null cannot be asked for, and what an embedded resource has of its own is not known to be there. */
function requiredOf(schema: JsonObject): readonly JsonValue[] {
  const required = getMember(schema, "required");
  if (!isJsonArray(required)) return [];
  const further = getMember(schema, "additionalProperties");
  if (isJsonObject(further) && getMember(further, "nullable") === true) return [];
  const properties = getMember(schema, "properties");
  const embedded = getMember(schema, "x-kubernetes-embedded-resource") === true && preservesUnknown(schema);
  return required.filter((name) => {
    if (typeof name !== "string") return false;
    const property = isJsonObject(properties) ? getMember(properties, name) : undefined;
    if (isJsonObject(property) && getMember(property, "nullable") === true) return false;
    return !embedded || (name !== "kind" && name !== "apiVersion");
  });
}
