/** What a YAML scalar is to Kubernetes. A float may be NaN or infinite here, since keys may be. */
export type YamlScalar =
  | { readonly type: "null"; readonly value: null }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "int"; readonly value: number | bigint }
  | { readonly type: "float"; readonly value: number }
  | { readonly type: "str"; readonly value: string };

/** The words of YAML 1.1, in go-yaml's spellings: `nO` is a string. */
const words: ReadonlyMap<string, YamlScalar> = new Map([
  ...named({ type: "bool", value: true }, "y Y yes Yes YES true True TRUE on On ON"),
  ...named({ type: "bool", value: false }, "n N no No NO false False FALSE off Off OFF"),
  ...named({ type: "null", value: null }, "~ null Null NULL"),
  ["", { type: "null", value: null }],
  ...named({ type: "float", value: Number.NaN }, ".nan .NaN .NAN"),
  ...named({ type: "float", value: Number.POSITIVE_INFINITY }, ".inf .Inf .INF +.inf +.Inf +.INF"),
  ...named({ type: "float", value: Number.NEGATIVE_INFINITY }, "-.inf -.Inf -.INF"),
]);

function named(scalar: YamlScalar, spellings: string): [string, YamlScalar][] {
  return spellings.split(" ").map((spelling) => [spelling, scalar]);
}

/**
 * What go-yaml 2 makes of a scalar without quotes or tag, and kubectl with it: YAML 1.1, without base 60 and without
 * times (`12:30:45` and `2001-01-01` are strings). Integers beyond 2^53 are `bigint`, also beyond the 64 bits where
 * go-yaml begins to round. A float that no double holds is a string, as it is there.
 */
export function resolvePlainScalar(text: string): YamlScalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (/^[-+0-9]/.test(text)) return resolveNumber(text.replaceAll("_", "")) ?? { type: "str", value: text };
  if (pointFirst.test(text)) return finite(text.replaceAll("_", "")) ?? { type: "str", value: text };
  return { type: "str", value: text };
}

const integer = /^([+-]?)(?:(0x[0-9a-f]+|0o[0-7]+|0b[01]+)|0([0-7]+)|(0|[1-9][0-9]*))$/i;
const float = /^[+-]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)(e[+-]?[0-9]+)?$/i;
/** Only here go-yaml lets Go decide where underscores may stand. */
const pointFirst = /^\.[0-9]+(_[0-9]+)*(e[+-]?[0-9]+(_[0-9]+)*)?$/i;
/** An accident of go-yaml: the sign after the base. */
const signInside = /^(0b[+-]|-0b)([01]+)$/;

function resolveNumber(text: string): YamlScalar | undefined {
  const [, sign, based, octal, decimal] = integer.exec(text) ?? [];
  if (decimal !== undefined) return exact(sign, decimal);
  const other = based ?? (octal === undefined ? undefined : `0o${octal}`);
  if (other !== undefined) {
    const scalar = exact(sign, other);
    if (fitsGo(sign, scalar.value)) return scalar;
  }
  if (/^[+-]?[0-9]+$/.test(text)) return exact(text.startsWith("-") ? "-" : "", text.replace(/^[+-]?0*/, "")); // 089
  if (float.test(text)) return finite(text);
  const [, prefix, bits] = signInside.exec(text) ?? [];
  return bits === undefined ? undefined : exact(prefix?.includes("-") ? "-" : "", `0b${bits}`);
}

/** `digits` as BigInt takes them, with the prefix of their base. */
function exact(sign: string | undefined, digits: string): YamlScalar & { type: "int" } {
  const magnitude = BigInt(digits);
  const integer = sign === "-" ? -magnitude : magnitude;
  const number = Number(integer);
  return { type: "int", value: Number.isSafeInteger(number) ? number : integer };
}

/** In 64 bits: unsigned only when there is no sign at all. */
function fitsGo(sign: string | undefined, value: number | bigint): boolean {
  const integer = BigInt(value);
  return BigInt.asIntN(64, integer) === integer || (sign === "" && BigInt.asUintN(64, integer) === integer);
}

function finite(text: string): YamlScalar | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? { type: "float", value } : undefined;
}

const yamlTags = "tag:yaml.org,2002:";

/**
 * A scalar with a tag, whether in quotes or not; `undefined` when the text is none of what the tag names.
 * Tags that YAML does not define leave the text as it stands.
 */
export function resolveTaggedScalar(text: string, tag: string): YamlScalar | undefined {
  const plain = resolvePlainScalar(text);
  switch (tag) {
    case `${yamlTags}bool`:
    case `${yamlTags}int`:
    case `${yamlTags}null`:
      return tag === yamlTags + plain.type ? plain : undefined;
    case `${yamlTags}float`:
      if (plain.type === "int" && typeof plain.value === "number") return { type: "float", value: plain.value };
      return plain.type === "float" ? plain : undefined;
    case `${yamlTags}binary`: {
      const value = decodeBase64(text);
      return value === undefined ? undefined : { type: "str", value };
    }
    default:
      return { type: "str", value: text };
  }
}

/** `undefined` also when the bytes are not UTF-8: Kubernetes would put other characters in their place. */
function decodeBase64(text: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(text.replace(/[\r\n]/g, "")), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
