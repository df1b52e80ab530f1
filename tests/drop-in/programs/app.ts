/** A program as `cdk8s init` begins it, grown a little: it uses every kind of declaration, deep imports as well. */
import {
  ApiObject,
  ApiObjectMetadataDefinition,
  App,
  type AppProps,
  Chart,
  type ChartProps,
  Cron,
  DependencyGraph,
  Duration,
  Helm,
  Include,
  type IResolver,
  JsonPatch,
  Lazy,
  Names,
  type OwnerReference,
  type ResolutionContext,
  resolve,
  Size,
  SizeRoundingBehavior,
  Testing,
  Yaml,
  YamlOutputType,
} from "cdk8s";
import { _child_process } from "cdk8s/lib/_child_process";
import { sanitizeValue } from "cdk8s/lib/_util";
import { App as DeepApp } from "cdk8s/lib/app.js";
import type { Construct } from "constructs";

export class MyChart extends Chart {
  readonly settings: ApiObject;

  constructor(scope: Construct, id: string, props: ChartProps = {}) {
    super(scope, id, props);
    this.settings = new ApiObject(this, "settings", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { labels: { size: Size.gibibytes(1).asString() } },
      data: { every: Cron.daily().expressionString, later: Lazy.any({ produce: () => Names.toDnsLabel(this) }) },
    });
    this.settings.addJsonPatch(JsonPatch.add("/data/wait", Duration.minutes(1).toHumanString()));
    this.settings.metadata.addOwnerReference(owner);
  }

  override generateObjectName(apiObject: ApiObject): string {
    return `my-${super.generateObjectName(apiObject)}`;
  }

  override toJson(): any[] {
    return super.toJson().map((object) => sanitizeValue(object, { filterEmptyObjects: true }));
  }
}

/** As `cdk8s import` generates classes. */
export class Widget extends ApiObject {
  static readonly GVK = { apiVersion: "example.com/v1", kind: "Widget" };

  constructor(scope: Construct, id: string, props: { readonly spec?: { readonly size?: number } } = {}) {
    super(scope, id, { ...Widget.GVK, ...props });
  }

  override toJson(): any {
    const resolved = super.toJson();
    return { ...Widget.GVK, metadata: resolved.metadata, spec: { size: resolved.spec?.size } };
  }
}

class Upper implements IResolver {
  resolve(context: ResolutionContext): void {
    if (context.key[0] === "upper" && context.obj.kind === "Widget") context.replaceValue(String(context.value));
  }
}

const owner: OwnerReference = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
const props: AppProps = { yamlOutputType: YamlOutputType.FILE_PER_RESOURCE, resolvers: [new Upper()] };
const perApp: YamlOutputType.FILE_PER_APP = YamlOutputType.FILE_PER_APP;

export function build(): App {
  const app = new App({ ...props, yamlOutputType: perApp, outdir: "out" });
  const chart: Chart = new MyChart(app, "one", { namespace: "n", labels: { a: "b" } });
  const widget = new Widget(chart, "widget", { spec: { size: 2 } });
  widget.addDependency(chart.apiObjects[0] as ApiObject);
  return app;
}

export const checks: readonly boolean[] = [
  Chart.isChart(build()) || ApiObject.isApiObject(build()),
  new DependencyGraph(build().node).root.value === undefined,
  resolve([], { a: 1 }, Testing.chart().apiObjects[0] ?? new Widget(Testing.chart(), "w")).a === 1,
  Size.mebibytes(1500).toGibibytes({ rounding: SizeRoundingBehavior.FLOOR }) === 1,
  YamlOutputType[YamlOutputType.FILE_PER_CHART] === "FILE_PER_CHART",
  typeof _child_process.spawnSync === "function",
  DeepApp === App,
  Yaml.stringify({ a: 1 }, undefined) === "a: 1\n---\n\n",
  new ApiObjectMetadataDefinition({ apiObject: new Widget(Testing.chart(), "w"), name: "x" }).name === "x",
  [Include, Helm].every((type) => typeof type === "function"),
];
