import {
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type KubernetesObject,
  SlipwayError,
} from "@slipway/objects";
import type { ServerHost } from "./host.ts";
import { Store } from "./registry/store.ts";
import { customResourceStrategy, statusStrategy } from "./registry/strategy.ts";
import type { Resource } from "./resource.ts";
import { parseStructuralSchema } from "./schema/structural.ts";
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
 * Not evaluated yet: CEL rules (`x-kubernetes-validations`), the scale subresource, conversion between versions.
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
  return read.objects("spec", "versions").flatMap((version, index) => {
    if (getMember(version, "served") !== true) return [];
    const versionName = getMember(version, "name");
    if (typeof versionName !== "string") throw read.refuse(`spec.versions[${index}].name is not a string`);
    const openApiSchema = member(version, "schema", "openAPIV3Schema") ?? { type: "object" };
    const { schema, problems } = parseStructuralSchema(openApiSchema, { rules: "structural" });
    if (schema === undefined) {
      throw read.refuse(`spec.versions[${index}].schema.openAPIV3Schema: ${problems.join("; ")}`);
    }
    const hasStatus = member(version, "subresources", "status") !== undefined;
    const strategy = customResourceStrategy({ schema, statusSubresource: hasStatus });
    const store = new Store({
      ...options,
      group,
      version: versionName,
      kind: names.kind,
      resource: names.plural,
      namespaced,
      strategy,
      selectableFields: selectableFields(getMember(version, "selectableFields")),
    });
    const resource: Resource = {
      group,
      version: versionName,
      names,
      namespaced,
      storage: store,
      ...(hasStatus ? { statusStorage: withoutCreateAndDelete(store.withStrategy(statusStrategy(strategy))) } : {}),
      schema,
      missingKind: "refuse",
      order: "sorted",
      table: printerColumns(getMember(version, "additionalPrinterColumns") ?? []),
      openApi: { schemaName: schemaName(group, versionName, names.kind), schema: openApiSchema as JsonObject },
    };
    return [resource];
  });
}

/** A status is read and written, never created, listed or deleted. */
function withoutCreateAndDelete(store: Store): Resource["storage"] {
  return { get: store.get.bind(store), update: store.update.bind(store) };
}

/** `io.example.apps.v1.Widget` for `apps.example.io/v1`: the group reversed, so that names are unique and sort together. */
export function schemaName(group: string, version: string, kind: string): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}

function selectableFields(value: JsonValue | undefined): Record<string, (object: KubernetesObject) => string> {
  const fields: Record<string, (object: KubernetesObject) => string> = {};
  for (const entry of isJsonArray(value) ? value : []) {
    const path = isJsonObject(entry) ? getMember(entry, "jsonPath") : undefined;
    if (typeof path !== "string") continue;
    const segments = path.split(".").filter((segment) => segment !== "");
    fields[segments.join(".")] = (object) => {
      const found = member(object, ...segments);
      return found === undefined || found === null || typeof found === "object" ? "" : String(found);
    };
  }
  return fields;
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
