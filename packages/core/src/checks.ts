import {
  builtInScope,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  findJsonProblem,
  formatReference,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  labelValue,
  qualifiedName,
} from "@slipway/objects";
import { hooksOf } from "./helm-hooks.ts";
import { locationOf } from "./origin.ts";
import type { SynthDocument } from "./outputs.ts";
import { type CheckCode, type Checks, type SynthProblem, severityOf } from "./problem.ts";
import { transformerOf } from "./transformer.ts";

/** The construct that renders an object. */
type Maker = Pick<SynthDocument, "path" | "construct">;

interface Identity {
  readonly apiVersion: JsonValue | undefined;
  readonly kind: string;
  readonly name: JsonValue | undefined;
  readonly namespace: JsonValue | undefined;
}

/** What is kept of an object to recognise a second one. */
interface Claim extends Maker, Identity {}

/** Of objects of one group and kind, by namespace and name: one, or all of several. */
type Claims = Map<string, Map<string, Claim | Claim[]>>;

interface ObjectParts extends Claim {
  readonly object: JsonObject;
  readonly metadata: JsonObject;
  readonly facts: KindFacts;
}

/** Looks for everything in what a program makes that would be lost, or refused by a cluster. */
export class ProblemSearch {
  readonly #checks: Checks | undefined;
  readonly #problems: SynthProblem[] = [];
  readonly #outputs = new Map<string, string[]>();
  readonly #kinds = new Map<string, KindFacts>();
  /** By group and kind. */
  readonly #claims = new Map<string, Claims>();
  readonly #duplicates: Claim[][] = [];
  /** Keys and values of labels and annotations that are known to be good: the same few stand on many objects. */
  readonly #goodKeys = new Set<string>();
  readonly #goodValues = new Set<string>();

  constructor(checks: Checks | undefined) {
    this.#checks = checks;
  }

  /** A file that is to be written. */
  addOutput(name: string): void {
    const key = name.toLowerCase();
    const names = this.#outputs.get(key);
    if (names === undefined) this.#outputs.set(key, [name]);
    else names.push(name);
  }

  /**
   * @param isInDoubt Whether a value may be one that JSON cannot hold; when that is not known, it is looked for.
   */
  addDocument(document: SynthDocument, isInDoubt?: boolean): void {
    const parts = this.#partsOf(document);
    if (parts === undefined) return;
    this.#claim(parts);
    this.#checkName(parts);
    this.#checkMap(parts, "labels", "INVALID_LABEL");
    this.#checkMap(parts, "annotations", "INVALID_ANNOTATION");
    if (parts.facts.holdsData) this.#checkData(parts);
    if (isInDoubt ?? !isClean(parts.object)) this.#checkValues(parts);
    this.#checkHooks(parts);
  }

  #partsOf({ value, path, construct }: SynthDocument): ObjectParts | undefined {
    const object = value as JsonValue | undefined;
    if (object === undefined || !isJsonObject(object)) return undefined;
    const { apiVersion, kind } = object;
    const metadata = object.metadata !== undefined && isJsonObject(object.metadata) ? object.metadata : {};
    const { name, namespace } = metadata;
    const facts = this.#factsOf(textOf(apiVersion), textOf(kind));
    return { object, metadata, facts, apiVersion, kind: textOf(kind), name, namespace, path, construct };
  }

  #factsOf(apiVersion: string, kind: string): KindFacts {
    return getOrAdd(this.#kinds, `${apiVersion} ${kind}`, () => {
      const group = parseGroup(apiVersion);
      const claims: Claims = getOrAdd(this.#claims, `${group}/${kind}`, () => new Map());
      return factsOf(group, kind, claims);
    });
  }

  /** All problems: of single objects in the order they came, then of several. */
  finish(): SynthProblem[] {
    for (const claims of this.#duplicates) this.#addDuplicate(claims);
    for (const names of this.#outputs.values()) if (names.length > 1) this.#addCollision(names);
    return this.#problems;
  }

  #add(code: CheckCode, problem: Pick<SynthProblem, "path" | "object" | "field" | "message">): void {
    const severity = severityOf(code, this.#checks);
    if (severity !== "ignore") this.#problems.push({ code, severity, ...problem });
  }

  #addAt(code: CheckCode, parts: ObjectParts, field: string, fact: string): void {
    const object = describe(parts);
    const where = field === "" ? "" : ` ${field}:`;
    const { path } = parts;
    this.#add(code, { path, object, field, message: `${object} (${describeMaker(parts)}):${where} ${fact}` });
  }

  #claim({ facts, apiVersion, kind, name, namespace, path, construct }: ObjectParts): void {
    if (typeof name !== "string" || kind === "") return;
    const scope = typeof namespace !== "string" || facts.isClusterWide ? "" : namespace;
    const claims = getOrAdd(facts.claims, scope, () => new Map<string, Claim | Claim[]>());
    const claim = { apiVersion, kind, name, namespace, path, construct };
    const earlier = claims.get(name);
    if (earlier === undefined) claims.set(name, claim);
    else if (Array.isArray(earlier)) earlier.push(claim);
    else {
      const all = [earlier, claim];
      claims.set(name, all);
      this.#duplicates.push(all);
    }
  }

  #addDuplicate(claims: readonly Claim[]): void {
    const [first] = claims as readonly [Claim];
    const hasVersions = claims.some(({ apiVersion }) => apiVersion !== first.apiVersion);
    const makers = claims.map((claim) => {
      const maker = describeMaker(claim);
      return hasVersions ? `${maker} as ${String(claim.apiVersion)}` : maker;
    });
    const object = describe(first);
    const fact = `${object} is rendered by ${joinWords(makers)}: the last apply would silently overwrite the first.`;
    const message = `${fact} Give one of them another name.`;
    this.#add("DUPLICATE_OBJECT", { path: first.path, object, field: "", message });
  }

  #addCollision(names: readonly string[]): void {
    const different = [...new Set(names)];
    const fact =
      different.length === 1
        ? `${names.length} outputs are named so, and only the last would be there.`
        : `${joinWords(different)} are one file where case does not count, and only the last would be there.`;
    const remedy = "Name charts or objects differently, or write another YamlOutputType.";
    this.#add("OUTPUT_COLLISION", { path: "", object: "", field: "", message: `${names[0]}: ${fact} ${remedy}` });
  }

  #checkName(parts: ObjectParts): void {
    const { name } = parts;
    if (name === undefined || name === null) {
      if (typeof parts.metadata.generateName === "string" || isList(parts)) return;
      this.#addAt("MISSING_NAME", parts, "metadata.name", "there is none, and the cluster would refuse the object.");
    } else if (typeof name !== "string") {
      this.#addAt("INVALID_NAME", parts, "metadata.name", `it is a ${typeof name}. Make it a text.`);
    } else {
      const [problem] = parts.facts.nameRule(name);
      if (problem !== undefined) this.#addAt("INVALID_NAME", parts, "metadata.name", `"${name}": ${problem}.`);
    }
  }

  #checkMap(parts: ObjectParts, member: "labels" | "annotations", code: CheckCode): void {
    const map = parts.metadata[member];
    if (!isJsonObject(map)) return;
    for (const key of Object.keys(map)) {
      const value = map[key];
      const keyProblem = this.#keyProblem(key);
      if (keyProblem !== undefined) this.#addAt(code, parts, memberField(member, key), `${keyProblem}.`);
      if (typeof value !== "string") {
        this.#addAt(code, parts, memberField(member, key), `it is a ${typeName(value)}. Make it a text.`);
      } else if (member === "labels") {
        const problem = this.#labelValueProblem(value);
        if (problem !== undefined) this.#addAt(code, parts, memberField(member, key), `"${value}": ${problem}.`);
      }
    }
  }

  #keyProblem(key: string): string | undefined {
    if (this.#goodKeys.has(key)) return undefined;
    const [problem] = qualifiedName(key);
    if (problem === undefined) this.#goodKeys.add(key);
    return problem;
  }

  #labelValueProblem(value: string): string | undefined {
    if (this.#goodValues.has(value)) return undefined;
    const [problem] = labelValue(value);
    if (problem === undefined) this.#goodValues.add(value);
    return problem;
  }

  /** Of a ConfigMap or a Secret. Values are not printed: they may be secret. */
  #checkData(parts: ObjectParts): void {
    for (const member of ["data", "stringData", "binaryData"] as const) {
      const map = parts.object[member];
      if (!isJsonObject(map)) continue;
      for (const [key, value] of Object.entries(map)) {
        if (value === undefined || value === null) continue; // an object may come as the program gave it
        const field = `${member}[${JSON.stringify(key)}]`;
        const problem = dataKeyProblem(key);
        if (problem !== undefined) this.#addAt("INVALID_DATA_KEY", parts, field, problem);
        if (typeof value !== "string") {
          this.#addAt("INVALID_VALUE", parts, field, `it is a ${typeName(value)}. Make it a text.`);
        } else if (isBase64Member(parts.kind, member) && !isBase64(value)) {
          this.#addAt("INVALID_VALUE", parts, field, "it is not in base64. Encode it, or use stringData.");
        }
      }
    }
  }

  #checkValues(parts: ObjectParts): void {
    const problem = findJsonProblem(parts.object) ?? findUnsafeInteger(parts.object, "");
    if (problem === undefined) return;
    this.#addAt("INVALID_VALUE", parts, problem.path, `${problem.fact}.`);
  }

  #checkHooks(parts: ObjectParts): void {
    if (parts.metadata.annotations === undefined) return;
    const hooks = hooksOf(parts.object);
    if (hooks.length === 0) return;
    const fact = `it is a Helm hook (${hooks.join(", ")}) and would be applied like any other object.`;
    this.#addAt("CHART_HOOK", parts, 'metadata.annotations["helm.sh/hook"]', fact);
  }
}

/** kubectl applies what is in a list, which has no name itself. */
function isList({ kind, object }: ObjectParts): boolean {
  return kind.endsWith("List") && Array.isArray(object.items);
}

function memberField(member: string, key: string): string {
  return `metadata.${member}[${JSON.stringify(key)}]`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function describe({ kind, name, namespace }: Identity): string {
  const reference = { kind, namespace: textOf(namespace), name: textOf(name) };
  return reference.name === "" ? kind : formatReference(reference);
}

/** The construct, its class, and the line that made it when that is known. */
function describeMaker({ path, construct }: Maker): string {
  const location = locationOf(construct);
  const place = location === undefined ? "" : `, ${location.file}:${location.line}`;
  return `${path} by ${transformerOf(construct)}${place}`;
}

function getOrAdd<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make();
  map.set(key, value);
  return value;
}

function joinWords(words: readonly string[]): string {
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value === "object" ? "map" : typeof value;
}

type NameRule = (name: string) => readonly string[];

/** The kinds whose names are not DNS subdomains, by group and kind. */
const nameRules: Readonly<Record<string, NameRule>> = {
  "/Namespace": dns1123Label,
  "/Service": dns1035Label,
  "rbac.authorization.k8s.io/ClusterRole": pathSegment,
  "rbac.authorization.k8s.io/ClusterRoleBinding": pathSegment,
  "rbac.authorization.k8s.io/Role": pathSegment,
  "rbac.authorization.k8s.io/RoleBinding": pathSegment,
};

/** What is the same for all objects of a kind. */
interface KindFacts {
  readonly claims: Claims;
  readonly isClusterWide: boolean;
  /** It is a ConfigMap or a Secret. */
  readonly holdsData: boolean;
  readonly nameRule: NameRule;
}

function factsOf(group: string, kind: string, claims: Claims): KindFacts {
  const groupKind = `${group}/${kind}`;
  return {
    claims,
    isClusterWide: builtInScope({ group, kind }) === "Cluster",
    holdsData: groupKind === "/ConfigMap" || groupKind === "/Secret",
    nameRule: nameRules[groupKind] ?? dns1123Subdomain,
  };
}

function parseGroup(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}

/** @see k8s.io/apimachinery/pkg/api/validation/path: what may be one step of a URL */
function pathSegment(name: string): readonly string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  const found = ["/", "%"].find((character) => name.includes(character));
  return found === undefined ? [] : [`may not contain '${found}'`];
}

/** @see k8s.io/apimachinery/pkg/util/validation: IsConfigMapKey */
function dataKeyProblem(key: string): string | undefined {
  if (key.length > 253) return `the key has ${key.length} characters, 253 are allowed.`;
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) return "a key may have letters, digits, '-', '_' and '.' only.";
  if (key === ".") return "a key may not be '.'.";
  return key.startsWith("..") ? "a key may not begin with '..'." : undefined;
}

function isBase64Member(kind: string, member: string): boolean {
  return kind === "Secret" ? member === "data" : member === "binaryData";
}

/** Go's decoder skips ends of lines. */
function isBase64(text: string): boolean {
  const kept = text.replace(/[\r\n]/g, "");
  return kept.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(kept);
}

/** Whether there is nothing in `value` that needs a closer look. Most objects have no problem: this is all they cost. */
function isClean(value: unknown): boolean {
  switch (typeof value) {
    case "string":
      return !/[\ud800-\udfff]/.test(value);
    case "number":
      return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
    case "boolean":
    case "bigint":
      return true;
    case "object":
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isClean) && !hasHoles(value);
      for (const name in value) if (!isClean((value as Readonly<Record<string, unknown>>)[name])) return false;
      return true;
    default:
      return false;
  }
}

function hasHoles(list: readonly unknown[]): boolean {
  return Object.keys(list).length < list.length;
}

function findUnsafeInteger(value: unknown, path: string): { readonly path: string; readonly fact: string } | undefined {
  if (typeof value === "number") {
    if (!Number.isInteger(value) || Number.isSafeInteger(value)) return undefined;
    return { path, fact: `${value} is beyond 2^53, so it may not be the number that was meant. Use a bigint` };
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const step = Array.isArray(value) ? `[${name}]` : path === "" ? name : `.${name}`;
    const problem = findUnsafeInteger(member, `${path}${step}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
