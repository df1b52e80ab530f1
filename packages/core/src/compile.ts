import { type Compiled, createValue, type JsonValue, parseApiVersion, sort } from "@slipway/objects";
import { hooksOf } from "./helm-hooks.ts";
import { locationOf } from "./origin.ts";
import type { SynthDocument } from "./outputs.ts";
import { transformerOf } from "./transformer.ts";
import { findChart } from "./tree.ts";

/**
 * `documents` with who made them, in the order in which they are applied: by weight, and those of one weight as they
 * come. Hooks of Helm charts are not applied, so they are not among them.
 */
export function compileDocuments(documents: readonly SynthDocument[], instance: string): Compiled[] {
  const objects = documents.filter(({ value }) => value !== undefined && hooksOf(value).length === 0);
  const compiled = objects.map((document) => ({ document, compiled: compileDocument(document, instance) }));
  sort(compiled, ({ document }) => kindOf(document.value), "ascending");
  return compiled.map((each) => each.compiled);
}

function compileDocument({ value, construct }: SynthDocument, instance: string): Compiled {
  const chart = findChart(construct);
  const component =
    chart === undefined || chart === construct
      ? construct.node.id
      : construct.node.path.slice(chart.node.path === "" ? 0 : chart.node.path.length + 1);
  const compiled = {
    value: createValue(value as JsonValue),
    instance,
    component,
    transformer: transformerOf(construct),
  };
  const location = locationOf(construct);
  return location === undefined ? compiled : { ...compiled, location };
}

function kindOf(value: unknown): { readonly group: string; readonly version: string; readonly kind: string } {
  const { apiVersion, kind } = value as { readonly apiVersion?: unknown; readonly kind?: unknown };
  const { group, version } = parseApiVersion(typeof apiVersion === "string" ? apiVersion : "");
  return { group, version, kind: typeof kind === "string" ? kind : "" };
}
