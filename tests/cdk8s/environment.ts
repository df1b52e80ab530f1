export interface Environment {
  readonly CDK8S_OUTDIR?: string;
  readonly CDK8S_RECORD_CONSTRUCT_METADATA?: string;
  readonly CDK8S_DISABLE_SORT?: string;
  readonly CDK8S_LEGACY_HASH?: string;
}

/** What `work` gives while these variables are set; afterwards they are as before. */
export function withEnvironment<Result>(environment: Environment, work: () => Result): Result {
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  try {
    Object.assign(process.env, environment);
    return work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
