import { describe } from "vitest";
import { type Environment, withEnvironment } from "./environment.ts";
import { inTemporaryFolder, readFiles } from "./output-files.ts";
import { type Program, sameOnBoth, thrown } from "./same-program.ts";

/** CDK8S_DISABLE_SORT stands in the tables of objects and metadata, CDK8S_LEGACY_HASH in that of names. */
describe("CDK8S_OUTDIR:", () => {
  const outdir =
    (CDK8S_OUTDIR: string, props?: object): Program =>
    (lib) =>
      withEnvironment({ CDK8S_OUTDIR }, () => new lib.App(props).outdir);
  sameOnBoth([
    { rule: "is the folder that is written to", program: outdir("here"), gives: "here" },
    { rule: "unless there is a prop", program: outdir("here", { outdir: "there" }), gives: "there" },
    { rule: "also when that is explicitly none", program: outdir("here", { outdir: undefined }), gives: "here" },
    {
      rule: "is read when the app is made",
      program: (lib) => {
        const app = withEnvironment({ CDK8S_OUTDIR: "here" }, () => new lib.App());
        return [app.outdir, new lib.App().outdir];
      },
      gives: ["here", "dist"],
    },
    {
      rule: "an empty one is no folder",
      program: (lib) => withEnvironment({ CDK8S_OUTDIR: "" }, () => new lib.App()).synth(),
      gives: thrown("ENOENT: no such file or directory, mkdir ''"),
    },
    {
      rule: "with an explicit none, Testing.app falls back to it",
      program: (lib) =>
        withEnvironment({ CDK8S_OUTDIR: "here" }, () => lib.Testing.app({ outdir: undefined as never }).outdir),
      gives: "here",
    },
  ]);
});

describe("CDK8S_RECORD_CONSTRUCT_METADATA:", () => {
  const recorded =
    (environment: Environment, props: object = {}): Program =>
    (lib) =>
      inTemporaryFolder((outdir) => {
        withEnvironment(environment, () => new lib.App({ outdir, ...props })).synth();
        return Object.keys(readFiles(outdir));
      });
  const record = (value: string): Environment => ({ CDK8S_RECORD_CONSTRUCT_METADATA: value });
  sameOnBoth([
    {
      rule: "true records, also when it is gone by then",
      program: recorded(record("true")),
      gives: ["construct-metadata.json"],
    },
    { rule: "false does not", program: recorded(record("false")), gives: [] },
    { rule: "nor does TRUE", program: recorded(record("TRUE")), gives: [] },
    { rule: "nor 1", program: recorded(record("1")), gives: [] },
    { rule: "a prop wins", program: recorded(record("true"), { recordConstructMetadata: false }), gives: [] },
    {
      rule: "either way",
      program: recorded(record("false"), { recordConstructMetadata: true }),
      gives: ["construct-metadata.json"],
    },
  ]);
});
