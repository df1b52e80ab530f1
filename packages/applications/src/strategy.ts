import { applyDefaults, dropNulls, validate } from "@slipway/apiserver";
import {
  badRequest,
  byCodeUnit,
  dns1035Label,
  type FieldError,
  getMember,
  invalid,
  isJsonArray,
  isJsonObject,
  type JsonValue,
  jsonEquals,
  type KubernetesObject,
  validateAnnotations,
  validateLabels,
} from "@slipway/objects";
import type { Definition } from "./definition.ts";
import {
  applicationGroup,
  maxNameLength,
  maxNamespaceLength,
  storedKeyPrefix,
  tenantNamespace,
  toStoredKeys,
} from "./derived-names.ts";
import { isTenant, reservedKeyPrefix, storedValues } from "./release-backend.ts";

const tenantName = /^[a-z][a-z0-9]*$/;
const tenantNameRule =
  "tenant names must start with a lowercase letter and contain only lowercase letters and digits; dashes are not allowed";

/**
 * Refuses a new application that breaks a rule: first those on names, then the form of its spec, then the schema and
 * the metadata together.
 *
 * The schema judges a copy with defaults filled in and forbidden nulls dropped, as a CustomResourceDefinition would;
 * what is stored is what was sent.
 *
 * @throws {ApiStatusError} `Invalid`, or `BadRequest` for a spec that is no object or has reserved keys
 */
export function checkCreate(definition: Definition, application: KubernetesObject): void {
  const { name = "" } = application.metadata;
  checkName(definition, application);
  checkSpecForm(application);
  const errors = [...metadataErrors(application), ...specErrors(definition, getMember(application, "spec"))];
  if (errors.length > 0) throw invalid(kindOf(definition), name, errors);
}

/**
 * Refuses a changed application that breaks a rule. Names are not checked again: what exists stays editable.
 *
 * For the same reason what was wrong before does not block an update: an error counts only when the stored object,
 * with its defaults, does not have the same one at the same field with the same value. A field whose value changes
 * must be right afterwards.
 *
 * @param release the stored state
 * @throws {ApiStatusError} as {@link checkCreate}
 */
export function checkUpdate(definition: Definition, application: KubernetesObject, release: KubernetesObject): void {
  const { name = "" } = application.metadata;
  checkSpecForm(application);
  const before = specErrors(definition, storedValues(release));
  const found = specErrors(definition, getMember(application, "spec")).filter(
    (error) => !before.some((old) => isSameError(error, old)),
  );
  const errors = [...metadataErrors(application), ...found];
  if (errors.length > 0) throw invalid(kindOf(definition), name, errors);
}

function isSameError(a: FieldError, b: FieldError): boolean {
  return a.type === b.type && a.field === b.field && a.detail === b.detail && jsonEquals(a.value, b.value);
}

function kindOf({ kind }: Definition): { readonly group: string; readonly kind: string } {
  return { group: applicationGroup, kind };
}

function checkName(definition: Definition, { metadata: { name = "", namespace = "" } }: KubernetesObject): void {
  const refuse = (errors: readonly FieldError[]): void => {
    if (errors.length > 0) throw invalid(kindOf(definition), name, errors);
  };
  const wrong = (detail: string): FieldError => ({
    type: "FieldValueInvalid",
    field: "metadata.name",
    value: name,
    detail,
  });
  refuse(
    name === ""
      ? [{ type: "FieldValueRequired", field: "metadata.name", detail: "name is required" }]
      : nameProblems(definition, name).map(wrong),
  );
  const { prefix } = definition.release;
  const longest = maxNameLength(prefix);
  const inBrackets = `(release prefix ${JSON.stringify(prefix)})`;
  if (longest <= 0) refuse([wrong(`configuration error: no valid name length possible ${inBrackets}`)]);
  if (name.length > longest) refuse([wrong(`must be no more than ${longest} characters ${inBrackets}`)]);
  if (!isTenant(definition)) return;
  const opened = tenantNamespace(namespace, prefix, name);
  if (opened.length <= maxNamespaceLength) return;
  refuse([
    wrong(
      `computed tenant namespace "${opened}" would be ${opened.length} characters, which exceeds the ` +
        `${maxNamespaceLength}-character Kubernetes namespace limit; ` +
        "shorten the tenant name or reduce ancestor nesting depth",
    ),
  ]);
}

function nameProblems(definition: Definition, name: string): string[] {
  if (isTenant(definition) && !tenantName.test(name)) return [tenantNameRule];
  return dns1035Label(name);
}

/** The words are those of Go's JSON decoder, which reads the spec as a map. */
function checkSpecForm(application: KubernetesObject): void {
  const spec = getMember(application, "spec");
  if (spec === undefined || spec === null) return;
  if (!isJsonObject(spec)) {
    throw badRequest(`json: cannot unmarshal ${goType(spec)} into Go value of type map[string]interface {}`);
  }
  const reserved = Object.keys(spec)
    .filter((key) => key.startsWith(reservedKeyPrefix))
    .sort(byCodeUnit);
  if (reserved.length === 0) return;
  throw badRequest(
    `values key ${JSON.stringify(reserved[0])} is reserved (keys starting with '${reservedKeyPrefix}' are not allowed)`,
  );
}

function goType(value: JsonValue): string {
  if (isJsonArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : "number";
}

function specErrors({ schema }: Definition, spec: JsonValue | undefined): FieldError[] {
  if (schema === undefined) return [];
  const given = isJsonObject(spec) ? spec : {};
  return validate(applyDefaults(dropNulls(given, schema), schema), schema, "spec");
}

/**
 * Labels and annotations are stored under longer keys, so there is less room for the user's own. What is wrong is
 * said of the key as the user wrote it.
 */
function metadataErrors({ metadata: { labels = {}, annotations = {} } }: KubernetesObject): FieldError[] {
  return [
    ...validateLabels(toStoredKeys(labels), "metadata.labels"),
    ...validateAnnotations(toStoredKeys(annotations), "metadata.annotations"),
  ].map(inUsersWords);
}

function inUsersWords(error: FieldError): FieldError {
  const { value, detail } = error;
  if (typeof value !== "string" || !value.startsWith(storedKeyPrefix)) return error;
  const room = (_text: string, part: string, limit: string): string =>
    `${part} part must be no more than ${Number(limit) - storedKeyPrefix.length} bytes`;
  return {
    ...error,
    value: value.slice(storedKeyPrefix.length),
    detail: detail?.replace(/^(name|prefix) part must be no more than (\d+) bytes$/, room),
  };
}
