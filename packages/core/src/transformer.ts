import type { IConstruct } from "constructs";
import { CHART, isMarked } from "./marker.ts";

/** What jsii puts on each class that it compiles, cdk8s-plus among them: the name with that of the package. */
const JSII: unique symbol = Symbol.for("jsii.rtti");

interface JsiiClass {
  readonly name: string;
  readonly [JSII]?: { readonly fqn: string; readonly version: string };
}

/**
 * The class that renders `object`, with its package and version where they are known: `cdk8s-plus-33.Deployment@2.5.57`,
 * or `ApiObject`. An object that is what a construct around it stands for (its id is `Default` or `Resource`) is
 * rendered by that construct.
 */
export function transformerOf(object: IConstruct): string {
  let construct = object;
  for (let { scope } = construct.node; scope !== undefined; { scope } = construct.node) {
    if (!/^(?:Default|Resource)$/.test(construct.node.id) || isMarked(scope, CHART)) break;
    construct = scope;
  }
  const type = construct.constructor as unknown as JsiiClass;
  // A class that extends one of a package inherits the mark, and is not what the mark says.
  const known = Object.hasOwn(type, JSII) ? type[JSII] : undefined;
  return known === undefined ? type.name : `${known.fqn}@${known.version}`;
}
