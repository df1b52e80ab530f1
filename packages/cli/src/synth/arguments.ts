import { parseArgs } from "node:util";
import { SlipwayError } from "@slipway/objects";
import type { Format, Order } from "./plan.ts";
import { allowable } from "./problems.ts";

export interface SynthArguments {
  /** `undefined`: the `cdk8s.yaml` of the working directory. */
  readonly program: string | undefined;
  /** Handed to the program. */
  readonly programArgs: readonly string[];
  readonly help: boolean;
  readonly output: string | undefined;
  readonly stdout: boolean;
  readonly check: boolean;
  readonly trace: boolean;
  readonly format: Format;
  readonly order: Order;
  readonly allow: readonly string[];
}

const options = {
  help: { type: "boolean", short: "h", default: false },
  output: { type: "string", short: "o" },
  stdout: { type: "boolean", default: false },
  check: { type: "boolean", default: false },
  trace: { type: "boolean", default: false },
  format: { type: "string", default: "yaml" },
  order: { type: "string", default: "cdk8s" },
  allow: { type: "string", multiple: true, default: [] as string[] },
} as const;

/** @throws {SlipwayError} `USAGE` for what is not understood, or contradicts itself. */
export function parseSynthArguments(args: readonly string[]): SynthArguments {
  const { values, tokens } = parse(args);
  const end = tokens.find(({ kind }) => kind === "option-terminator")?.index ?? args.length;
  const named = tokens.filter((token) => token.kind === "positional" && token.index < end);
  const [program, ...more] = named.map((token) => ("value" in token ? (token.value ?? "") : ""));
  if (more.length > 0) {
    throw usage(
      `"${more[0]}" is one argument too many. Arguments for the program go after --: slipway synth ${program} -- ${more.join(" ")}`,
    );
  }
  const { output, stdout, check, allow } = values;
  if (stdout && output !== undefined) throw usage("--stdout and --output exclude each other. Leave one out.");
  if (stdout && check) throw usage("--stdout and --check exclude each other. Leave one out.");
  for (const code of allow) requireAllowable(code);
  return {
    ...values,
    output,
    program,
    programArgs: args.slice(end + 1),
    format: oneOf("--format", values.format, ["yaml", "json"]),
    order: oneOf("--order", values.order, ["cdk8s", "apply"]),
  };
}

function parse(
  args: readonly string[],
): ReturnType<typeof parseArgs<{ options: typeof options; tokens: true; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, tokens: true });
  } catch (cause) {
    const { code, message } = cause as Error & { code?: string };
    if (code === undefined || !code.startsWith("ERR_PARSE_ARGS")) throw cause;
    const unknown = /^Unknown option '(-[^']*)'/.exec(message)?.[1];
    throw usage(unknown === undefined ? `${message}.` : `unknown option ${unknown}.${suggestion(unknown)}`);
  }
}

function oneOf<Choice extends string>(flag: string, value: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((each) => each === value);
  if (choice === undefined) throw usage(`${flag} ${value}: there are ${choices.join(" and ")}.`);
  return choice;
}

function requireAllowable(code: string): void {
  if (code in allowable) return;
  if (code === "DEPENDENCY_CYCLE") {
    throw usage("--allow DEPENDENCY_CYCLE: there is no order for a cycle. Remove one of its dependencies.");
  }
  throw usage(`--allow ${code}: there is no such kind of problem. There are ${Object.keys(allowable).join(", ")}.`);
}

function usage(message: string): SlipwayError {
  return new SlipwayError(message, { code: "USAGE" });
}

/** The flag with the most letters in common from the start. */
function suggestion(unknown: string): string {
  const shared = (name: string): number => [...name].findIndex((letter, index) => letter !== unknown[index + 2]);
  const names = Object.keys(options).map((name) => ({ name, length: shared(`${name}\0`) }));
  const best = names.reduce((left, right) => (right.length > left.length ? right : left));
  return best.length >= 2 ? ` Did you mean --${best.name}?` : "";
}
