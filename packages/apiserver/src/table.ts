import {
  getMember,
  goFloat,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type KubernetesObject,
  type MutableJsonObject,
  setMember,
  sortMembers,
} from "@slipway/objects";
import { wireJson } from "./handlers/wire-json.ts";
import { type JsonPath, parseJsonPath } from "./json-path.ts";
import type { TableColumn, TableColumns } from "./resource.ts";
import { parseTimestamp } from "./rfc3339.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/**
 * A duration as Kubernetes prints it, with two or three significant figures: `45s`, `3m20s`, `37m`, `26h`, `2y30d`.
 * Up to two seconds in the future count as now, since clocks differ; more are `<invalid>`.
 */
export function humanDuration(seconds: number): string {
  const whole = Math.trunc(seconds);
  if (!Number.isFinite(whole) || whole < -1) return "<invalid>";
  if (whole < 0) return "0s";
  if (whole < 2 * MINUTE) return `${whole}s`;
  if (whole < 10 * MINUTE) return twoUnits(whole, MINUTE, "m", 1, "s");
  if (whole < 3 * HOUR) return `${Math.floor(whole / MINUTE)}m`;
  if (whole < 8 * HOUR) return twoUnits(whole, HOUR, "h", MINUTE, "m");
  if (whole < 2 * DAY) return `${Math.floor(whole / HOUR)}h`;
  if (whole < 8 * DAY) return twoUnits(whole, DAY, "d", HOUR, "h");
  if (whole < 2 * YEAR) return `${Math.floor(whole / DAY)}d`;
  if (whole < 8 * YEAR) return twoUnits(whole, YEAR, "y", DAY, "d");
  return `${Math.floor(whole / YEAR)}y`;
}

/** The smaller unit is left out when there is none of it. */
function twoUnits(seconds: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${largeName}${rest === 0 ? "" : `${rest}${smallName}`}`;
}

/** What every kube-apiserver sends; clients show it on demand. */
export const nameDescription: string =
  "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

const nameColumn: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description: nameDescription,
  priority: 0,
};

export const ageDescription: string =
  "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/** Age as an entry of {@link printerColumns}. */
export const agePrinterColumn: JsonObject = {
  name: "Age",
  type: "date",
  description: ageDescription,
  jsonPath: ".metadata.creationTimestamp",
};

const ageColumn: TableColumn = {
  name: "Age",
  type: "date",
  format: "",
  description: ageDescription,
  priority: 0,
};

interface PathColumn {
  readonly column: TableColumn;
  /** Absent when the text is no path: then all cells are empty. */
  readonly path: JsonPath | undefined;
}

/** Name and Age: what a kind without printer columns shows. */
export const defaultColumns: TableColumns = nameAnd([
  { column: ageColumn, path: parseJsonPath(".metadata.creationTimestamp") },
]);

/**
 * Name, and then the `additionalPrinterColumns` of a CustomResourceDefinition version; without any, the default columns.
 *
 * A cell is null where its path finds nothing or finds null, or a value that is not of the column's type: a string
 * column shows any value as text, an integer column cuts fractions off, a date column shows the age. Of several
 * values the first counts. Entries without a name or a path are left out.
 */
export function printerColumns(additionalPrinterColumns: JsonValue): TableColumns {
  const raw = isJsonArray(additionalPrinterColumns) ? additionalPrinterColumns : [];
  const columns = raw.filter(isJsonObject).flatMap(readColumn);
  return columns.length === 0 ? defaultColumns : nameAnd(columns);
}

function nameAnd(columns: readonly PathColumn[]): TableColumns {
  return {
    columns: [nameColumn, ...columns.map(({ column }) => column)],
    cells: (object, now) => [
      object.metadata.name ?? "",
      ...columns.map(({ column, path }) => cellOf(column, path?.find(object)[0] ?? null, now)),
    ],
  };
}

const columnTypes: readonly TableColumn["type"][] = ["boolean", "date", "integer", "number", "string"];

function readColumn(raw: JsonObject): readonly PathColumn[] {
  const text = (member: string): string => {
    const value = getMember(raw, member);
    return typeof value === "string" ? value : "";
  };
  const name = text("name");
  const jsonPath = text("jsonPath");
  if (name === "" || jsonPath === "") return [];
  const priority = getMember(raw, "priority");
  const column: TableColumn = {
    name,
    type: columnTypes.find((type) => type === text("type")) ?? "string",
    format: text("format"),
    description: text("description") || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority: typeof priority === "number" ? priority : 0,
  };
  return [{ column, path: parseJsonPath(jsonPath) }];
}

function cellOf({ type }: TableColumn, value: JsonValue, now: Date): JsonValue {
  if (value === null) return null;
  switch (type) {
    case "string":
      return textOf(value);
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? ageOf(value, now) : null;
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : typeof value === "bigint" ? value : null;
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? value : null;
  }
}

function textOf(value: JsonValue): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" && !Number.isSafeInteger(value)) return goFloat(value);
  return wireJson(sortMembers(value));
}

function ageOf(timestamp: string, now: Date): string {
  if (timestamp === "" || timestamp === "null") return "<unknown>";
  const time = parseTimestamp(timestamp);
  return time === undefined ? "<invalid>" : humanDuration((now.getTime() - time) / 1_000);
}

export type IncludeObject = "Metadata" | "Object" | "None";

export interface TableOptions {
  readonly now: Date;
  /** Of the list, or of the single object. */
  readonly resourceVersion: string;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
  /**
   * What rows carry beside their cells.
   * @default "Metadata"
   */
  readonly includeObject?: IncludeObject | undefined;
  /**
   * Leaves the column definitions out, as every event of a watch but the first does.
   * @default false
   */
  readonly noHeaders?: boolean | undefined;
  /**
   * Of the table and of the metadata in its rows.
   * @default "meta.k8s.io/v1"
   */
  readonly apiVersion?: string | undefined;
}

const META_API_VERSION = "meta.k8s.io/v1";

/** The Table document of a list, of a single object, or of a watch event. One row for each object, in their order. */
export function toTable(
  objects: readonly KubernetesObject[],
  columns: TableColumns,
  options: TableOptions,
): JsonObject {
  const { continue: token = "", includeObject = "Metadata", remainingItemCount, resourceVersion } = options;
  const apiVersion = options.apiVersion ?? META_API_VERSION;
  const rowObject = {
    Metadata: (object) => toPartialObjectMetadata(object, apiVersion),
    Object: (object) => object,
    None: () => null,
  } satisfies Record<IncludeObject, (object: KubernetesObject) => JsonValue>;
  return {
    kind: "Table",
    apiVersion,
    metadata: {
      ...(resourceVersion === "" ? {} : { resourceVersion }),
      ...(token === "" ? {} : { continue: token }),
      ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
    },
    columnDefinitions: options.noHeaders === true ? null : columns.columns.map(toColumnDefinition),
    rows: objects.map((object) => ({
      cells: columns.cells(object, options.now),
      object: rowObject[includeObject](object),
    })),
  };
}

function toColumnDefinition({ description, format, name, priority, type }: TableColumn): JsonObject {
  return { name, type, format, description, priority };
}

/**
 * The object reduced to its metadata, whose members come in the order of built-in kinds.
 *
 * Members that metadata does not define are dropped, and so are empty ones.
 *
 * @param apiVersion `meta.k8s.io/v1beta1` for clients that ask for it
 */
export function toPartialObjectMetadata(object: KubernetesObject, apiVersion: string = META_API_VERSION): JsonObject {
  return { kind: "PartialObjectMetadata", apiVersion, metadata: inOrder(object.metadata, metadataMembers) };
}

type MemberOrder = ReadonlyMap<string, "as it is" | "sorted" | MemberOrder>;

const ownerReferenceMembers: MemberOrder = new Map(
  ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"].map((name) => [name, "as it is"]),
);

const managedFieldsMembers: MemberOrder = new Map(
  ["manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"].map((name) => [
    name,
    "as it is",
  ]),
);

const metadataMembers: MemberOrder = new Map<string, "as it is" | "sorted" | MemberOrder>([
  ["name", "as it is"],
  ["generateName", "as it is"],
  ["namespace", "as it is"],
  ["selfLink", "as it is"],
  ["uid", "as it is"],
  ["resourceVersion", "as it is"],
  ["generation", "as it is"],
  ["creationTimestamp", "as it is"],
  ["deletionTimestamp", "as it is"],
  ["deletionGracePeriodSeconds", "as it is"],
  ["labels", "sorted"],
  ["annotations", "sorted"],
  ["ownerReferences", ownerReferenceMembers],
  ["finalizers", "as it is"],
  ["managedFields", managedFieldsMembers],
]);

function inOrder(object: JsonObject, members: MemberOrder): JsonObject {
  const ordered: MutableJsonObject = {};
  for (const [name, order] of members) {
    const value = getMember(object, name);
    if (value === undefined || isEmpty(value)) continue;
    setMember(ordered, name, memberInOrder(value, order));
  }
  return ordered;
}

function memberInOrder(value: JsonValue, order: "as it is" | "sorted" | MemberOrder): JsonValue {
  if (order === "as it is") return value;
  if (order === "sorted") return sortMembers(value);
  return isJsonArray(value) ? value.map((item) => (isJsonObject(item) ? inOrder(item, order) : item)) : value;
}

function isEmpty(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return value === null || value === "";
  return Object.keys(value).length === 0;
}
