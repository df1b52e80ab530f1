import { LIST_FILE } from "./output-folder.ts";
import { allowable } from "./problems.ts";

const codes = Object.entries(allowable)
  .map(([code, meaning]) => `  ${code.padEnd(18)} ${meaning}`)
  .join("\n");

export const synthHelp: string = `Usage: slipway synth [options] [PROGRAM] [-- ARGUMENTS]

Run a program and write the Kubernetes objects that it makes.

PROGRAM is a TypeScript or JavaScript file (.ts .mts .cts .js .mjs .cjs), run as it is: nothing is compiled first, and types
are not checked. It calls app.synth(), or exports its App (export default app). It may also be a folder with a cdk8s.yaml, or
that file; without PROGRAM that of the working directory is taken, and its "app" command is run.
ARGUMENTS are the program's own. What it prints goes to stderr.

Options:
  -o, --output <folder>   where files go (default: the outdir of the App, or dist)
      --stdout            everything as one stream instead of files
      --format <format>   yaml or json: one List in each file (default: yaml)
      --order <order>     cdk8s: the files and the order of cdk8s (default);
                          apply: one file, app.k8s.yaml, in the order in which a cluster can take the objects
      --check             write nothing; show what would change, with the values of Secrets hidden
      --allow <code>      let a kind of problem through; may be repeated
      --trace             name the line of the program that makes an object, in problems
  -h, --help              this text

Problems: what App.synth() warns of is an error here, and all are reported at once. Nothing is written then. --allow takes
${codes}

Files are complete or not there: they are written beside and put in their places together. ${LIST_FILE} in the folder lists
them; commit it with them. A later run removes listed files that the program does not make any more, and never others. A file
that is there before the first run is replaced when the program makes one of its name.

Exit codes:
  0  done; with --check: nothing would change
  1  there are problems, the program failed, or with --check: something would change
  2  the command line is wrong

Examples:
  slipway synth main.ts
  slipway synth main.ts -o deploy/production -- --environment production
  slipway synth main.ts --check
  slipway synth main.ts --stdout --order apply | kubectl apply --server-side -f -
  slipway synth --allow CHART_HOOK
`;
