import type { Compiled } from "@slipway/objects";
import { Construct, type IConstruct } from "constructs";
import type { Chart } from "./chart.ts";
import { CheckedWriter } from "./checked-writer.ts";
import { ProblemSearch } from "./checks.ts";
import { compileDocuments } from "./compile.ts";
import { CHART, isMarked } from "./marker.ts";
import { isTraceRequested, outdirFromEnvironment, recordsConstructMetadata } from "./node/environment.ts";
import { writeFiles } from "./node/output.ts";
import { report } from "./node/report.ts";
import { declaredDependencies, impliedDependencies, type OrderOptions, orderConstructs } from "./order.ts";
import {
  foldersOf,
  type OutputOptions,
  planOutputs,
  renderCharts,
  rendersItself,
  type SynthDocument,
  type SynthOutput,
} from "./outputs.ts";
import { type Checks, formatWarnings, type SynthProblem, severityOf, synthError } from "./problem.ts";
import { ImplicitTokenResolver, type IResolver, LazyResolver, NumberStringUnionResolver } from "./resolve.ts";
import { synthChart, validate } from "./synth.ts";
import { findAll, rootOf } from "./tree.ts";

/** Which files an App writes. */
export type YamlOutputType = 0 | 1 | 2 | 3;

export const YamlOutputType: {
  /** Everything in `app.k8s.yaml`. */
  readonly FILE_PER_APP: 0;
  /** `<chart>.k8s.yaml` for each chart. */
  readonly FILE_PER_CHART: 1;
  /** `<kind>.<name>.k8s.yaml` for each object. */
  readonly FILE_PER_RESOURCE: 2;
  /** `<chart>/<kind>.<name>.k8s.yaml` for each object. */
  readonly FOLDER_PER_CHART_FILE_PER_RESOURCE: 3;
  readonly 0: "FILE_PER_APP";
  readonly 1: "FILE_PER_CHART";
  readonly 2: "FILE_PER_RESOURCE";
  readonly 3: "FOLDER_PER_CHART_FILE_PER_RESOURCE";
} = Object.freeze({
  FILE_PER_APP: 0,
  FILE_PER_CHART: 1,
  FILE_PER_RESOURCE: 2,
  FOLDER_PER_CHART_FILE_PER_RESOURCE: 3,
  0: "FILE_PER_APP",
  1: "FILE_PER_CHART",
  2: "FILE_PER_RESOURCE",
  3: "FOLDER_PER_CHART_FILE_PER_RESOURCE",
});

export interface AppProps {
  /**
   * Folder that {@link App.synth} writes to, made when it is not there.
   * @default - CDK8S_OUTDIR, or "dist"
   */
  readonly outdir?: string;
  /**
   * End of each file's name.
   * @default ".k8s.yaml"
   */
  readonly outputFileExtension?: string;
  /**
   * @default YamlOutputType.FILE_PER_CHART
   */
  readonly yamlOutputType?: YamlOutputType;
  /**
   * Write `construct-metadata.json` as well, with the path of the construct of each object.
   * @default - whether CDK8S_RECORD_CONSTRUCT_METADATA is "true"
   */
  readonly recordConstructMetadata?: boolean;
  /**
   * Asked before the built-in resolvers, in this order.
   * @default - none
   */
  readonly resolvers?: IResolver[];
  /**
   * What is done about each kind of problem that {@link App.synth} and {@link App.synthYaml} look for.
   * @default - what would be lost is an error, what a cluster would refuse is a warning
   */
  readonly checks?: Checks;
  /**
   * Remember the line of the program that made each object, for messages. It costs some microseconds for each.
   * @default - whether SLIPWAY_TRACE is set
   */
  readonly trace?: boolean;
}

/** What `slipway synth` gets from a program, instead of files. */
export interface SynthRun {
  readonly version: 1;
  /** Name of the App. */
  readonly instance: string;
  readonly outdir: string;
  readonly outputs: readonly SynthOutput[];
  /** Folders that are made even when nothing goes into them. */
  readonly folders: readonly string[];
  readonly problems: readonly SynthProblem[];
  readonly recordsConstructMetadata: boolean;
  compile(): Compiled[];
}

/** Whoever runs the program and wants what it synthesises: see {@link App.synth}. */
const SYNTH_HOST: unique symbol = Symbol.for("slipway.synth.host");

interface SynthHost {
  receive(run: SynthRun): void;
}

/** An App has no name of its own. */
const INSTANCE = "app";

/** The root of a tree of constructs. It writes what the charts in it consist of. */
export class App extends Construct {
  readonly outdir: string;
  readonly outputFileExtension: string;
  readonly yamlOutputType: YamlOutputType;
  /** Asked in this order for each value of each object. */
  readonly resolvers: IResolver[];
  private readonly recordConstructMetadata: boolean;
  /** @internal */
  readonly checks: Checks | undefined;
  /** @internal */
  readonly traces: boolean;
  /** @internal */
  readonly orderOptions: OrderOptions;
  /** @internal */
  isValidated: boolean = false;

  /** What {@link Chart.toJson} does when it is not overridden. */
  static _synthChart(chart: Chart): any[] {
    return synthChart(chart);
  }

  /** The root of the tree of `c`, whatever it is. */
  static of(c: IConstruct): App {
    return rootOf(c) as App;
  }

  constructor(props: AppProps = {}) {
    super(undefined as unknown as Construct, "");
    this.outdir = props.outdir ?? outdirFromEnvironment() ?? "dist";
    this.outputFileExtension = props.outputFileExtension ?? ".k8s.yaml";
    this.yamlOutputType = props.yamlOutputType ?? YamlOutputType.FILE_PER_CHART;
    this.recordConstructMetadata = props.recordConstructMetadata ?? recordsConstructMetadata();
    this.resolvers = [
      ...(props.resolvers ?? []),
      new LazyResolver(),
      new ImplicitTokenResolver(),
      new NumberStringUnionResolver(),
    ];
    this.checks = props.checks;
    this.traces = props.trace ?? isTraceRequested();
    this.orderOptions = { ignoreSelf: severityOf("DEPENDENCY_CYCLE", props.checks) === "ignore" };
  }

  /**
   * The charts of this App, those that others depend on first. Only what was declared to depend on something counts.
   * @throws {SlipwayError} `DEPENDENCY_CYCLE`.
   */
  get charts(): Chart[] {
    return orderConstructs(declaredDependencies(this, this.orderOptions)).filter(isChart);
  }

  /**
   * Validates all constructs and writes the files of all charts. They are complete or not there: a failure leaves those
   * of an earlier run as they were. Problems that are warnings are reported on stderr.
   *
   * A program that is run by something that has put a host at `Symbol.for("slipway.synth.host")` of `globalThis`
   * writes nothing: the host gets what would have been written, and all problems.
   *
   * @throws {SlipwayError} `DEPENDENCY_CYCLE`, or with the code of the first of all problems that are errors.
   * @throws {Error} when a construct is not valid, or an object cannot be rendered; the message names it.
   */
  synth(): void {
    const constructs = findAll(this);
    validate(constructs);
    const dependencies = impliedDependencies(constructs, this.orderOptions);
    const options = {
      charts: orderConstructs(dependencies).filter(isChart),
      isIndexed: dependencies.hasDependentCharts,
      extension: this.outputFileExtension,
      recordConstructMetadata: this.recordConstructMetadata,
    };
    const host = (globalThis as { readonly [SYNTH_HOST]?: SynthHost })[SYNTH_HOST];
    this.#asValidated(() => (host === undefined ? this.#write(options) : host.receive(this.#runFor(options))));
  }

  /**
   * All objects of all charts, as one text.
   * @throws as {@link synth}.
   */
  synthYaml(): string {
    const charts = this.#chartsForText();
    const writer = new CheckedWriter(this.checks);
    const areOfObjects = !charts.some(rendersItself);
    const chunks = this.#asValidated(() => [...writer.format(renderCharts(charts), areOfObjects)]);
    settle(writer.findProblems());
    return chunks.join("");
  }

  /**
   * All objects of all charts with who made them, in the order in which they are applied: by weight, and those of one
   * weight in the order in which they are written. Hooks of Helm charts are left out. Writes nothing, and checks nothing
   * but what stands in the way of an order.
   *
   * @throws as {@link synth}, but for what only writing would show.
   */
  compile(): Compiled[] {
    const charts = this.#chartsForText();
    return this.#asValidated(() => compileDocuments([...renderCharts(charts)], INSTANCE));
  }

  /** Validation comes after dependencies here, as in cdk8s. */
  #chartsForText(): Chart[] {
    const constructs = findAll(this);
    const dependencies = impliedDependencies(constructs, this.orderOptions);
    validate(constructs);
    return orderConstructs(dependencies).filter(isChart);
  }

  /** Charts that render themselves come back to this App, which then need not validate once more. */
  #asValidated<Result>(work: () => Result): Result {
    this.isValidated = true;
    try {
      return work();
    } finally {
      this.isValidated = false;
    }
  }

  #write(options: OutputOptions): void {
    const writer = new CheckedWriter(this.checks);
    writeFiles(this.outdir, writer.write(planOutputs(this.yamlOutputType, options)), {
      subfolders: foldersOf(this.yamlOutputType, options),
      beforePlacing: () => settle(writer.findProblems()),
    });
  }

  #runFor(options: OutputOptions): SynthRun {
    const search = new ProblemSearch(this.checks);
    const outputs: SynthOutput[] = [];
    for (const { name, documents, text } of planOutputs(this.yamlOutputType, options)) {
      const output = { name, documents: Array.from(documents, rendered), text };
      search.addOutput(name);
      for (const document of output.documents) search.addDocument(document);
      outputs.push(output);
    }
    return {
      version: 1,
      instance: INSTANCE,
      outdir: this.outdir,
      outputs,
      folders: foldersOf(this.yamlOutputType, options),
      problems: search.finish(),
      recordsConstructMetadata: this.recordConstructMetadata,
      compile: () => this.compile(),
    };
  }
}

function rendered({ value, path, construct }: SynthDocument): SynthDocument {
  return { value, path, construct };
}

function isChart(construct: IConstruct): construct is Chart {
  return isMarked(construct, CHART);
}

/** Errors are thrown together, warnings reported together. */
function settle(problems: readonly SynthProblem[]): void {
  const errors = problems.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw synthError(errors);
  if (problems.length > 0) report(formatWarnings(problems));
}
