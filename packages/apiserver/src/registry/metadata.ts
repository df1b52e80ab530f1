import {
  byCodeUnit,
  dns1123Label,
  type FieldError,
  goQuote,
  isJsonObject,
  type JsonValue,
  jsonEquals,
  type KubernetesObject,
  type ObjectMeta,
  type OwnerReference,
  parseApiVersion,
  validateAnnotations,
  validateFinalizers,
  validateLabels,
} from "@slipway/objects";

/** What may stand in `metadata.name`: each text returned says what is wrong. */
export type NameRule = (name: string) => readonly string[];

export interface MetadataRules {
  readonly namespaced: boolean;
  readonly name: NameRule;
}

function invalidValue(field: string, value: string, detail: string): FieldError {
  return { type: "FieldValueInvalid", field, value, detail };
}

/**
 * Metadata as every object must have it, on create and on update. It stands at `at`.
 * @see Kubernetes, apimachinery's ValidateObjectMeta
 */
export function validateMetadata(metadata: ObjectMeta, rules: MetadataRules, at = "metadata"): FieldError[] {
  const errors: FieldError[] = [];
  const { name = "", generateName = "", namespace = "" } = metadata;
  if (generateName !== "") {
    // A prefix may end in "-", which a name may not; the whole is one character shorter then, as in Kubernetes.
    for (const detail of rules.name(generateName.replace(/.-$/s, "a"))) {
      errors.push(invalidValue(`${at}.generateName`, generateName, detail));
    }
  }
  if (name === "") {
    errors.push({
      type: "FieldValueRequired",
      field: `${at}.name`,
      detail: "name or generateName is required",
    });
  } else {
    for (const detail of rules.name(name)) errors.push(invalidValue(`${at}.name`, name, detail));
  }
  errors.push(...namespaceErrors(namespace, rules, `${at}.namespace`));
  const { generation = 0 } = metadata;
  if (generation < 0) {
    const detail = "must be greater than or equal to 0";
    errors.push({ type: "FieldValueInvalid", field: `${at}.generation`, value: generation, detail });
  }
  errors.push(...attachmentErrors(metadata, at));
  errors.push(...validateFinalizers(metadata.finalizers ?? [], `${at}.finalizers`));
  return errors;
}

/** Labels, annotations and owners. */
function attachmentErrors(
  { labels = {}, annotations = {}, ownerReferences = [] }: ObjectMeta,
  at: string,
): FieldError[] {
  return [
    ...validateLabels(labels, `${at}.labels`),
    ...validateAnnotations(annotations, `${at}.annotations`),
    ...ownerReferenceErrors(ownerReferences, `${at}.ownerReferences`),
  ];
}

/** What Kubernetes asks of every name, whatever the kind asks: it has to fit in a path. */
export function pathSegmentProblems(name: string): readonly string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

function namespaceErrors(namespace: string, { namespaced }: MetadataRules, field: string): FieldError[] {
  if (!namespaced) {
    return namespace === "" ? [] : [{ type: "FieldValueForbidden", field, detail: "not allowed on this type" }];
  }
  if (namespace === "") return [{ type: "FieldValueRequired", field, detail: "" }];
  return dns1123Label(namespace).map((detail) => invalidValue(field, namespace, detail));
}

function ownerReferenceErrors(ownerReferences: readonly OwnerReference[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const reference of ownerReferences) {
    const { apiVersion, kind, name, uid, controller: controls } = reference;
    const { version } = parseApiVersion(apiVersion);
    if (version === "" || version.includes("/")) {
      errors.push(invalidValue(`${field}.apiVersion`, apiVersion, "version must not be empty"));
    }
    if (kind === "") errors.push(invalidValue(`${field}.kind`, kind, "must not be empty"));
    if (name === "") errors.push(invalidValue(`${field}.name`, name, "must not be empty"));
    if (uid === "") errors.push(invalidValue(`${field}.uid`, uid, "must not be empty"));
    if (apiVersion === "v1" && kind === "Event") {
      errors.push({
        type: "FieldValueInvalid",
        field,
        value: reference,
        detail: "/v1, Kind=Event is disallowed from being an owner",
      });
    }
    if (controls !== true) continue;
    const label = `${kind}/${name}`;
    if (controller !== undefined) {
      errors.push({
        type: "FieldValueInvalid",
        field,
        value: [...ownerReferences],
        detail:
          "Only one reference can have Controller set to true. " +
          `Found "true" in references for ${controller} and ${label}`,
      });
    }
    controller ??= label;
  }
  return errors;
}

/**
 * Metadata of a resource that stands inside another object, at `field`. It needs no name, and one that it has must only
 * fit in a path: nobody says of which kind it is.
 */
export function embeddedMetadataErrors(metadata: JsonValue, field: string): FieldError[] {
  if (!isJsonObject(metadata)) return [];
  const { name = "", namespace = "" } = metadata as ObjectMeta;
  const named = name === "" ? { ...metadata, name: "fakename" } : metadata;
  return validateMetadata(named, { namespaced: namespace !== "", name: pathSegmentProblems }, field);
}

const immutable = ["name", "namespace", "uid", "deletionTimestamp", "deletionGracePeriodSeconds"] as const;

/**
 * What an update may not do to metadata, and a part of {@link validateMetadata} once more, as in Kubernetes.
 * @see Kubernetes, apimachinery's ValidateObjectMetaUpdate
 */
export function validateMetadataUpdate(metadata: ObjectMeta, old: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    const known = new Set(old.finalizers ?? []);
    const added = new Set((metadata.finalizers ?? []).filter((finalizer) => !known.has(finalizer)));
    if (added.size > 0) {
      const list = [...added].sort(byCodeUnit).map(goQuote).join(", ");
      errors.push({
        type: "FieldValueForbidden",
        field: "metadata.finalizers",
        detail: `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
      });
    }
  }
  for (const name of immutable) {
    if (jsonEquals(metadata[name], old[name])) continue;
    errors.push({
      type: "FieldValueInvalid",
      field: `metadata.${name}`,
      value: metadata[name] ?? null,
      detail: "field is immutable",
    });
  }
  errors.push(...attachmentErrors(metadata, "metadata"));
  return errors;
}

/**
 * Exact duplicates of owner references are dropped; the warnings are Kubernetes' own.
 *
 * @param at what the references are of: a body, or the result of a patch
 */
export function dedupeOwnerReferences(
  object: KubernetesObject,
  at: "body" | "patch",
  warn: (text: string) => void,
): KubernetesObject {
  const references = object.metadata.ownerReferences;
  if (references === undefined || references.length < 2) return object;
  const isFirst = references.map(
    (reference, index) => references.findIndex((other) => jsonEquals(other, reference)) === index,
  );
  const kept = references.filter((_, index) => isFirst[index]);
  if (kept.length === references.length) return object;
  const uids = references.filter((_, index) => !isFirst[index]).map(({ uid }) => uid);
  warn(
    `.metadata.ownerReferences contains duplicate entries${at === "body" ? "" : " after mutating admission happens"}; ` +
      "API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your " +
      `requests; duplicate UID(s) observed: ${uids.join(", ")}`,
  );
  return { ...object, metadata: { ...object.metadata, ownerReferences: kept } };
}
