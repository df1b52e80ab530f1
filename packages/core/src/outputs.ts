import type { IConstruct } from "constructs";
import type { ApiObject } from "./api-object.ts";
import { Chart } from "./chart.ts";
import { Names } from "./names.ts";
import { objectsOf } from "./synth.ts";

/** One rendered object. */
export interface SynthDocument {
  readonly value: unknown;
  /** Path of the construct that rendered it: the object, or the chart when that has a `toJson` of its own. */
  readonly path: string;
  /** The construct itself. */
  readonly construct: IConstruct;
}

/** A file to be written. */
export interface SynthOutput {
  /** Below the output folder, with slashes. */
  readonly name: string;
  /** What goes into it, as YAML; none for an empty file. */
  readonly documents: readonly SynthDocument[];
  /** What goes into it instead, as it is. */
  readonly text?: string | undefined;
}

/** What an App writes. */
export interface OutputPlan {
  readonly outputs: readonly SynthOutput[];
  /** Folders that are made even when nothing goes into them. */
  readonly folders: readonly string[];
}

export interface OutputOptions {
  readonly charts: readonly IConstruct[];
  /** Some chart has to be applied after another: the names of files say in which order. */
  readonly isIndexed: boolean;
  readonly extension: string;
  readonly recordConstructMetadata: boolean;
}

type OutputMode = (options: OutputOptions) => OutputPlan;

/** By number of a `YamlOutputType`. Any other number writes nothing, as in cdk8s. */
const modes: readonly OutputMode[] = [filePerApp, filePerChart, filePerResource, folderPerChart];

/** Renders everything, in the order of the charts. */
export function planOutputs(mode: number, options: OutputOptions): OutputPlan {
  const plan = modes[mode]?.(options) ?? { outputs: [], folders: [] };
  if (!options.recordConstructMetadata) return plan;
  return { ...plan, outputs: [...plan.outputs, constructMetadata(options)] };
}

/** What `chart` consists of. A chart that renders itself in its own way is asked, any other is looked into. */
export function renderChart(chart: IConstruct): SynthDocument[] {
  if (rendersItself(chart)) {
    return Object.values(chart.toJson()).map((value) => ({ value, path: chart.node.path, construct: chart }));
  }
  return objectsOf(chart).map(renderObject);
}

function rendersItself(chart: IConstruct): chart is Chart {
  return (chart as Chart).toJson !== Chart.prototype.toJson;
}

function renderObject(object: ApiObject): SynthDocument {
  return { value: object.toJson(), path: object.node.path, construct: object };
}

function filePerApp({ charts, extension }: OutputOptions): OutputPlan {
  if (charts.length === 0) return { outputs: [], folders: [] };
  return { outputs: [{ name: `app${extension}`, documents: charts.flatMap(renderChart) }], folders: [] };
}

function filePerChart(options: OutputOptions): OutputPlan {
  const outputs = options.charts.map((chart, index) => ({
    name: `${chartName(chart, index, options)}${options.extension}`,
    documents: renderChart(chart),
  }));
  return { outputs, folders: [] };
}

function filePerResource({ charts, extension }: OutputOptions): OutputPlan {
  const documents = charts.flatMap(renderChart).filter(({ value }) => value !== undefined);
  const outputs = documents.map((document) => {
    const { kind, metadata } = document.value as { readonly kind: unknown; readonly metadata: { name: unknown } };
    return { name: `${resourceName(kind, metadata.name)}${extension}`, documents: [document] };
  });
  return { outputs, folders: [] };
}

/** Here the names come from the constructs, not from what they render, and a chart's own `toJson` is not asked. */
function folderPerChart(options: OutputOptions): OutputPlan {
  const folders: string[] = [];
  const outputs: SynthOutput[] = [];
  for (const [index, chart] of options.charts.entries()) {
    const folder = chartName(chart, index, options);
    folders.push(folder);
    for (const object of objectsOf(chart)) {
      const name = `${folder}/${resourceName(object.kind, object.metadata.name)}${options.extension}`;
      outputs.push({ name, documents: [renderObject(object)] });
    }
  }
  return { outputs, folders };
}

function chartName(chart: IConstruct, index: number, { isIndexed }: OutputOptions): string {
  const name = Names.toDnsLabel(chart as Chart);
  return isIndexed ? `${String(index).padStart(4, "0")}-${name}` : name;
}

function resourceName(kind: unknown, name: unknown): string {
  return `${kind}.${name}`.replace(/[^0-9a-zA-Z-_.]/g, "");
}

/** Which construct each object comes from, for the tools that ask for it. */
function constructMetadata({ charts }: OutputOptions): SynthOutput {
  const resources: Record<string, { path: string }> = {};
  for (const object of charts.flatMap(objectsOf)) resources[object.name] = { path: object.node.path };
  return { name: "construct-metadata.json", documents: [], text: JSON.stringify({ version: "1.0.0", resources }) };
}
