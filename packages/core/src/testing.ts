import { App, type AppProps } from "./app.ts";
import { Chart } from "./chart.ts";
import { createTemporaryFolder } from "./node/temporary-folder.ts";

/** Apps and charts for tests. */
export class Testing {
  /** An App that writes to a fresh folder for temporary files, unless `props` names another. */
  static app(props?: AppProps): App {
    const outdir = props?.outdir ?? createTemporaryFolder("cdk8s.outdir.");
    return new App({ outdir, ...props });
  }

  /** A chart called `test` in an App of its own. */
  static chart(): Chart {
    return new Chart(Testing.app(), "test");
  }

  /** The objects of `chart` as they are written. */
  static synth(chart: Chart): any[] {
    return chart.toJson();
  }

  private constructor() {}
}
