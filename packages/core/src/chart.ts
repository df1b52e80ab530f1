import { Construct, type IConstruct } from "constructs";
import { ApiObject } from "./api-object.ts";
import { CHART, isMarked, mark } from "./marker.ts";
import { Names } from "./names.ts";
import { synthChart } from "./synth.ts";
import { chartOf } from "./tree.ts";

export interface ChartProps {
  /**
   * Of the objects in this chart that name none.
   * @default - none
   */
  readonly namespace?: string;
  /**
   * On all objects of this chart; those of an object win.
   * @default - none
   */
  readonly labels?: { [name: string]: string };
  /**
   * Generated names end without a hash. They are prettier, and no longer sure to be unique.
   * @default false
   */
  readonly disableResourceNameHashes?: boolean;
}

/** Kubernetes adds eleven characters to the name of a CronJob for that of each Job. */
const MAX_CRON_JOB_NAME_LENGTH = 52;

/** A set of objects that are written together, with a namespace and labels of their own. */
export class Chart extends Construct {
  readonly namespace?: string;
  private readonly _labels?: { [name: string]: string };
  private readonly _disableResourceNameHashes?: boolean;

  /** Whether `x` is a chart of this or of another copy of the library, cdk8s included. */
  static isChart(x: any): x is Chart {
    return isMarked(x, CHART);
  }

  /** `Chart` itself recognises charts of other copies of the library, its subclasses only their own. */
  static override [Symbol.hasInstance](o: unknown): o is Chart {
    // biome-ignore lint/complexity/noThisInStatic: a subclass that inherits this is the case that matters
    return this === Chart ? Chart.isChart(o) : Function.prototype[Symbol.hasInstance].call(this, o);
  }

  /**
   * The nearest chart at or above `c`.
   * @throws {Error} when there is none.
   */
  static of(c: IConstruct): Chart {
    return chartOf(c) as Chart;
  }

  constructor(scope: Construct, id: string, props: ChartProps = {}) {
    super(scope, id);
    if (props.namespace !== undefined) this.namespace = props.namespace;
    this._labels = props.labels ?? {};
    this._disableResourceNameHashes = props.disableResourceNameHashes ?? false;
    mark(this, CHART);
  }

  /** A copy. */
  get labels(): { [name: string]: string } {
    return { ...this._labels };
  }

  /** The objects directly in this chart, not those in constructs or charts within. */
  get apiObjects(): ApiObject[] {
    return this.node.children.filter((child) => ApiObject.isApiObject(child));
  }

  /**
   * The name of an object of this chart that has none: from its path, at most 63 characters, 52 for a CronJob. A chart
   * that overrides this names its objects as it likes. `kind` and `apiVersion` of the object are set by then, `name` and
   * `metadata` are not.
   */
  generateObjectName(apiObject: ApiObject): string {
    const includeHash = !this._disableResourceNameHashes;
    return Names.toDnsLabel(
      apiObject,
      apiObject.kind === "CronJob" ? { includeHash, maxLen: MAX_CRON_JOB_NAME_LENGTH } : { includeHash },
    );
  }

  /** Has this chart come after `dependencies`: charts, or constructs or objects in other charts. */
  addDependency(...dependencies: IConstruct[]): void {
    this.node.addDependency(...dependencies);
  }

  /**
   * The objects of this chart as they are written, those that others need first. Charts within are not part of it.
   * @throws {Error} when a construct of the App is not valid, dependencies form a cycle, or an object cannot be rendered.
   */
  toJson(): any[] {
    return synthChart(this);
  }
}
