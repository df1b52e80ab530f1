import type { Construct } from "constructs";
import type { ApiObject } from "./api-object.ts";
import { hooksOf } from "./helm-hooks.ts";
import { Include, type IncludedText, TEXT } from "./include.ts";
import { Names } from "./names.ts";
import { renderChart } from "./node/helm-cli.ts";

export interface HelmProps {
  /**
   * What `helm template` takes for a chart: a folder, an archive, a URL, or a name in a repository.
   * @example "./mysql"
   * @example "bitnami/redis"
   */
  readonly chart: string;
  /**
   * URL of the repository that has the chart.
   * @default - none
   */
  readonly repo?: string;
  /**
   * Version of the chart, or a range of them.
   * @default - the latest
   * @example "^2.0.0"
   */
  readonly version?: string;
  /**
   * Handed to helm. Objects of charts that do not write it into their templates do not get it.
   * @default - none
   */
  readonly namespace?: string;
  /**
   * Name of the release.
   * @default - from the path of the scope, with the id
   */
  readonly releaseName?: string;
  /**
   * Values for the chart.
   * @default - those of the chart
   */
  readonly values?: { [key: string]: any };
  /**
   * Name or path of the program.
   * @default "helm"
   */
  readonly helmExecutable?: string;
  /**
   * Further flags for `helm template`, such as `--include-crds`: without it the objects of the chart's `crds` folder are
   * not rendered.
   * @default []
   */
  readonly helmFlags?: string[];
  /**
   * Take the last of several equal keys in a mapping, as helm does.
   * @default false, which is an error that names them
   */
  readonly allowDuplicateKeys?: boolean;
}

/** Helm refuses longer release names. */
const MAX_RELEASE_NAME_LENGTH = 53;

/** The objects that `helm template` makes of a chart. */
export class Helm extends Include {
  readonly releaseName: string;

  /**
   * Hooks and tests of the chart are among the objects: see {@link Helm.hooks}.
   *
   * @throws {SlipwayError} `READ_FAILED` when helm cannot be run or fails, with what it says; and as `Include`.
   */
  constructor(scope: Construct, id: string, props: HelmProps) {
    const releaseName = props.releaseName ?? Names.toDnsLabel(scope, { maxLen: MAX_RELEASE_NAME_LENGTH, extra: [id] });
    const included: IncludedText = {
      url: `${props.chart} (rendered by helm)`,
      [TEXT]: renderChart({ ...props, releaseName }),
      ...(props.allowDuplicateKeys === undefined ? {} : { allowDuplicateKeys: props.allowDuplicateKeys }),
    };
    super(scope, id, included);
    this.releaseName = releaseName;
  }

  /**
   * Those of the objects that Helm does not keep as part of the release but runs at some moment: hooks, and tests of the
   * chart. Applied with the others, a hook for deletion would delete at once.
   */
  get hooks(): ApiObject[] {
    return this.apiObjects.filter((object) => hooksOf({ metadata: object.metadata.toJson() }).length > 0);
  }
}
