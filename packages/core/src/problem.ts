import { SlipwayError } from "@slipway/objects";

/** What a synthesis looks for. */
export type CheckCode =
  | "CHART_HOOK"
  | "DEPENDENCY_CYCLE"
  | "DUPLICATE_OBJECT"
  | "INVALID_ANNOTATION"
  | "INVALID_DATA_KEY"
  | "INVALID_LABEL"
  | "INVALID_NAME"
  | "INVALID_VALUE"
  | "MISSING_NAME"
  | "OUTPUT_COLLISION";

export type CheckSeverity = "error" | "warning" | "ignore";

export type Checks = Readonly<Partial<Record<CheckCode, CheckSeverity>>>;

/** What would be lost is an error; what the cluster would refuse is a warning. */
const defaultChecks = {
  CHART_HOOK: "warning",
  DEPENDENCY_CYCLE: "error",
  DUPLICATE_OBJECT: "error",
  INVALID_ANNOTATION: "warning",
  INVALID_DATA_KEY: "warning",
  INVALID_LABEL: "warning",
  INVALID_NAME: "warning",
  INVALID_VALUE: "warning",
  MISSING_NAME: "warning",
  OUTPUT_COLLISION: "error",
} as const satisfies Record<CheckCode, CheckSeverity>;

export function severityOf(code: CheckCode, checks: Checks | undefined): CheckSeverity {
  return checks?.[code] ?? defaultChecks[code];
}

/** Something in what a program makes that would be lost, or refused by a cluster. */
export interface SynthProblem {
  readonly code: CheckCode;
  readonly severity: "error" | "warning";
  /** Of the construct. */
  readonly path: string;
  /** `Kind/namespace/name`. */
  readonly object: string;
  /** As Kubernetes writes it: `spec.ports[0].name`; `""` when it is about the object as a whole. */
  readonly field: string;
  /** All of it in one sentence or two: the object first. */
  readonly message: string;
}

/** One error for all of `problems`, of which there is at least one. Its code is that of the first. */
export function synthError(problems: readonly SynthProblem[]): SlipwayError {
  const [first] = problems;
  const codes = [...new Set(problems.map(({ code }) => code))];
  const text = problems.length === 1 ? first?.message : list(`${problems.length} problems`, problems);
  return new SlipwayError(`${text}\n${optOut(codes)}`, { code: first?.code as CheckCode });
}

export function formatWarnings(problems: readonly SynthProblem[]): string {
  const codes = [...new Set(problems.map(({ code }) => code))];
  const head = problems.length === 1 ? "1 warning" : `${problems.length} warnings`;
  return `${list(head, problems)}\n${optOut(codes)}`;
}

/** Who has hundreds of these needs to see what they are, not all of them. */
const MAX_LISTED = 50;

function list(head: string, problems: readonly SynthProblem[]): string {
  const lines = problems.slice(0, MAX_LISTED).map(({ message }) => `  ${message}`);
  const more = problems.length > MAX_LISTED ? [`  … and ${problems.length - MAX_LISTED} more`] : [];
  return [`${head}:`, ...lines, ...more].join("\n");
}

function optOut(codes: readonly CheckCode[]): string {
  const checks = codes.map((code) => `${code}: "ignore"`).join(", ");
  return `To have it all the same: new App({ checks: { ${checks} } }).`;
}
