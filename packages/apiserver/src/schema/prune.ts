import { byCodeUnit, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "@slipway/objects";
import { rewriteItems, rewriteMembers } from "./rewrite.ts";
import type { StructuralSchema } from "./structural.ts";

export interface PruneOptions {
  /**
   * Where `value` stands: the start of every reported path.
   * @default "" the object itself
   */
  readonly path?: string | undefined;
  /**
   * Keeps apiVersion, kind and metadata of `value` itself as they are, whatever the schema says.
   * @default false
   */
  readonly isResourceRoot?: boolean | undefined;
  /**
   * Reads the metadata of embedded resources; `path` is that of the metadata. What it throws passes through.
   * @default keeps them as they are
   */
  readonly embeddedMetadata?: ((metadata: JsonValue, path: string) => Pruned) | undefined;
}

export interface Pruned {
  readonly value: JsonValue;
  /** Paths of the members that were dropped: `spec.list[0].x`. Sorted, those below embedded metadata last. */
  readonly unknown: readonly string[];
}

/** Members that an embedded resource keeps without declaring them. */
const resourceMembers: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/**
 * `value` without the members that `schema` does not know. Parts that lose nothing are shared.
 *
 * An object keeps undeclared members where the schema says `x-kubernetes-preserve-unknown-fields` or has
 * `additionalProperties` of any form: `false` is for validation to refuse. What stands below a member without a schema
 * stays whole.
 */
export function prune(value: JsonValue, schema: StructuralSchema, options: PruneOptions = {}): Pruned {
  const pruning = new Pruning(options.embeddedMetadata);
  const root = options.isResourceRoot === true && isJsonObject(value);
  const path = options.path ?? "";
  const pruned = root
    ? pruning.object(value, schema, path, { keepsUnknown: schema.preserveUnknownFields, keepsResourceMembers: true })
    : pruning.value(value, schema, path);
  return { value: pruned, unknown: pruning.unknown() };
}

interface Keeping {
  readonly keepsUnknown: boolean;
  readonly keepsResourceMembers: boolean;
}

class Pruning {
  readonly #unknown: string[] = [];
  readonly #unknownMetadata: string[] = [];
  readonly #embeddedMetadata: PruneOptions["embeddedMetadata"];

  constructor(embeddedMetadata: PruneOptions["embeddedMetadata"]) {
    this.#embeddedMetadata = embeddedMetadata;
  }

  unknown(): string[] {
    return [...this.#unknown.toSorted(byCodeUnit), ...this.#unknownMetadata.toSorted(byCodeUnit)];
  }

  /** `preserved`: a list above keeps unknown members, and so do its items. */
  value(value: JsonValue, schema: StructuralSchema, path: string, preserved = false): JsonValue {
    const keepsUnknown = preserved || schema.preserveUnknownFields;
    if (isJsonArray(value)) {
      const { items } = schema;
      if (items === undefined) return value;
      return rewriteItems(value, (item, index) => this.value(item, items, `${path}[${index}]`, keepsUnknown));
    }
    if (!isJsonObject(value)) return value;
    return this.object(value, schema, path, { keepsUnknown, keepsResourceMembers: false });
  }

  object(value: JsonObject, schema: StructuralSchema, path: string, keeping: Keeping): JsonValue {
    return rewriteMembers(value, (name, member) => {
      const memberPath = path === "" ? name : `${path}.${name}`;
      if (resourceMembers.has(name)) {
        if (keeping.keepsResourceMembers) return member;
        if (schema.embeddedResource) return name === "metadata" ? this.#metadata(member, memberPath) : member;
      }
      const property = schema.properties.get(name) ?? schema.additionalProperties;
      if (typeof property === "object") return this.value(member, property, memberPath);
      if (property !== undefined || keeping.keepsUnknown) return member;
      this.#unknown.push(memberPath);
      return undefined;
    });
  }

  #metadata(metadata: JsonValue, path: string): JsonValue {
    if (this.#embeddedMetadata === undefined) return metadata;
    const pruned = this.#embeddedMetadata(metadata, path);
    for (const unknown of pruned.unknown) this.#unknownMetadata.push(unknown);
    return pruned.value;
  }
}
