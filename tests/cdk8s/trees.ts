import type { ApiObject, AppProps, Chart, ChartProps } from "cdk8s";
import { Construct } from "constructs";
import type { Library } from "./libraries.ts";

/** A construct at the end of a chain of plain constructs below an app. Without ids it is the app. */
export function constructAt(lib: Library, ...ids: readonly string[]): Construct {
  let construct: Construct = new lib.App();
  for (const id of ids) construct = new Construct(construct, id);
  return construct;
}

/** A chart called `test` in an app of its own. */
export function chartIn(lib: Library, chartProps?: ChartProps, appProps?: AppProps): Chart {
  return new lib.Chart(new lib.App(appProps), "test", chartProps);
}

export function objectIn(lib: Library, scope: Construct, id: string, props: object = {}): ApiObject {
  return new lib.ApiObject(scope, id, { apiVersion: "v1", kind: "K", ...props });
}

/** The one object of a chart called `test`, rendered. */
export function rendered(lib: Library, props: object, chartProps?: ChartProps, appProps?: AppProps): unknown {
  return objectIn(lib, chartIn(lib, chartProps, appProps), "o", { metadata: { name: "o" }, ...props }).toJson();
}

export function paths(constructs: readonly { readonly node: { readonly path: string } }[]): string[] {
  return constructs.map(({ node }) => node.path);
}
