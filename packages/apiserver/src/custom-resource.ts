import {
  formatApiVersion,
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type KubernetesObject,
  SlipwayError,
} from "@slipway/objects";
import { compareVersions } from "./discovery/version-priority.ts";
import { formatGoValue } from "./handlers/go-value.ts";
import type { ServerHost } from "./host.ts";
import { pathSegments } from "./nested-value.ts";
import type { VersionPair } from "./registry/codec.ts";
import { type ScalePaths, scaleStorage } from "./registry/scale.ts";
import { Store } from "./registry/store.ts";
import { customResourceStrategy, statusStrategy } from "./registry/strategy.ts";
import type { Resource } from "./resource.ts";
import { parseStructuralSchema, type StructuralSchema } from "./schema/structural.ts";
import type { ObjectStorage } from "./storage/storage.ts";
import { printerColumns } from "./table.ts";

export interface CustomResourceOptions {
  readonly storage: ObjectStorage;
  readonly host: ServerHost;
  /** See {@link StoreOptions.garbageCollection}. */
  readonly garbageCollection: boolean;
}

/**
 * The kinds that a CustomResourceDefinition (apiextensions.k8s.io/v1) declares: one {@link Resource} per served
 * version, all over the same stored objects.
 *
 * Not evaluated yet: CEL rules (`x-kubernetes-validations`), conversion webhooks.
 *
 * @throws {SlipwayError} `INVALID_SCHEMA` when the definition cannot be read; the message names it and the field.
 */
export function customResources(definition: KubernetesObject, options: CustomResourceOptions): Resource[] {
  const name = definition.metadata.name ?? "";
  const read = reader(definition, `CustomResourceDefinition/${name}`);
  const group = read.string("spec", "group");
  const names = {
    kind: read.string("spec", "names", "kind"),
    listKind: read.optionalString("spec", "names", "listKind"),
    plural: read.string("spec", "names", "plural"),
    singular: read.optionalString("spec", "names", "singular") ?? read.string("spec", "names", "kind").toLowerCase(),
    shortNames: read.strings("spec", "names", "shortNames"),
    categories: read.strings("spec", "names", "categories"),
  };
  const namespaced = read.string("spec", "scope") === "Namespaced";
  const versions = read.objects("spec", "versions").map((version, index) => readVersion(read, version, index));
  const stored = versions.find(({ isStored }) => isStored);
  if (stored === undefined) throw read.refuse("spec.versions has none whose storage is true");
  const schemas = new Map(versions.map(({ name: version, schema }) => [version, schema]));
  const inGroup = ({ name: version, schema }: DefinedVersion): VersionPair["served"] => ({
    apiVersion: formatApiVersion(group, version),
    schema,
  });
  return versions
    .filter(({ isServed }) => isServed)
    .map((version): Resource => {
      const { schema, hasStatus, scale, raw, fieldPaths } = version;
      const strategy = customResourceStrategy({ kind: names.kind, schema, statusSubresource: hasStatus, scale });
      const store = new Store({
        ...options,
        group,
        version: version.name,
        ...(version === stored ? {} : { conversion: { served: inGroup(version), stored: inGroup(stored) } }),
        kind: names.kind,
        resource: names.plural,
        namespaced,
        strategy,
        selectableFields: selectableFields(fieldPaths),
      });
      return {
        group,
        version: version.name,
        names,
        namespaced,
        storage: store,
        ...(hasStatus ? { statusStorage: withoutCreateAndDelete(store.withStrategy(statusStrategy(strategy))) } : {}),
        ...(scale === undefined ? {} : { scaleStorage: scaleStorage(store, scale) }),
        storageVersion: stored.name,
        selectableFields: fieldPaths,
        schema,
        versions: schemas,
        missingKind: "refuse",
        order: "sorted",
        deprecationWarning: deprecationWarning(version, versions, { group, kind: names.kind }),
        table: printerColumns(getMember(raw, "additionalPrinterColumns") ?? []),
        openApi: { schemaName: schemaName(group, version.name, names.kind), schema: version.openApiSchema },
      };
    });
}

interface DefinedVersion {
  readonly name: string;
  readonly isServed: boolean;
  readonly isStored: boolean;
  readonly hasStatus: boolean;
  readonly scale: ScalePaths | undefined;
  /** Of `selectableFields`, without their leading dots. */
  readonly fieldPaths: readonly string[];
  readonly schema: StructuralSchema;
  readonly openApiSchema: JsonObject;
  readonly raw: JsonObject;
}

function readVersion(read: Reader, version: JsonObject, index: number): DefinedVersion {
  const name = getMember(version, "name");
  if (typeof name !== "string") throw read.refuse(`spec.versions[${index}].name is not a string`);
  const openApiSchema = member(version, "schema", "openAPIV3Schema") ?? { type: "object" };
  const { schema, problems } = parseStructuralSchema(openApiSchema, { rules: "structural" });
  if (schema === undefined || !isJsonObject(openApiSchema)) {
    throw read.refuse(`spec.versions[${index}].schema.openAPIV3Schema: ${problems.join("; ")}`);
  }
  return {
    name,
    isServed: getMember(version, "served") === true,
    isStored: getMember(version, "storage") === true,
    hasStatus: member(version, "subresources", "status") !== undefined,
    scale: readScale(read, version, index),
    fieldPaths: readFieldPaths(read, version, index),
    schema,
    openApiSchema,
    raw: version,
  };
}

function readScale(read: Reader, version: JsonObject, index: number): ScalePaths | undefined {
  const scale = member(version, "subresources", "scale");
  if (!isJsonObject(scale)) return undefined;
  const path = (name: string): string | undefined => {
    const value = getMember(scale, name);
    if (value === undefined || value === "") return undefined;
    if (typeof value === "string" && isFieldPath(value)) return value;
    throw read.refuse(
      `spec.versions[${index}].subresources.scale.${name} is not a path of members such as .spec.replicas`,
    );
  };
  const [specReplicasPath, statusReplicasPath] = [path("specReplicasPath"), path("statusReplicasPath")];
  if (specReplicasPath === undefined || statusReplicasPath === undefined) {
    throw read.refuse(`spec.versions[${index}].subresources.scale lacks specReplicasPath or statusReplicasPath`);
  }
  return { specReplicasPath, statusReplicasPath, labelSelectorPath: path("labelSelectorPath") };
}

function readFieldPaths(read: Reader, version: JsonObject, index: number): readonly string[] {
  const fields = getMember(version, "selectableFields");
  return (isJsonArray(fields) ? fields : []).map((entry, at) => {
    const path = member(entry, "jsonPath");
    if (typeof path === "string" && isFieldPath(path)) return path.slice(1);
    throw read.refuse(
      `spec.versions[${index}].selectableFields[${at}].jsonPath is not a path of members such as .spec.mode`,
    );
  });
}

/** Only members, no items and no wildcards: what Kubernetes allows in these places. */
function isFieldPath(path: string): boolean {
  return /^(?:\.[^.[\](){}'"*@?\s\\]+)+$/.test(path);
}

/** The text that the definition gives, or Kubernetes' own, which names the best version that takes its place. */
function deprecationWarning(
  { name, raw }: DefinedVersion,
  versions: readonly DefinedVersion[],
  { group, kind }: { readonly group: string; readonly kind: string },
): string | undefined {
  if (!isDeprecated(raw)) return undefined;
  const text = getMember(raw, "deprecationWarning");
  if (typeof text === "string") return text;
  const [better] = versions
    .filter((other) => other.isServed && !isDeprecated(other.raw) && compareVersions(other.name, name) < 0)
    .map((other) => other.name)
    .sort(compareVersions);
  const instead = better === undefined ? "" : `; use ${formatApiVersion(group, better)} ${kind}`;
  return `${formatApiVersion(group, name)} ${kind} is deprecated${instead}`;
}

function isDeprecated(version: JsonObject): boolean {
  return getMember(version, "deprecated") === true;
}

/** A status is read and written, never created, listed or deleted. */
function withoutCreateAndDelete(store: Store): Resource["storage"] {
  return { get: store.get.bind(store), update: store.update.bind(store) };
}

/** `io.example.apps.v1.Widget` for `apps.example.io/v1`: the group reversed, so that names are unique and sort together. */
export function schemaName(group: string, version: string, kind: string): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}

/** A member that is missing counts as `""`. */
function selectableFields(paths: readonly string[]): Record<string, (object: KubernetesObject) => string> {
  return Object.fromEntries(
    paths.map((path) => {
      const segments = pathSegments(path);
      const read = (object: KubernetesObject): string => {
        const found = member(object, ...segments) ?? null;
        return found === null ? "" : formatGoValue(found);
      };
      return [path, read];
    }),
  );
}

function member(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (parent, name) => (isJsonObject(parent) ? getMember(parent, name) : undefined),
    value,
  );
}

interface Reader {
  string(...path: readonly string[]): string;
  optionalString(...path: readonly string[]): string | undefined;
  strings(...path: readonly string[]): readonly string[] | undefined;
  objects(...path: readonly string[]): readonly JsonObject[];
  refuse(why: string): SlipwayError;
}

function reader(definition: KubernetesObject, reference: string): Reader {
  const refuse = (why: string): SlipwayError =>
    new SlipwayError(`${reference}: ${why}. Correct the definition.`, { code: "INVALID_SCHEMA" });
  return {
    refuse,
    string(...path) {
      const value = member(definition, ...path);
      if (typeof value !== "string" || value === "") throw refuse(`${path.join(".")} is missing or not a string`);
      return value;
    },
    optionalString(...path) {
      const value = member(definition, ...path);
      if (value === undefined) return undefined;
      if (typeof value !== "string") throw refuse(`${path.join(".")} is not a string`);
      return value;
    },
    strings(...path) {
      const value = member(definition, ...path);
      if (value === undefined) return undefined;
      if (!isJsonArray(value) || !value.every((item) => typeof item === "string")) {
        throw refuse(`${path.join(".")} is not a list of strings`);
      }
      return value;
    },
    objects(...path) {
      const value = member(definition, ...path);
      if (!isJsonArray(value) || !value.every(isJsonObject)) throw refuse(`${path.join(".")} is not a list of objects`);
      return value;
    },
  };
}
