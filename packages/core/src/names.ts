import type { Construct } from "constructs";
import { usesLegacyHash } from "./node/environment.ts";
import { sha1Hex, sha256Hex } from "./node/hash.ts";

export interface NameOptions {
  /**
   * Most characters of the result.
   * @default 63
   */
  readonly maxLen?: number;
  /**
   * Further components, after those of the path. They are not part of the hash.
   * @default []
   */
  readonly extra?: string[];
  /**
   * Between components.
   * @default "-"
   */
  readonly delimiter?: string;
  /**
   * End with a hash of the construct's path.
   * @default true
   */
  readonly includeHash?: boolean;
}

const defaults = { maxLen: 63, delimiter: "-", includeHash: true } as const;

/** In characters: `c8` and six hexadecimal digits of the construct's address. */
const HASH_LENGTH = 8;

/** Names for Kubernetes objects and values for their labels, from the path of a construct. */
export class Names {
  /**
   * A name from the path of `scope`: its components in lower case and a hash, the earliest components cut first when it
   * is too long. A path of one component that is a DNS label already stays as it is, without a hash.
   *
   * As in cdk8s the result may hold `.` and `_`, words that are `default` or `resource` are left out, and a delimiter of
   * several characters may make it longer than `maxLen`.
   *
   * @throws {Error} when `maxLen` is below 8 and a hash is asked for.
   */
  static toDnsLabel(scope: Construct, options: NameOptions = {}): string {
    const maxLen = options.maxLen ?? defaults.maxLen;
    const includeHash = options.includeHash ?? defaults.includeHash;
    if (includeHash && maxLen < HASH_LENGTH) {
      throw new Error(`minimum max length for object names is ${HASH_LENGTH} (required for hash)`);
    }
    const quick = includeHash && options.extra === undefined && options.delimiter === undefined;
    if (quick && staysAsItIs(scope.node.path, maxLen))
      return `${scope.node.path.replaceAll("/", "-")}-${hashOf(scope)}`;
    const components = componentsOf(scope, options);
    const [only] = components;
    if (components.length === 1 && only !== undefined && /^[0-9a-z-]+$/.test(only) && only.length <= maxLen)
      return only;
    const normalized = components.map((component) => normalize(component.toLowerCase(), maxLen));
    if (includeHash) normalized.push(hashOf(scope));
    return toHumanForm(normalized, options.delimiter ?? defaults.delimiter, maxLen);
  }

  /**
   * A label value from the path of `scope`: as {@link Names.toDnsLabel}, in the case it has. The first character is a
   * letter or digit, the last one need not be.
   *
   * @throws {Error} when `maxLen` is below 8 and a hash is asked for, or `delimiter` may not stand in a label value.
   */
  static toLabelValue(scope: Construct, options: NameOptions = {}): string {
    const maxLen = options.maxLen ?? defaults.maxLen;
    const delimiter = options.delimiter ?? defaults.delimiter;
    const includeHash = options.includeHash ?? defaults.includeHash;
    if (includeHash && maxLen < HASH_LENGTH) {
      throw new Error(`minimum max length for label is ${HASH_LENGTH} (required for hash)`);
    }
    if (/[^0-9a-zA-Z-_.]/.test(delimiter)) throw new Error('delim should not contain "[^0-9a-zA-Z-_.]"');
    const components = componentsOf(scope, options);
    const [only] = components;
    if (components.length === 1 && only !== undefined && isLabelValue(only) && only.length <= maxLen) return only;
    const normalized = components.map((component) => normalize(component, maxLen));
    if (includeHash) normalized.push(hashOf(scope));
    return toHumanForm(normalized, delimiter, maxLen).replace(/^[^0-9a-zA-Z]+/, "");
  }

  private constructor() {}
}

/** Components of lower case letters, digits and single hyphens, two or more. */
const plainPath = /^[0-9a-z]+(?:-[0-9a-z]+)*(?:\/[0-9a-z]+(?:-[0-9a-z]+)*)+$/;

/** Whether nothing of a path is changed on its way into a DNS label, as with most: then it need not be taken apart. */
function staysAsItIs(path: string, maxLen: number): boolean {
  if (path.length + 1 + HASH_LENGTH > maxLen || !plainPath.test(path)) return false;
  return !path.includes("default") && !path.includes("resource") && !hasNeighboursAlike(path);
}

function hasNeighboursAlike(path: string): boolean {
  let start = 0;
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", start)) {
    const next = path.indexOf("/", slash + 1);
    const length = slash - start;
    const nextLength = (next === -1 ? path.length : next) - slash - 1;
    if (length === nextLength && path.startsWith(path.slice(start, slash), slash + 1)) return true;
    start = slash + 1;
  }
  return false;
}

function componentsOf(scope: Construct, { extra }: NameOptions): string[] {
  const components = scope.node.path.split("/");
  return extra === undefined || extra === null ? components : components.concat(extra);
}

function isLabelValue(text: string): boolean {
  return /^(?:[0-9a-zA-Z](?:[0-9a-zA-Z-_.]*[0-9a-zA-Z])?)?$/.test(text);
}

function normalize(component: string, maxLen: number): string {
  const kept = /[^0-9a-zA-Z-_.]/.test(component) ? component.replace(/[^0-9a-zA-Z-_.]/g, "") : component;
  return kept.slice(0, maxLen);
}

function hashOf(scope: Construct): string {
  const hash = usesLegacyHash() ? sha256Hex(scope.node.path) : addressOf(scope);
  return hash.slice(0, HASH_LENGTH);
}

/** What `node.addr` gives, which takes three times as long. Nearly every object needs it for its name. */
function addressOf({ node: { scopes } }: Construct): string {
  let text = "";
  for (const { node } of scopes) if (node.id !== "Default") text += `${node.id}\n`;
  return `c8${sha1Hex(text)}`;
}

/** The later a component stands, the more it tells: it is the first ones that are cut. */
function toHumanForm(components: readonly string[], delimiter: string, maxLen: number): string {
  const kept = keepLast(components, maxLen).filter((component) => component !== "");
  const words = kept.join(delimiter).split(delimiter);
  return words.filter((word) => word !== "" && !isHidden(word)).join(delimiter);
}

/**
 * The last components that fit, the first of them cut at its end. One that repeats the next is left out. A separator
 * counts as one character whatever the delimiter.
 */
function keepLast(components: readonly string[], maxLen: number): string[] {
  const kept: string[] = [];
  let room = maxLen;
  let next: string | undefined;
  for (let index = components.length - 1; index >= 0 && room > 0; index -= 1) {
    const component = components[index] as string;
    if (component === next) continue;
    next = component;
    kept.push(component.slice(0, room));
    room -= component.length + 1;
  }
  return kept.reverse();
}

function isHidden(word: string): boolean {
  if (word.length !== 7 && word.length !== 8) return false;
  const lower = word.toLowerCase();
  return lower === "default" || lower === "resource";
}
