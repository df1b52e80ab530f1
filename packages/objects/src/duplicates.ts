import type { Compiled, SourceLocation } from "./compiled.ts";
import { SlipwayError } from "./errors.ts";
import { goQuote } from "./go-quote.ts";
import { formatIdentity, groupOf, type Identity, identityOfCompiled, objectKey } from "./identity.ts";

/** Who rendered one of several objects that are one. */
export interface Producer {
  readonly component: string;
  readonly transformer: string;
  /** As that object has it. */
  readonly apiVersion: string;
  readonly location?: SourceLocation | undefined;
}

export interface Duplicate {
  /** Of the object that was rendered first. */
  readonly identity: Identity;
  /** Two or more, in the order they were rendered. */
  readonly producers: readonly Producer[];
}

export interface DuplicateOptions {
  /** The namespace that apply gives to namespaced objects without one. Without it, none is assumed. */
  readonly defaultNamespace?: string | undefined;
  /** Whether a kind is known to be cluster-wide, so that the default namespace does not concern it. */
  readonly isClusterWide?: ((kind: { readonly group: string; readonly kind: string }) => boolean) | undefined;
}

/**
 * The objects that were rendered more than once, in the order they were first rendered. Two are one when API group,
 * kind, namespace and name agree; the version does not count. What has no kind or no name is skipped.
 */
export function duplicates(
  compiled: Iterable<Compiled | undefined | null>,
  options: DuplicateOptions = {},
): Duplicate[] {
  const claims = new Map<string, { identity: Identity; makers: { identity: Identity; compiled: Compiled }[] }>();
  for (const each of compiled) {
    const identity = each === undefined || each === null ? undefined : identityOfCompiled(each);
    if (identity === undefined || each === undefined || each === null) continue;
    const key = objectKey(withNamespace(identity, options));
    const claim = claims.get(key);
    if (claim === undefined) claims.set(key, { identity, makers: [{ identity, compiled: each }] });
    else claim.makers.push({ identity, compiled: each });
  }
  const rows: Duplicate[] = [];
  for (const { identity, makers } of claims.values()) {
    if (makers.length > 1) rows.push({ identity, producers: makers.map(toProducer) });
  }
  return rows;
}

/** Where the object will be once it is applied. */
function withNamespace(identity: Identity, { defaultNamespace, isClusterWide }: DuplicateOptions): Identity {
  if (identity.namespace !== "" || defaultNamespace === undefined) return identity;
  if (isClusterWide?.({ group: groupOf(identity.apiVersion), kind: identity.kind }) === true) return identity;
  return { ...identity, namespace: defaultNamespace };
}

function toProducer({ identity, compiled }: { identity: Identity; compiled: Compiled }): Producer {
  const { component, transformer, location } = compiled;
  const producer = { component, transformer, apiVersion: identity.apiVersion };
  return location === undefined ? producer : { ...producer, location };
}

/** Rendered objects share an identity: of each only the last would stay in the cluster. */
export class DuplicateIdentitiesError extends SlipwayError {
  override readonly name: string = "DuplicateIdentitiesError";
  readonly duplicates: readonly Duplicate[];

  /** `rows` must not be empty. */
  constructor(rows: readonly Duplicate[], options?: ErrorOptions) {
    const objects = rows.reduce((sum, { producers }) => sum + producers.length, 0);
    const identities = rows.length === 1 ? "one identity" : `${rows.length} identities`;
    const head = `${objects} rendered objects share ${identities}, so the last apply would silently overwrite the first:`;
    super([head, ...rows.map((row) => `  ${describe(row)}`)].join("\n"), { ...options, code: "DUPLICATE_OBJECT" });
    this.duplicates = rows;
  }
}

function describe({ identity, producers }: Duplicate): string {
  const namesVersions = producers.some(({ apiVersion }) => apiVersion !== producers[0]?.apiVersion);
  const names = producers.map((producer) => describeProducer(producer, namesVersions));
  const last = names.pop() ?? "";
  return `${formatIdentity(identity)} rendered by ${names.join(", ")} and ${last}`;
}

function describeProducer({ component, transformer, apiVersion, location }: Producer, namesVersion: boolean): string {
  const version = namesVersion ? ` as ${apiVersion === "" ? "<no apiVersion>" : apiVersion}` : "";
  const place = location === undefined ? "" : ` at ${location.file}:${location.line}`;
  return `component ${goQuote(component)} (${transformer})${version}${place}`;
}
