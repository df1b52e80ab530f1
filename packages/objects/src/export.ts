import { SlipwayError } from "./errors.ts";
import { formatJson, type JsonObject } from "./json.ts";
import { findJsonProblem } from "./json-problem.ts";
import { decodeObject, type Resource } from "./resource.ts";

/** What one resource exported. It holds no value, so it pins nothing. */
export interface Exported {
  /** As the value emitted it, members in its order. */
  readonly json: string;
  /** Decoded from `json`. */
  readonly object: JsonObject;
  readonly instance: string;
  readonly component: string;
  readonly transformer: string;
}

/** `marshal`: the value would not export. `decode`: what it exported is no object. */
export type ExportStep = "marshal" | "decode";

const stepNames = { decode: "json decode", marshal: "value export" } as const satisfies Record<ExportStep, string>;

/** The first resource that could not be exported. */
export class ExportError extends SlipwayError {
  override readonly name: string = "ExportError";
  /** Among the resources given, from 0. */
  readonly index: number;
  /** `Kind/namespace/name`; `<nil>` for a missing resource, `<no value>` for one without a value. */
  readonly resource: string;
  readonly step: ExportStep;

  constructor(options: {
    readonly index: number;
    readonly resource: string;
    readonly step: ExportStep;
    readonly cause: unknown;
  }) {
    const { index, resource, step, cause } = options;
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`export resource ${index} (${resource}): ${stepNames[step]}: ${reason}`, { code: "EXPORT_FAILED", cause });
    this.index = index;
    this.resource = resource;
    this.step = step;
  }
}

/**
 * Exports each resource exactly once, in input order: one result per input. Digest, apply and inventory all read these.
 * @throws {ExportError} at the first that fails.
 */
export function exportResources(resources: readonly (Resource | undefined | null)[]): Exported[] {
  return Array.from(resources, exportResource); // unlike map, it sees the holes
}

function exportResource(resource: Resource | undefined | null, index: number): Exported {
  const fail = (summary: string, step: ExportStep, cause: unknown): ExportError =>
    new ExportError({ index, resource: summary, step, cause });
  if (resource === undefined || resource === null) throw fail("<nil>", "marshal", new Error("nil resource"));
  const { value, instance, component, transformer } = resource;
  if (value === undefined || value === null) throw fail("<no value>", "marshal", new Error("resource has no value"));
  let json: string;
  try {
    json = marshal(resource);
  } catch (cause) {
    throw fail(resource.toString(), "marshal", cause);
  }
  try {
    return { json, object: decodeObject(json), instance, component, transformer };
  } catch (cause) {
    throw fail(resource.toString(), "decode", cause);
  }
}

/** `JSON.stringify` would make null of what is no JSON value. */
function marshal({ value }: Resource): string {
  const json = value.toJSON();
  const problem = findJsonProblem(json);
  if (problem === undefined) return formatJson(json);
  const { path, fact } = problem;
  throw new SlipwayError(path === "" ? fact : `${path}: ${fact}`, { code: "INVALID_VALUE" });
}
