import { isUtf8 } from "node:buffer";
import type { SpawnSyncReturns } from "node:child_process";
import { SlipwayError } from "@slipway/objects";
import { formatDocuments } from "../format-documents.ts";
import { _child_process } from "./child-process.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";
import { writeChunks } from "./write-chunks.ts";

export interface RenderOptions {
  readonly chart: string;
  readonly releaseName: string;
  readonly repo?: string | undefined;
  readonly version?: string | undefined;
  readonly namespace?: string | undefined;
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** @default "helm" */
  readonly helmExecutable?: string | undefined;
  readonly helmFlags?: readonly string[] | undefined;
}

/** In bytes: what cdk8s allows. More output is asked for again, with room for it. */
const USUAL_OUTPUT = 10 * 1024 * 1024;
const MAX_OUTPUT = 1024 * 1024 * 1024;

/**
 * What `helm template` prints. Values go through a file, which is removed again.
 * @throws {SlipwayError} `READ_FAILED` when helm cannot be run or fails, with what it says.
 */
export function renderChart(options: RenderOptions): string {
  const { values } = options;
  if (values === undefined || values === null || Object.keys(values).length === 0) return runHelm(options, []);
  return withTemporaryFolder("cdk8s-helm-", (folder) => {
    const overrides = `${folder}/overrides.yaml`;
    writeChunks(overrides, formatDocuments([values]));
    return runHelm(options, ["-f", overrides]);
  });
}

function runHelm(options: RenderOptions, valueFlags: readonly string[]): string {
  const { chart, releaseName, repo, version, namespace } = options;
  const program = options.helmExecutable ?? "helm";
  const args = [
    "template",
    ...valueFlags,
    ...(repo ? ["--repo", repo] : []),
    ...(version ? ["--version", version] : []),
    ...(namespace ? ["--namespace", namespace] : []),
    ...(options.helmFlags ?? []),
    releaseName,
    chart,
  ];
  let run = spawn(program, args, USUAL_OUTPUT);
  if (hasOverflowed(run)) run = spawn(program, args, MAX_OUTPUT);
  refuseFailure(run, program);
  return decode(run.stdout, chart);
}

function spawn(program: string, args: readonly string[], maxBuffer: number): SpawnSyncReturns<Buffer> {
  return _child_process.spawnSync(program, args, { maxBuffer });
}

function hasOverflowed({ error }: SpawnSyncReturns<Buffer>): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === "ENOBUFS";
}

/** The words are those of cdk8s. */
function refuseFailure({ error, status, signal, stderr }: SpawnSyncReturns<Buffer>, program: string): void {
  if (error !== undefined && error !== null) {
    if (error.message.includes("ENOENT")) {
      throw failure(`unable to execute '${program}' to render Helm chart. Is it installed on your system?`, error);
    }
    throw failure(`error while rendering a helm chart: ${error.message}`, error);
  }
  if (status === 0) return;
  const end = signal === null ? `${program} ended with ${status}` : `${program} was ended by ${signal}`;
  throw failure(stderr.toString() || `error while rendering a helm chart: ${end}`);
}

function decode(output: Buffer, chart: string): string {
  if (isUtf8(output)) return output.toString("utf8");
  throw new SlipwayError(`${chart} (rendered by helm): this is not UTF-8. Correct the templates of the chart.`, {
    code: "INVALID_YAML",
  });
}

function failure(message: string, cause?: unknown): SlipwayError {
  return new SlipwayError(message, { code: "READ_FAILED", cause });
}
