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
   * Looks at embedded resources. What it throws passes through.
   * @default keeps them as they are
   */
  readonly embedded?: EmbeddedReader | undefined;
}

/** `path` is that of the value. */
interface EmbeddedReader {
  metadata(metadata: JsonValue, path: string): Pruned;
  /** An apiVersion or a kind. */
  name(value: JsonValue, path: string): void;
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
 * An object keeps undeclared members where the schema says `x-kubernetes-preserve-unknown-fields`, and all that stands
 * below them; or has `additionalProperties`. Without a schema (`true`, and `false`, which is for validation to refuse)
 * those keep scalars and lists, and objects without their members.
 */
export function prune(value: JsonValue, schema: StructuralSchema, options: PruneOptions = {}): Pruned {
  const pruning = new Pruning(options.embedded);
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
  readonly #embedded: EmbeddedReader | undefined;

  constructor(embedded: EmbeddedReader | undefined) {
    this.#embedded = embedded;
  }

  unknown(): string[] {
    return [...this.#unknown.toSorted(byCodeUnit), ...this.#unknownMetadata.toSorted(byCodeUnit)];
  }

  /** `preserved`: a list above keeps unknown members, and so do its items. */
  value(value: JsonValue, schema: StructuralSchema, path: string, preserved = false): JsonValue {
    const keepsUnknown = preserved || schema.preserveUnknownFields;
    if (isJsonArray(value)) {
      const { items } = schema;
      if (items === undefined) return keepsUnknown ? value : this.#withoutMembers(value, path);
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
        if (schema.embeddedResource) return this.#resourceMember(name, member, memberPath);
      }
      const property = schema.properties.get(name) ?? schema.additionalProperties;
      if (typeof property === "object") return this.value(member, property, memberPath);
      if (property !== undefined) return this.#withoutMembers(member, memberPath);
      if (keeping.keepsUnknown) return member;
      this.#unknown.push(memberPath);
      return undefined;
    });
  }

  /** Where there is no schema, as for `additionalProperties: true`, Kubernetes knows of no members. */
  #withoutMembers(value: JsonValue, path: string): JsonValue {
    if (isJsonArray(value))
      return rewriteItems(value, (item, index) => this.#withoutMembers(item, `${path}[${index}]`));
    if (!isJsonObject(value)) return value;
    return rewriteMembers(value, (name) => {
      this.#unknown.push(`${path}.${name}`);
      return undefined;
    });
  }

  #resourceMember(name: string, value: JsonValue, path: string): JsonValue {
    if (name !== "metadata") {
      this.#embedded?.name(value, path);
      return value;
    }
    if (this.#embedded === undefined) return value;
    const pruned = this.#embedded.metadata(value, path);
    for (const unknown of pruned.unknown) this.#unknownMetadata.push(unknown);
    return pruned.value;
  }
}
