import type { JsonObject, JsonValue, KubernetesObject } from "@slipway/objects";
import type { TableColumns } from "./resource.ts";

/** An age as Kubernetes prints it: `45s`, `3m20s`, `26h`, `2y30d`. */
export function humanDuration(_seconds: number): string {
  throw new Error("not written yet");
}

/** Name and Age: what a kind without printer columns shows. */
export const defaultColumns: TableColumns = { columns: [], cells: () => [] };

/** Name and then `additionalPrinterColumns` of a CustomResourceDefinition version. */
export function printerColumns(_additionalPrinterColumns: JsonValue): TableColumns {
  throw new Error("not written yet");
}

export interface TableOptions {
  readonly now: Date;
  /** Of the list, or of the single object. */
  readonly resourceVersion: string;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
  /** What rows carry beside their cells. @default "Metadata" */
  readonly includeObject?: "Metadata" | "Object" | "None" | undefined;
  /** Leaves the column definitions out, as every event of a watch but the first does. @default false */
  readonly noHeaders?: boolean | undefined;
  /** @default "meta.k8s.io/v1" */
  readonly apiVersion?: string | undefined;
}

/** The Table document of a list, or of one object. */
export function toTable(
  _objects: readonly KubernetesObject[],
  _columns: TableColumns,
  _options: TableOptions,
): JsonObject {
  throw new Error("not written yet");
}

/** The object reduced to its metadata, whose members come in the order of built-in kinds. */
export function toPartialObjectMetadata(_object: KubernetesObject, _apiVersion = "meta.k8s.io/v1"): JsonObject {
  throw new Error("not written yet");
}
