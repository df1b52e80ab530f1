import {
  dns1123Subdomain,
  type FieldError,
  goQuote,
  type KubernetesObject,
  type MutableJsonObject,
} from "@slipway/objects";
import { applyDefaults } from "../schema/defaults.ts";
import { validateEmbedded } from "../schema/embedded.ts";
import { validateListTypes } from "../schema/list-types.ts";
import type { StructuralSchema } from "../schema/structural.ts";
import { validateKeywords } from "../schema/validate.ts";
import { embeddedMetadataErrors, type NameRule } from "./metadata.ts";
import { type ScalePaths, scaleErrors } from "./scale.ts";

/** The rules of one kind. Objects given are never changed; a function returns its argument when there is nothing to do. */
export interface Strategy {
  readonly name: NameRule;
  /** Whether an update without a resourceVersion takes the present one instead of being refused. */
  readonly unconditionalUpdate: boolean;
  /**
   * `counted`: 1 at first, one more with each change outside metadata. `kept`: this endpoint does not change it.
   * `none`: the kind has none, as some built-in kinds.
   */
  readonly generation: "counted" | "kept" | "none";
  /** What the server decides about a new object beside its metadata, such as a status that is not the client's. */
  prepareForCreate(object: KubernetesObject): KubernetesObject;
  /** The same for a changed object, whose metadata is settled already. */
  prepareForUpdate(object: KubernetesObject, old: KubernetesObject): KubernetesObject;
  /** Whether something beside finalizers holds a deleted object, as `spec.finalizers` holds a namespace. */
  isHeld(object: KubernetesObject): boolean;
  /** What a deletion marks beside the metadata of a held object. */
  prepareForDeletion(object: KubernetesObject): KubernetesObject;
  /** Fills in defaults; also applied to what is read from storage. */
  applyDefaults(object: KubernetesObject): KubernetesObject;
  /** Whether the schema has validation rules beside its keywords: an invalid object then is not checked by them. */
  readonly hasRules: boolean;
  /** What a client should know although the write succeeds. */
  warnings(object: KubernetesObject, old: KubernetesObject | undefined): readonly string[];
  validate(object: KubernetesObject): readonly FieldError[];
  validateUpdate(object: KubernetesObject, old: KubernetesObject): readonly FieldError[];
  /** The same where only the status can change. */
  validateStatusUpdate(object: KubernetesObject, old: KubernetesObject): readonly FieldError[];
}

export interface CustomResourceRules {
  /** Objects of others are refused. @default any may come */
  readonly kind?: string | undefined;
  readonly schema?: StructuralSchema | undefined;
  /** Whether there is a `/status`, so that the main endpoint does not write it. */
  readonly statusSubresource: boolean;
  /** Where a `/scale` keeps its numbers. @default there is none */
  readonly scale?: ScalePaths | undefined;
}

function withoutMember(object: KubernetesObject, name: string): KubernetesObject {
  if (!Object.hasOwn(object, name)) return object;
  const { [name]: _, ...rest } = object;
  return rest as KubernetesObject;
}

/** `object` with the member `name` as `from` has it: set, replaced or absent. */
export function withMemberOf(object: KubernetesObject, name: string, from: KubernetesObject): KubernetesObject {
  const value = from[name];
  return value === undefined ? withoutMember(object, name) : { ...object, [name]: value };
}

/** What a custom resource does in kube-apiserver (apiextensions' customResourceStrategy). */
export function customResourceStrategy({ kind, schema, statusSubresource, scale }: CustomResourceRules): Strategy {
  // Of another kind only what is embedded, and lists, are looked at.
  const kindErrors = (object: KubernetesObject): FieldError[] =>
    kind === undefined || object.kind === kind
      ? []
      : [{ type: "FieldValueInvalid", field: "kind", value: object.kind, detail: `must be ${kind}` }];
  const ownErrors = (object: KubernetesObject, old?: KubernetesObject): FieldError[] => [
    ...(schema === undefined ? [] : validateKeywords(object, schema, "", { old })),
    ...(scale === undefined ? [] : scaleErrors(object, scale, ["spec", "status"])),
  ];
  const orKind = (object: KubernetesObject, errors: () => FieldError[]): FieldError[] => {
    const foreign = kindErrors(object);
    return foreign.length > 0 ? foreign : errors();
  };
  const check = (object: KubernetesObject, old?: KubernetesObject): FieldError[] => [
    ...orKind(object, () => ownErrors(object, old)),
    ...(schema === undefined ? [] : validateEmbedded(object, schema, "", embeddedMetadataErrors)),
  ];
  const status = schema?.properties.get("status");
  return {
    name: dns1123Subdomain,
    unconditionalUpdate: false,
    generation: "counted",
    prepareForCreate: (object) => (statusSubresource ? withoutMember(object, "status") : object),
    prepareForUpdate: (object, old) => (statusSubresource ? withMemberOf(object, "status", old) : object),
    isHeld: () => false,
    prepareForDeletion: (object) => object,
    applyDefaults: (object) =>
      schema === undefined || kindErrors(object).length > 0
        ? object
        : (applyDefaults(object, schema) as KubernetesObject),
    hasRules: schema !== undefined && hasValidationRules(schema),
    warnings: finalizerWarnings,
    validate: (object) => [...check(object), ...listTypeErrors(object, schema)],
    validateUpdate: (object, old) => [...check(object, old), ...newListTypeErrors(object, old, schema)],
    validateStatusUpdate: (object, old) => [
      ...orKind(object, () => [
        // Alone, as Kubernetes does it: what is wrong elsewhere does not matter, and sentences begin at the status.
        ...(status === undefined || object.status === undefined
          ? []
          : validateKeywords(object.status, status, "", { under: "status", old: old.status })),
        ...(scale === undefined ? [] : scaleErrors(object, scale, ["status"])),
      ]),
      ...newListTypeErrors(object, old, schema),
    ],
  };
}

function listTypeErrors(object: KubernetesObject, schema: StructuralSchema | undefined): FieldError[] {
  return schema === undefined ? [] : validateListTypes(object, schema, "");
}

/** An object that has such errors already may keep them, and get others. */
function newListTypeErrors(
  object: KubernetesObject,
  old: KubernetesObject,
  schema: StructuralSchema | undefined,
): FieldError[] {
  const errors = listTypeErrors(object, schema);
  return errors.length === 0 || listTypeErrors(old, schema).length > 0 ? [] : errors;
}

/** Whether CEL rules stand anywhere in the schema. */
function hasValidationRules(schema: StructuralSchema): boolean {
  const { validations, items, properties, additionalProperties } = schema;
  return (
    validations.length > 0 ||
    (items !== undefined && hasValidationRules(items)) ||
    [...properties.values()].some(hasValidationRules) ||
    (typeof additionalProperties === "object" && hasValidationRules(additionalProperties))
  );
}

/** Finalizers without a domain clash with those of others; known ones are not told again. */
function finalizerWarnings({ metadata }: KubernetesObject, old: KubernetesObject | undefined): readonly string[] {
  const known = new Set(["orphan", "foregroundDeletion", "kubernetes", ...(old?.metadata.finalizers ?? [])]);
  return (metadata.finalizers ?? [])
    .filter((finalizer) => !finalizer.includes("/") && !known.has(finalizer))
    .map((finalizer) => {
      const path = finalizer.includes(".") ? " including a path (/)" : "";
      return (
        `metadata.finalizers: ${goQuote(finalizer)}: prefer a domain-qualified finalizer name${path} to avoid accidental ` +
        "conflicts with other finalizer writers"
      );
    });
}

/** The `/status` endpoint over `main`: takes the status of a request and nothing else. */
export function statusStrategy(main: Strategy): Strategy {
  return {
    ...main,
    validateUpdate: main.validateStatusUpdate,
    generation: main.generation === "none" ? "none" : "kept",
    prepareForUpdate: (object, old) => {
      const next: MutableJsonObject = { ...withMemberOf(old, "status", object) };
      // The lock of the request stays, everything else in metadata is what is stored.
      next.metadata = { ...old.metadata, resourceVersion: object.metadata.resourceVersion };
      return next as KubernetesObject;
    },
  };
}
