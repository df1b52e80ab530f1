import { Construct, type IConstruct } from "constructs";
import type { Chart } from "./chart.ts";
import { JsonPatch } from "./json-patch.ts";
import { API_OBJECT, isMarked, mark } from "./marker.ts";
import { type ApiObjectMetadata, ApiObjectMetadataDefinition } from "./metadata.ts";
import { isSortDisabled } from "./node/environment.ts";
import { rememberLocation } from "./origin.ts";
import { areBuiltIn, type IResolver, Renderer, resolve } from "./resolve.ts";
import { sanitizeValue } from "./sanitize.ts";
import { findSelfReference } from "./self-reference.ts";
import { chartOf, rootOf } from "./tree.ts";

/** What an object is made of. Members that are not named here go into it as they are. */
export interface ApiObjectProps {
  /**
   * Name, namespace and labels have defaults from the chart.
   * @default - only the defaults
   */
  readonly metadata?: ApiObjectMetadata;
  /** `group/version`, or `version` for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly [key: string]: any;
}

export interface GroupVersionKind {
  /** `group/version`, or `version` for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
}

/** One Kubernetes object. */
export class ApiObject extends Construct {
  private readonly props: ApiObjectProps;
  /** That of the metadata, or the one that the chart generates from the path. */
  readonly name: string;
  readonly apiVersion: string;
  /** `"core"` for the core group. */
  readonly apiGroup: string;
  readonly kind: string;
  /** The nearest chart above. */
  readonly chart: Chart;
  readonly metadata: ApiObjectMetadataDefinition;
  private patches: JsonPatch[] | undefined;

  /** Whether `o` is an object of this or of another copy of the library, cdk8s included. */
  static isApiObject(o: any): o is ApiObject {
    return isMarked(o, API_OBJECT);
  }

  /** `ApiObject` itself recognises objects of other copies of the library, its subclasses only their own. */
  static override [Symbol.hasInstance](o: unknown): o is ApiObject {
    // biome-ignore lint/complexity/noThisInStatic: a subclass that inherits this is the case that matters
    return this === ApiObject ? ApiObject.isApiObject(o) : Function.prototype[Symbol.hasInstance].call(this, o);
  }

  /**
   * The object that `c` is or stands for: itself, or its child with the id `Default` or `Resource`, and so on down.
   * @throws {Error} when there is none, or when it is not clear which child it is.
   */
  static of(c: IConstruct): ApiObject {
    let construct = c;
    while (!ApiObject.isApiObject(construct)) {
      const child = construct.node.defaultChild;
      if (child === undefined) {
        throw new Error(
          `cannot find a (direct or indirect) child of type ApiObject for construct ${construct.node.path}`,
        );
      }
      construct = child;
    }
    return construct;
  }

  /**
   * @throws {Error} when there is no chart above, or `apiVersion` has more than one slash.
   */
  constructor(scope: Construct, id: string, props: ApiObjectProps) {
    super(scope, id);
    this.props = props;
    this.chart = chartOf(this) as Chart;
    this.kind = props.kind;
    this.apiVersion = props.apiVersion;
    this.apiGroup = parseApiGroup(this.apiVersion);
    const { metadata } = props;
    this.name = metadata?.name ?? this.chart.generateObjectName(this);
    this.metadata = new ApiObjectMetadataDefinition(metadata ?? {}, {
      name: metadata !== undefined && metadata !== null && "name" in metadata ? (metadata.name as string) : this.name,
      namespace: metadata?.namespace ?? this.chart.namespace,
      labels: { ...this.chart.labels, ...metadata?.labels },
      apiObject: this,
    });
    if (isTraced(this)) rememberLocation(this);
    mark(this, API_OBJECT);
  }

  /** Has this object come after `dependencies`: objects, or constructs or charts with all objects in them. */
  addDependency(...dependencies: IConstruct[]): void {
    this.node.addDependency(...dependencies);
  }

  /** Operations on the rendered object, after everything else and in the order they were added. */
  addJsonPatch(...ops: JsonPatch[]): void {
    this.patches ??= [];
    for (const op of ops) this.patches.push(op);
  }

  /**
   * The object as it is written: everything resolved, members sorted by name (unless `CDK8S_DISABLE_SORT` is set)
   * without those that are null, patches applied, then `apiVersion`, `kind` and `metadata` first.
   *
   * @throws {Error} when it cannot be rendered; the message names the construct.
   */
  toJson(): any {
    return this.#guard(() => this.#render(this.#collect(), !isSortDisabled()));
  }

  /**
   * What {@link toJson} begins with, when nothing but the built-in resolvers can change it: it is what is written, if it
   * turns out to be data alone. `undefined` when more has to be done.
   * @internal
   */
  collect(): Record<string, unknown> | undefined {
    if (this.toJson !== ApiObject.prototype.toJson || this.patches !== undefined) return undefined;
    return areBuiltIn(resolversOf(this)) ? this.#guard(() => this.#collect()) : undefined;
  }

  /**
   * What {@link toJson} makes of `collected`.
   * @internal
   */
  render(collected: Record<string, unknown>, sortKeys: boolean): any {
    return this.#guard(() => this.#render(collected, sortKeys));
  }

  #collect(): Record<string, unknown> {
    return { ...this.props, metadata: this.metadata.toJson() };
  }

  #render(collected: Record<string, unknown>, sortKeys: boolean): any {
    const json = this.#resolve(collected, sortKeys);
    return leadWithIdentity(this.patches === undefined ? json : JsonPatch.apply(json, ...this.patches));
  }

  #resolve(collected: Record<string, unknown>, sortKeys: boolean): any {
    if (!areBuiltIn(resolversOf(this))) return sanitizeValue(resolve([], collected, this), { sortKeys });
    const renderer = new Renderer({ sortKeys });
    const rendered = renderer.render(collected);
    return renderer.hasForeign ? sanitizeValue(rendered, { sortKeys }) : rendered;
  }

  #guard<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (cause) {
      throw new Error(
        `Failed serializing construct at path '${this.node.path}' with name '${this.name}': ${this.#explain(cause)}`,
        { cause },
      );
    }
  }

  /** A value that contains itself shows as a stack that is too small. */
  #explain(error: unknown): string {
    const path = error instanceof RangeError ? findSelfReference(this.props) : undefined;
    return path === undefined ? String(error) : `${path}: it contains itself`;
  }
}

function resolversOf(construct: IConstruct): readonly IResolver[] {
  return (rootOf(construct) as unknown as { readonly resolvers: readonly IResolver[] }).resolvers;
}

function isTraced(construct: IConstruct): boolean {
  return (construct.node.root as { readonly traces?: unknown }).traces === true;
}

/** @see https://kubernetes.io/docs/reference/using-api/#api-groups */
function parseApiGroup(apiVersion: string): string {
  const parts = apiVersion.split("/");
  if (parts.length === 1) return "core";
  if (parts.length === 2) return parts[0] as string;
  throw new Error(
    `invalid apiVersion ${apiVersion}, expecting GROUP/VERSION. See https://kubernetes.io/docs/reference/using-api/api-overview/#api-groups`,
  );
}

/** Its names are in order for most kinds: `data` is what comes before `kind`. */
function isLed(json: object): boolean {
  const names = Object.keys(json);
  return names[0] === "apiVersion" && names[1] === "kind" && (names[2] === "metadata" || !("metadata" in json));
}

const identityMembers = ["apiVersion", "kind", "metadata"] as const;

/** `apiVersion`, `kind` and `metadata` first, those that are there. */
export function leadWithIdentity(json: any): any {
  if (isLed(json)) return json;
  const result: Record<string, unknown> = {};
  for (const name of identityMembers) {
    if (name in json) result[name] = json[name];
  }
  return Object.assign(result, json);
}
