import type { IConstruct } from "constructs";
import type { ApiObject } from "./api-object.ts";
import { API_OBJECT, isMarked } from "./marker.ts";
import { impliedDependencies, type OrderOptions, orderConstructs } from "./order.ts";
import { findAll, findChart, rootOf } from "./tree.ts";

/** What synthesis asks of the root of a tree. Any construct may be one; an App of ours has an answer to each. */
interface Root extends IConstruct {
  readonly orderOptions?: OrderOptions;
  /** The App has validated its constructs already, in the synthesis that is going on. */
  readonly isValidated?: boolean;
}

/**
 * The objects of `chart` as they are written, those that others need first.
 * @throws {Error} as `Chart.toJson`.
 */
export function synthChart(chart: IConstruct): any[] {
  const root: Root = rootOf(chart);
  if (root.isValidated !== true) {
    const constructs = findAll(root);
    impliedDependencies(constructs, root.orderOptions); // refuses what is in no chart, as cdk8s does here
    validate(constructs);
  }
  return objectsOf(chart).map((object) => object.toJson());
}

/** The objects whose nearest chart is `chart`, those that others need first. */
export function objectsOf(chart: IConstruct): ApiObject[] {
  const root: Root = rootOf(chart);
  const constructs = orderConstructs(impliedDependencies(findAll(chart), root.orderOptions));
  return constructs.filter(
    (construct): construct is ApiObject => isMarked(construct, API_OBJECT) && findChart(construct) === chart,
  );
}

/**
 * Runs the validations of `constructs`, each once.
 * @throws {Error} that lists everything they have found, with the path of the construct.
 */
export function validate(constructs: Iterable<IConstruct>): void {
  const problems: string[] = [];
  for (const { node } of constructs) {
    for (const message of node.validate()) problems.push(`[${node.path}] ${message}`);
  }
  if (problems.length === 0) return;
  throw new Error(["Validation failed with the following errors:", ...problems].join("\n  "));
}
