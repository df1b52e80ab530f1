import { byCodeUnit } from "@slipway/objects";
import type { ApiObject } from "./api-object.ts";
import { areBuiltIn, areInOrder, type IResolver, Renderer, resolve } from "./resolve.ts";
import { sanitizeValue, setOwn } from "./sanitize.ts";
import { rootOf } from "./tree.ts";

/** Metadata of an object. Members that are not named here go into the object as they are. */
export interface ApiObjectMetadata {
  /**
   * Unique within the namespace. Cannot be changed once the object is in a cluster.
   * @default - generated from the path of the construct
   */
  readonly name?: string;
  /**
   * For tools, not for selecting.
   * @default - none
   */
  readonly annotations?: { [key: string]: string };
  /**
   * For selecting, together with those of the chart.
   * @default - those of the chart
   */
  readonly labels?: { [key: string]: string };
  /**
   * @default - that of the chart
   */
  readonly namespace?: string;
  /**
   * What must be done before the object is gone.
   * @default - none
   */
  readonly finalizers?: string[];
  /**
   * When all of these are gone, the object is deleted.
   * @default - none
   */
  readonly ownerReferences?: OwnerReference[];
  readonly [key: string]: any;
}

export interface ApiObjectMetadataDefinitionOptions extends ApiObjectMetadata {
  /** The object that this is the metadata of: its App's resolvers apply. */
  readonly apiObject: ApiObject;
}

/** Another object that this one belongs to, in the same namespace or cluster-wide. */
export interface OwnerReference {
  readonly apiVersion: string;
  /**
   * Whether the owner, deleted in the foreground, stays until this object is gone.
   * @default false
   */
  readonly blockOwnerDeletion?: boolean;
  /**
   * Whether the owner is the one controller of this object.
   * @default - unset
   */
  readonly controller?: boolean;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** What an object knows about its metadata when it is made. Its labels are its own. */
export interface OwnMetadata {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly labels: { [key: string]: string };
  readonly apiObject: ApiObject;
}

/**
 * Metadata that a program may add to until the object is rendered. Apps have many of these, and most have labels alone:
 * what is not there is not made.
 */
export class ApiObjectMetadataDefinition {
  readonly name?: string;
  readonly namespace?: string;
  private readonly labels: { [key: string]: string };
  private annotations: { [key: string]: string } | undefined;
  private finalizers: string[] | undefined;
  private ownerReferences: OwnerReference[] | undefined;
  private readonly apiObject: ApiObject;
  /** Members without a method of their own, among the others: those count for their place alone. */
  private readonly _additionalAttributes: { [key: string]: any };
  /** Some have no method of their own; these attributes are a copy then. */
  readonly #hasAdditional: boolean;
  #added: { [key: string]: any } | undefined;
  /** The name comes first, and namespace and labels after what the program gave. */
  readonly #isOwn: boolean;

  /**
   * `options` is not changed, and changes to its collections do not count later.
   */
  constructor(options: ApiObjectMetadataDefinitionOptions);
  /** @internal */
  constructor(options: ApiObjectMetadata, own: OwnMetadata);
  constructor(options: ApiObjectMetadata, own?: OwnMetadata) {
    const { name, namespace, apiObject } = own ?? (options as ApiObjectMetadataDefinitionOptions);
    const { annotations, finalizers, ownerReferences } = options;
    if (name !== undefined) this.name = name;
    this.labels = own?.labels ?? { ...options.labels };
    this.annotations = annotations ? { ...annotations } : undefined;
    if (namespace !== undefined) this.namespace = namespace;
    this.finalizers = finalizers ? [...finalizers] : undefined;
    this.ownerReferences = ownerReferences ? [...ownerReferences] : undefined;
    this.apiObject = apiObject;
    this.#isOwn = own !== undefined;
    this.#hasAdditional = hasAdditionalMembers(options);
    this._additionalAttributes = this.#hasAdditional ? { ...options } : options;
  }

  /** A label of the same key is replaced. */
  addLabel(key: string, value: string): void {
    this.labels[key] = value;
  }

  getLabel(key: string): string | undefined {
    return this.labels[key];
  }

  /** An annotation of the same key is replaced. */
  addAnnotation(key: string, value: string): void {
    this.annotations ??= {};
    this.annotations[key] = value;
  }

  addFinalizers(...finalizers: string[]): void {
    this.finalizers ??= [];
    for (const finalizer of finalizers) this.finalizers.push(finalizer);
  }

  addOwnerReference(owner: OwnerReference): void {
    this.ownerReferences ??= [];
    this.ownerReferences.push(owner);
  }

  /** Sets a member that has no method of its own. Those that have one cannot be changed with this. */
  add(key: string, value: any): void {
    this.#added ??= {};
    this.#added[key] = value;
  }

  /**
   * The metadata with its members in the order of their names, without those that are null, empty lists or empty maps;
   * `undefined` when nothing is left.
   */
  toJson(): any {
    const { resolvers } = rootOf(this.apiObject) as unknown as { readonly resolvers: readonly IResolver[] };
    if (!areBuiltIn(resolvers)) return sanitize(resolve([], this.#members(), this.apiObject));
    if (this.#isPlain()) return this.#plainMembers();
    const renderer = new Renderer({ sortKeys: true, dropEmpty: true });
    const rendered = renderer.render(this.#members());
    return renderer.hasForeign ? sanitize(rendered) : rendered;
  }

  /** In the order in which resolvers get to see them. */
  #members(): Record<string, unknown> {
    const { name, namespace, labels } = this;
    const given = this.#given();
    return {
      ...(this.#isOwn ? { name, ...given, namespace, labels } : given),
      ...this.#added,
      name,
      namespace,
      annotations: this.annotations ?? {},
      finalizers: this.finalizers ?? [],
      ownerReferences: this.ownerReferences ?? [],
      labels,
    };
  }

  /** What the caller has added to its options since does not count. */
  #given(): Record<string, unknown> {
    const given: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(this._additionalAttributes)) {
      if (key !== "apiObject" && (this.#hasAdditional || ownMembers.has(key))) setOwn(given, key, value);
    }
    return given;
  }

  /** Most metadata is text alone, and needs neither resolving nor cleaning. */
  #isPlain(): boolean {
    if (this.#hasAdditional || this.#added !== undefined) return false;
    return (
      isText(this.name) &&
      isText(this.namespace) &&
      this.finalizers === undefined &&
      this.ownerReferences === undefined &&
      hasOnlyTexts(this.labels) &&
      (this.annotations === undefined || hasOnlyTexts(this.annotations))
    );
  }

  #plainMembers(): Record<string, unknown> | undefined {
    const result: Record<string, unknown> = {};
    const annotations = this.annotations === undefined ? undefined : sortedMembers(this.annotations);
    if (annotations !== undefined) result.annotations = annotations;
    const labels = sortedMembers(this.labels);
    if (labels !== undefined) result.labels = labels;
    if (this.name !== undefined && this.name !== null) result.name = this.name;
    if (this.namespace !== undefined && this.namespace !== null) result.namespace = this.namespace;
    return Object.keys(result).length === 0 ? undefined : result;
  }
}

const ownMembers: ReadonlySet<string> = new Set([
  "annotations",
  "apiObject",
  "finalizers",
  "labels",
  "name",
  "namespace",
  "ownerReferences",
]);

function hasAdditionalMembers(options: object): boolean {
  for (const name in options) if (!ownMembers.has(name)) return true;
  return false;
}

function isText(value: unknown): boolean {
  return typeof value === "string" || value === undefined || value === null;
}

function hasOnlyTexts(map: Readonly<Record<string, unknown>>): boolean {
  for (const name in map) if (typeof map[name] !== "string") return false;
  return true;
}

function sortedMembers(map: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const names = Object.keys(map);
  if (names.length === 0) return undefined;
  const result: Record<string, unknown> = {};
  for (const name of areInOrder(names) ? names : names.sort(byCodeUnit)) setOwn(result, name, map[name]);
  return result;
}

function sanitize(metadata: unknown): unknown {
  return sanitizeValue(metadata, { filterEmptyObjects: true, filterEmptyArrays: true });
}
