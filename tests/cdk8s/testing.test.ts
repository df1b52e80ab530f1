import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { withEnvironment } from "./environment.ts";
import { sameOnBoth } from "./same-program.ts";
import { objectIn } from "./trees.ts";

/** Whether the folder is a new one for testing. It is removed. */
function isTemporary(folder: string): boolean {
  const isMeant = existsSync(folder) && folder.startsWith(join(tmpdir(), "cdk8s.outdir."));
  if (isMeant) rmSync(folder, { recursive: true });
  return isMeant;
}

describe("Testing:", () => {
  sameOnBoth([
    {
      rule: "an app writes to a folder of its own",
      program: (lib) =>
        [undefined, {}, { outputFileExtension: ".x" }].map((props) => isTemporary(lib.Testing.app(props).outdir)),
      gives: [true, true, true],
    },
    {
      rule: "even when the environment names one",
      program: (lib) => withEnvironment({ CDK8S_OUTDIR: "elsewhere" }, () => isTemporary(lib.Testing.app().outdir)),
      gives: true,
    },
    {
      rule: "or to the one that is given",
      program: (lib) => lib.Testing.app({ outdir: "here" }).outdir,
      gives: "here",
    },
    {
      rule: "other props are those of an app",
      program: (lib) => {
        const app = lib.Testing.app({ outputFileExtension: ".x", yamlOutputType: 2 });
        isTemporary(app.outdir);
        return [app.outputFileExtension, app.yamlOutputType];
      },
      gives: [".x", 2],
    },
    {
      rule: "a chart is called test, in an app of its own",
      program: (lib) => {
        const chart = lib.Testing.chart();
        return [chart.node.path, isTemporary(lib.App.of(chart).outdir), chart.namespace];
      },
      gives: ["test", true, undefined],
    },
    {
      rule: "synth is what the chart renders",
      program: (lib) => {
        const chart = lib.Testing.chart();
        isTemporary(lib.App.of(chart).outdir);
        objectIn(lib, chart, "x", { zzz: 1, aaa: { b: 1, a: 2 }, a: [null, undefined, 1, [], {}], n: null });
        return [lib.Testing.synth(chart), JSON.stringify(lib.Testing.synth(chart))];
      },
      gives: [
        [
          {
            apiVersion: "v1",
            kind: "K",
            metadata: { name: "test-x-c8d39790" },
            a: [undefined, undefined, 1, [], {}],
            aaa: { a: 2, b: 1 },
            zzz: 1,
          },
        ],
        '[{"apiVersion":"v1","kind":"K","metadata":{"name":"test-x-c8d39790"},' +
          '"a":[null,null,1,[],{}],"aaa":{"a":2,"b":1},"zzz":1}]',
      ],
    },
  ]);
});
