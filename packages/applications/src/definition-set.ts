import { byCodeUnit, formatFieldError, type KubernetesObject } from "@slipway/objects";
import { type Definition, readDefinition } from "./definition.ts";
import type { ReleaseFlags } from "./release-flags.ts";

/** A definition whose kind is not served. */
export interface DegradedDefinition {
  /** Of the ApplicationDefinition. */
  readonly name: string;
  readonly problems: readonly string[];
}

/** Every definition once, either served or degraded, each list by name. */
export interface DefinitionSet {
  readonly kinds: readonly Definition[];
  readonly degraded: readonly DegradedDefinition[];
}

/**
 * Reads all ApplicationDefinitions. A bad one, or one that claims what another serves, is degraded; the rest is served.
 *
 * Of two that claim the same plural or kind the first by name is served, whatever order they come in. Prefixes are not
 * compared: `kubernetes-` with the name `nodes-x` and `kubernetes-nodes-` with `x` are both legal and lead to one
 * release, which belongs to whoever creates it first.
 */
export function buildDefinitionSet(objects: Iterable<KubernetesObject>, flags: ReleaseFlags): DefinitionSet {
  const kinds: Definition[] = [];
  const degraded: DegradedDefinition[] = [];
  const claims = new Claims();
  for (const object of [...objects].sort((a, b) => byCodeUnit(a.metadata.name ?? "", b.metadata.name ?? ""))) {
    const { definition, problems } = readDefinition(object, flags);
    const clashes = definition === undefined ? [] : claims.clashesOf(definition);
    if (definition === undefined || clashes.length > 0) {
      degraded.push({ name: object.metadata.name ?? "", problems: [...problems, ...clashes] });
      continue;
    }
    claims.add(definition);
    kinds.push(definition);
  }
  return { kinds, degraded };
}

/** Who serves which plural and which kind. The kind of a list is a kind too. */
class Claims {
  readonly #plurals = new Map<string, string>();
  readonly #kinds = new Map<string, string>();

  add({ name, kind, plural }: Definition): void {
    this.#plurals.set(plural, name);
    for (const taken of [kind, `${kind}List`]) this.#kinds.set(taken, name);
  }

  clashesOf({ kind, plural }: Definition): string[] {
    const clash = (field: string, value: string, holder: string | undefined): string[] =>
      holder === undefined
        ? []
        : [
            formatFieldError({
              type: "FieldValueDuplicate",
              field,
              value,
              detail: `the ApplicationDefinition "${holder}" has it`,
            }),
          ];
    return [
      ...clash("spec.application.kind", kind, this.#kinds.get(kind) ?? this.#kinds.get(`${kind}List`)),
      ...clash("spec.application.plural", plural, this.#plurals.get(plural)),
    ];
  }
}
