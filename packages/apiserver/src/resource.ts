import type { JsonObject, JsonValue, KubernetesObject } from "@slipway/objects";
import type { RestStorage } from "./registry/rest.ts";
import type { StructuralSchema } from "./schema/structural.ts";

export interface ResourceNames {
  readonly kind: string;
  /** @default `<kind>List` */
  readonly listKind?: string | undefined;
  /** Lower case: the name in the URL. */
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
}

export interface TableColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format: string;
  readonly description: string;
  /** 0 is shown by default, more only with `-o wide`. */
  readonly priority: number;
}

export interface TableColumns {
  readonly columns: readonly TableColumn[];
  /** One cell per column. */
  readonly cells: (object: KubernetesObject, now: Date) => readonly JsonValue[];
}

/** What bodies and answers of an address are: objects of a kind, with what is needed to read and to show them. */
export interface ObjectForm {
  readonly group: string;
  readonly version: string;
  readonly names: ResourceNames;
  readonly namespaced: boolean;
  /**
   * What a body may hold beside apiVersion, kind and metadata. Unknown fields are dropped and reported as
   * `fieldValidation` asks; nulls that the schema does not allow are dropped. Absent: everything is kept.
   */
  readonly schema?: StructuralSchema | undefined;
  /** The schemas of all versions of a custom kind, this one's too, by version. @default only this version is known */
  readonly versions?: ReadonlyMap<string, StructuralSchema> | undefined;
  /**
   * The message of Kubernetes that the kind is, `core.v1.Secret`: it is read from protobuf too, and changed by strategic
   * merge patches. Absent for all other kinds.
   */
  readonly message?: string | undefined;
  /** How bodies without apiVersion and kind are read: `fill` takes them from the URL, `refuse` is a 400. */
  readonly missingKind: "fill" | "refuse";
  /** The refusal of a body that is of another kind or cannot be read. @default it says why */
  readonly bodyRefusal?: string | undefined;
  /** Member order of answers: `sorted` as custom resources have it, `typed` as built-in kinds have it. */
  readonly order: "sorted" | "typed";
  readonly table?: TableColumns | undefined;
}

/** What stands below the address of an object: `/status`, `/scale`, `/finalize`. */
export interface Subresource {
  /** Lower case: the last part of the address. */
  readonly name: string;
  /** Of bodies and answers. @default that of the resource */
  readonly form?: ObjectForm | undefined;
  readonly storage: RestStorage;
  /** In alphabetical order. A patch is an update computed by the server. */
  readonly verbs: readonly ("get" | "patch" | "update")[];
}

/** One kind in one version, as the server offers it. */
export interface Resource extends ObjectForm {
  readonly storage: RestStorage;
  /** Behind `/status`; absent: no such subresource. */
  readonly statusStorage?: RestStorage | undefined;
  /** Behind `/scale`, in autoscaling/v1 Scale; see `scaleStorage`. Absent: no such subresource. */
  readonly scaleStorage?: RestStorage | undefined;
  /** Beside status and scale. @default none */
  readonly subresources?: readonly Subresource[] | undefined;
  /** Whether a PUT of a name that is not there creates the object. @default false: it is 404 */
  /** Whether a deletion answers with the object that is gone, and not with a Status about it. @default false */
  readonly returnsDeleted?: boolean | undefined;
  readonly createOnUpdate?: boolean | undefined;
  /** The version in which objects are stored; discovery shows a hash of it. Absent: nothing is said about it. */
  readonly storageVersion?: string | undefined;
  /** Field selectors beyond those of metadata, for OpenAPI: `spec.mode`. The storage does the selecting. */
  readonly selectableFields?: readonly string[] | undefined;
  /** Also puts explicit `group` and `version` in the discovery entry, as aggregated servers do. */
  readonly explicitGroupVersion?: boolean | undefined;
  /** Sent as a warning with every answer about the kind. */
  readonly deprecationWarning?: string | undefined;
  readonly openApi: {
    /** Key below `components.schemas`: reversed domain, dots only, `io.example.apps.v1.Widget`. */
    readonly schemaName: string;
    /** Schema of the whole object without metadata; the server adds apiVersion, kind, metadata and the kind's mark. */
    readonly schema: JsonObject;
    /** Further named schemas that `schema` refers to. */
    readonly definitions?: Readonly<Record<string, JsonObject>> | undefined;
  };
}
