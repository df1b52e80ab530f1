import { SlipwayError } from "./errors.ts";
import { type FieldError, formatFieldError } from "./field-error.ts";
import { labelValue, qualifiedName } from "./names.ts";
import { byCodeUnit } from "./order.ts";

/** In the words of Kubernetes' selection package; `exists` and `!` have no values, only `in` and `notin` several. */
export type LabelOperator = "exists" | "!" | "=" | "==" | "!=" | "in" | "notin" | "gt" | "lt";

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted, each once. */
  readonly values: readonly string[];
}

export interface LabelSelector {
  /** Whether everything matches. */
  readonly empty: boolean;
  /** Canonical text: requirements sorted by key, values sorted. It parses to the same selector. */
  readonly text: string;
  readonly requirements: readonly LabelRequirement[];
  matches(labels: Readonly<Record<string, string>>): boolean;
}

export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/**
 * The selector that `labelSelector` means in a query: `env in (dev,prod),!tier`. The empty text selects everything.
 *
 * @throws {SlipwayError} `INVALID_SELECTOR`; the message is Kubernetes' own.
 * @see Kubernetes documentation, "Labels and Selectors"
 */
export function parseLabelSelector(text: string): LabelSelector {
  const requirements = new LabelParser(text).parse().sort((a, b) => byCodeUnit(a.key, b.key));
  return {
    empty: requirements.length === 0,
    text: requirements.map(formatLabelRequirement).join(","),
    requirements,
    matches: (labels) => requirements.every((requirement) => matchesRequirement(requirement, labels)),
  };
}

/** One requirement as selectors write it: `a in (x,y)`, `!b`, `c>5`. */
export function formatLabelRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${values.join(",")})`;
    case "gt":
      return `${key}>${values.join()}`;
    case "lt":
      return `${key}<${values.join()}`;
    default:
      return `${key}${operator}${values.join()}`;
  }
}

function matchesRequirement(
  { key, operator, values }: LabelRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "=":
    case "==":
    case "in":
      return value !== undefined && values.includes(value);
    case "!=":
    case "notin":
      return value === undefined || !values.includes(value);
    case "gt":
      return compareInt64(value, values[0], (label, bound) => label > bound);
    case "lt":
      return compareInt64(value, values[0], (label, bound) => label < bound);
  }
}

function compareInt64(
  label: string | undefined,
  bound: string | undefined,
  holds: (label: bigint, bound: bigint) => boolean,
): boolean {
  const left = parseInt64(label);
  const right = parseInt64(bound);
  return left !== undefined && right !== undefined && holds(left, right);
}

/** As Go's `strconv.ParseInt(text, 10, 64)`: leading zeros are fine, blanks and underscores are not. */
function parseInt64(text: string | undefined): bigint | undefined {
  const [, sign, digits] = /^([+-]?)([0-9]+)$/.exec(text ?? "") ?? [];
  if (digits === undefined) return undefined;
  const value = sign === "-" ? -BigInt(digits) : BigInt(digits);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

interface Token {
  readonly kind: "end" | "identifier" | "in" | "notin" | "!" | "=" | "==" | "!=" | ">" | "<" | "(" | ")" | ",";
  readonly text: string;
}

const symbolOrWord = /(==|!=|[=!(),><])|([^=!(),>< \t\r\n]+)/g;

/** `in` and `notin` come out as words of their own; where an identifier may stand they are identifiers. */
function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [, symbol, word = ""] of text.matchAll(symbolOrWord)) {
    if (symbol !== undefined) tokens.push({ kind: symbol as Token["kind"], text: symbol });
    else tokens.push({ kind: word === "in" || word === "notin" ? word : "identifier", text: word });
  }
  tokens.push({ kind: "end", text: "" });
  return tokens;
}

const binaryOperators: Readonly<Partial<Record<Token["kind"], LabelOperator>>> = {
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "==",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
};

/** Recursive descent over the tokens; it looks one ahead, and stops at the first error as Kubernetes does. */
class LabelParser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    if (this.#peek().kind === "end") return requirements;
    if (!this.#startsRequirement()) {
      throw invalidSelector(`found '${this.#peek().text}', expected: !, identifier, or 'end of string'`);
    }
    for (;;) {
      requirements.push(this.#requirement());
      const next = this.#take();
      if (next.kind === "end") return requirements;
      if (next.kind !== ",") throw invalidSelector(`found '${next.text}', expected: ',' or 'end of string'`);
      if (!this.#startsRequirement()) {
        throw invalidSelector(`found '${this.#peek().text}', expected: identifier after ','`);
      }
    }
  }

  #startsRequirement(): boolean {
    return isIdentifier(this.#peek()) || this.#peek().kind === "!";
  }

  #requirement(): LabelRequirement {
    const negated = this.#peek().kind === "!";
    if (negated) this.#take();
    const key = this.#identifier();
    refuse(qualifiedName(key), "<nil>", key);
    if (negated) return { key, operator: "!", values: [] };
    if (this.#peek().kind === "end" || this.#peek().kind === ",") return { key, operator: "exists", values: [] };
    const operator = this.#operator();
    const values = operator === "in" || operator === "notin" ? this.#valueSet() : [this.#value()];
    return checkValues({ key, operator, values });
  }

  #operator(): LabelOperator {
    const { kind, text } = this.#take();
    const operator = binaryOperators[kind];
    if (operator === undefined) throw unparsable(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`);
    return operator;
  }

  #value(): string {
    const { kind } = this.#peek();
    return kind === "end" || kind === "," ? "" : this.#identifier();
  }

  #identifier(): string {
    const next = this.#take();
    if (!isIdentifier(next)) throw unparsable(`found '${next.text}', expected: identifier`);
    return next.text;
  }

  /** Also `()`, `(,a)` and `(a,)`: between commas and parentheses nothing is the empty value. */
  #valueSet(): string[] {
    const open = this.#take();
    if (open.kind !== "(") throw unparsable(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (!isIdentifier(first) && first.kind !== "," && first.kind !== ")") {
      throw unparsable(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = new Set<string>();
    for (;;) {
      const next = this.#peek();
      if (isIdentifier(next)) values.add(this.#take().text);
      else if (next.kind === "," || next.kind === ")") values.add("");
      else throw unparsable(`found '${next.text}', expected: ',', or identifier`);
      const { kind, text } = this.#take();
      if (kind === ")") return [...values].sort(byCodeUnit);
      if (kind !== ",") throw unparsable(`found '${text}', expected: ',' or ')'`);
    }
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? { kind: "end", text: "" };
  }

  #take(): Token {
    const next = this.#peek();
    this.#position += 1;
    return next;
  }
}

function isIdentifier({ kind }: Token): boolean {
  return kind === "identifier" || kind === "in" || kind === "notin";
}

function checkValues(requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement;
  const isOrder = operator === "gt" || operator === "lt";
  const errors = values.flatMap((value, index) =>
    isOrder && parseInt64(value) === undefined
      ? [invalidValue(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")]
      : [],
  );
  for (const [index, value] of values.entries()) {
    const problems = labelValue(value);
    if (problems.length > 0) errors.push(invalidValue(`values[${index}][${key}]`, value, problems.join("; ")));
  }
  if (errors.length === 0) return requirement;
  const lines = errors.map(formatFieldError);
  throw unparsable(lines.length === 1 ? lines.join() : `[${lines.join(", ")}]`);
}

function refuse(problems: readonly string[], field: string, value: string): void {
  if (problems.length > 0) throw unparsable(formatFieldError(invalidValue(field, value, problems.join("; "))));
}

function invalidValue(field: string, value: string, detail: string): FieldError {
  return { type: "FieldValueInvalid", field, value, detail };
}

/**
 * The requirements that `fieldSelector` means in a query: `metadata.name=a,spec.mode!=Auto`; all of them must hold.
 * They are sorted as terms. Which fields may be asked for is the caller's business.
 *
 * @throws {SlipwayError} `INVALID_SELECTOR`; the message is Kubernetes' own.
 */
export function parseFieldSelector(text: string): FieldRequirement[] {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text).sort(byCodeUnit)) {
    if (term === "") continue;
    const operator = /!=|==?/.exec(term);
    if (operator === null) throw invalidSelector(`invalid selector: '${text}'; can't understand '${term}'`);
    const field = term.slice(0, operator.index);
    const value = unescapeValue(term.slice(operator.index + operator[0].length));
    if (field === "" && value === "") continue; // holds for everything
    requirements.push({ field, operator: operator[0] === "!=" ? "!=" : "=", value });
  }
  return requirements;
}

/** Cuts at commas that no backslash escapes; escapes stay as they are. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === "\\") {
      index += 1;
    } else if (text[index] === ",") {
      terms.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function unescapeValue(text: string): string {
  let value = "";
  let escaped = false;
  for (const character of text) {
    const special = character === "\\" || character === "," || character === "=";
    if (escaped) {
      if (!special) throw invalidSelector(`invalid field selector: invalid escape sequence: \\${character}`);
      value += character;
      escaped = false;
    } else if (character === "\\") {
      escaped = true;
    } else {
      if (special) {
        throw invalidSelector(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
      }
      value += character;
    }
  }
  if (escaped) throw invalidSelector("invalid field selector: invalid escape sequence: \\");
  return value;
}

function unparsable(message: string): SlipwayError {
  return invalidSelector(`unable to parse requirement: ${message}`);
}

function invalidSelector(message: string): SlipwayError {
  return new SlipwayError(message, { code: "INVALID_SELECTOR" });
}
