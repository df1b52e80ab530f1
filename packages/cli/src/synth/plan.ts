import { type Compiled, createYamlFormatter, type JsonValue, newResource, sort } from "@slipway/objects";
import { formatList } from "./json-text.ts";
import type { OutputFile, Synthesis } from "./synthesis.ts";

export type Format = "yaml" | "json";
export type Order = "cdk8s" | "apply";

export interface PlanOptions {
  readonly format: Format;
  readonly order: Order;
}

/** The name of the one file that has everything in the order of apply: that of cdk8s for a file per App. */
const APPLY_FILE = "app.k8s.yaml";

export interface PlannedFile {
  /** Below the folder, with slashes. */
  readonly name: string;
  readonly text: string;
}

/** The files that `syntheses` make in one folder. */
export function planFiles(syntheses: readonly Synthesis[], { format, order }: PlanOptions): PlannedFile[] {
  const files = order === "apply" ? inApplyOrder(syntheses) : syntheses.flatMap((synthesis) => synthesis.files);
  return files.map((file) => {
    if (file.documents === undefined || format === "yaml") return { name: file.name, text: file.text() };
    return { name: file.name.replace(/\.ya?ml$/, ".json"), text: formatList(file.documents) };
  });
}

/** Everything as one text. Files that hold no objects are no part of it. */
export function planStream(syntheses: readonly Synthesis[], { format, order }: PlanOptions): string {
  const files = order === "apply" ? inApplyOrder(syntheses) : syntheses.flatMap((synthesis) => synthesis.files);
  const ofObjects = files.filter(({ documents }) => documents !== undefined);
  if (format === "json") return formatList(ofObjects.flatMap(({ documents }) => documents ?? []));
  return ofObjects
    .map((file) => file.text())
    .filter((text) => text !== "")
    .join("---\n");
}

function inApplyOrder(syntheses: readonly Synthesis[]): OutputFile[] {
  const compiled = [...syntheses.flatMap((synthesis) => synthesis.compile())];
  sort(compiled, kindOf, "ascending");
  const documents = compiled.map(({ value }) => value.toJSON());
  const others = syntheses.flatMap((synthesis) => synthesis.files).filter((file) => file.documents === undefined);
  return [{ name: APPLY_FILE, documents, text: () => formatYaml(documents) }, ...others];
}

function kindOf(compiled: Compiled): { readonly group: string; readonly version: string; readonly kind: string } {
  return newResource(compiled).gvk;
}

function formatYaml(documents: readonly JsonValue[]): string {
  const format = createYamlFormatter({ lenient: true });
  return documents.map(format).join("---\n");
}
