import type { IConstruct } from "constructs";
import { type ApiObject, leadWithIdentity } from "./api-object.ts";
import { Chart } from "./chart.ts";
import { Names } from "./names.ts";
import { isSortDisabled } from "./node/environment.ts";
import { sortMembers } from "./resolve.ts";
import { objectsOf } from "./synth.ts";

/** One rendered object. */
export interface SynthDocument {
  readonly value: unknown;
  /** Path of the construct that rendered it: the object, or the chart when that has a `toJson` of its own. */
  readonly path: string;
  /** The construct itself. */
  readonly construct: IConstruct;
}

/** An object that is rendered when its value is asked for, once. */
export class ObjectDocument implements SynthDocument {
  readonly path: string;
  readonly construct: ApiObject;
  /**
   * What the object is made of, the members in the order in which they are written, when it may be data alone: then it is
   * not rendered at all.
   */
  readonly source: Record<string, unknown> | undefined;
  readonly #sortKeys: boolean;
  readonly #collected: Record<string, unknown> | undefined;
  #value: unknown;
  #isRendered = false;

  constructor(construct: ApiObject, sortKeys: boolean) {
    this.path = construct.node.path;
    this.construct = construct;
    this.#sortKeys = sortKeys;
    // Objects of another copy of the library have `toJson` alone.
    this.#collected = typeof construct.collect === "function" ? construct.collect() : undefined;
    this.source = this.#collected === undefined ? undefined : arrange(this.#collected, sortKeys);
  }

  get value(): unknown {
    if (!this.#isRendered) this.#value = this.#render();
    this.#isRendered = true;
    return this.#value;
  }

  #render(): unknown {
    if (this.#collected === undefined) return this.construct.toJson();
    return this.construct.render(this.#collected, this.#sortKeys);
  }
}

function arrange(collected: Record<string, unknown>, sortKeys: boolean): Record<string, unknown> {
  return leadWithIdentity(sortKeys ? sortMembers(collected) : collected);
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

/** A file that is rendered while it is written, so that no more than one object is in memory. */
export interface PlannedOutput extends Pick<SynthOutput, "name" | "text"> {
  /** To be read once, and before the next output is asked for. */
  readonly documents: Iterable<SynthDocument>;
  /** Everything in it is made by objects, not by charts that render themselves in their own way. */
  readonly isOfObjects: boolean;
}

export interface OutputOptions {
  readonly charts: readonly IConstruct[];
  /** Some chart has to be applied after another: the names of files say in which order. */
  readonly isIndexed: boolean;
  readonly extension: string;
  readonly recordConstructMetadata: boolean;
}

type OutputMode = (options: OutputOptions) => Iterable<PlannedOutput>;

/** By number of a `YamlOutputType`. Any other number writes nothing, as in cdk8s. */
const modes: readonly OutputMode[] = [filePerApp, filePerChart, filePerResource, folderPerChart];

/** What an App writes, in the order of the charts. Objects are rendered as it is read, if at all. */
export function* planOutputs(mode: number, options: OutputOptions): Generator<PlannedOutput> {
  yield* modes[mode]?.(options) ?? [];
  if (options.recordConstructMetadata) yield constructMetadata(options);
}

/** Folders that are made even when nothing goes into them. */
export function foldersOf(mode: number, options: OutputOptions): string[] {
  return modes[mode] === folderPerChart ? options.charts.map((chart, index) => chartName(chart, index, options)) : [];
}

/** What `chart` consists of. A chart that renders itself in its own way is asked, any other is looked into. */
function* renderChart(chart: IConstruct): Generator<SynthDocument> {
  if (rendersItself(chart)) {
    for (const value of Object.values(chart.toJson())) yield { value, path: chart.node.path, construct: chart };
  } else {
    const sortKeys = !isSortDisabled();
    for (const object of objectsOf(chart)) yield new ObjectDocument(object, sortKeys);
  }
}

export function* renderCharts(charts: readonly IConstruct[]): Generator<SynthDocument> {
  for (const chart of charts) yield* renderChart(chart);
}

export function rendersItself(chart: IConstruct): chart is Chart {
  return (chart as Chart).toJson !== Chart.prototype.toJson;
}

function filePerApp({ charts, extension }: OutputOptions): PlannedOutput[] {
  if (charts.length === 0) return [];
  const isOfObjects = !charts.some(rendersItself);
  return [{ name: `app${extension}`, documents: renderCharts(charts), isOfObjects }];
}

function* filePerChart(options: OutputOptions): Generator<PlannedOutput> {
  for (const [index, chart] of options.charts.entries()) {
    const name = `${chartName(chart, index, options)}${options.extension}`;
    yield { name, documents: renderChart(chart), isOfObjects: !rendersItself(chart) };
  }
}

function* filePerResource({ charts, extension }: OutputOptions): Generator<PlannedOutput> {
  for (const chart of charts) {
    for (const document of renderChart(chart)) {
      if (document.value === undefined) continue;
      const { kind, metadata } = document.value as { readonly kind: unknown; readonly metadata: { name: unknown } };
      const name = `${resourceName(kind, metadata.name)}${extension}`;
      yield { name, documents: [document], isOfObjects: !rendersItself(chart) };
    }
  }
}

/** Here the names come from the constructs, not from what they render, and a chart's own `toJson` is not asked. */
function* folderPerChart(options: OutputOptions): Generator<PlannedOutput> {
  for (const [index, chart] of options.charts.entries()) {
    const folder = chartName(chart, index, options);
    const sortKeys = !isSortDisabled();
    for (const object of objectsOf(chart)) {
      const name = `${folder}/${resourceName(object.kind, object.metadata.name)}${options.extension}`;
      yield { name, documents: [new ObjectDocument(object, sortKeys)], isOfObjects: true };
    }
  }
}

function chartName(chart: IConstruct, index: number, { isIndexed }: OutputOptions): string {
  const name = Names.toDnsLabel(chart as Chart);
  return isIndexed ? `${String(index).padStart(4, "0")}-${name}` : name;
}

function resourceName(kind: unknown, name: unknown): string {
  return `${kind}.${name}`.replace(/[^0-9a-zA-Z-_.]/g, "");
}

/** Which construct each object comes from, for the tools that ask for it. */
function constructMetadata({ charts }: OutputOptions): PlannedOutput {
  const resources: Record<string, { path: string }> = {};
  for (const object of charts.flatMap(objectsOf)) resources[object.name] = { path: object.node.path };
  const text = JSON.stringify({ version: "1.0.0", resources });
  return { name: "construct-metadata.json", documents: [], isOfObjects: true, text };
}
