import { parseStructuralSchema, type StructuralSchema } from "@slipway/apiserver";
import {
  dns1035Label,
  type FieldError,
  formatFieldError,
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type KubernetesObject,
  parseApiVersion,
  parseJson,
  SlipwayError,
  validateLabels,
} from "@slipway/objects";
import { fluxDuration, formatDuration, type Nanoseconds, parseDuration } from "./duration.ts";
import type { ReleaseFlags } from "./release-flags.ts";

/** A CEL expression set that tells helm-controller when an object of a release is healthy. */
export interface HealthCheckExpression extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly current: string;
  readonly inProgress?: string | undefined;
  readonly failed?: string | undefined;
}

export interface ChartReference extends JsonObject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** What every release of a kind carries. Durations are in Go's form: `10m0s`. */
export interface ReleaseTemplate {
  /** Before the application's name; may be empty. */
  readonly prefix: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly chartRef: ChartReference;
  readonly interval: string;
  readonly retryInterval: string;
  readonly installTimeout: string;
  readonly upgradeTimeout: string;
  readonly maxHistory: number;
  readonly disableWait: boolean;
  readonly waitStrategy?: string | undefined;
  readonly healthCheckExprs: readonly HealthCheckExpression[];
}

/** A kind as an ApplicationDefinition declares it, checked. */
export interface Definition {
  /** Of the ApplicationDefinition. */
  readonly name: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly release: ReleaseTemplate;
  /** Of the application's spec; both absent for a kind without a schema. */
  readonly schema?: StructuralSchema | undefined;
  /** The same as it was written, for publishing. */
  readonly rawSchema?: JsonObject | undefined;
}

export interface ReadDefinition {
  /** Absent when there are problems. */
  readonly definition?: Definition | undefined;
  /** Each names its field: `spec.application.kind: Required value`. */
  readonly problems: readonly string[];
}

/**
 * Reads an ApplicationDefinition (`cozystack.io/v1alpha1`) as untrusted input. Never throws: everything wrong with it
 * is in `problems`, and its kind is then not served.
 */
export function readDefinition(object: KubernetesObject, flags: ReleaseFlags): ReadDefinition {
  const fields = new Fields();
  if (object.kind !== "ApplicationDefinition" || parseApiVersion(object.apiVersion).group !== "cozystack.io") {
    fields.add({
      type: "FieldValueInvalid",
      field: "kind",
      value: `${object.kind} in ${object.apiVersion}`,
      detail: "must be ApplicationDefinition in cozystack.io/v1alpha1",
    });
    return { problems: fields.problems };
  }
  const spec = fields.object(object, "spec", "");
  const application = fields.object(spec, "application", "spec");
  const names = readNames(application, fields);
  const schema = readSchema(application, fields);
  const release = readRelease(fields.object(spec, "release", "spec"), fields);
  const tuning = readAnnotations(object.metadata.annotations ?? {}, flags, fields);
  if (fields.problems.length > 0) return { problems: fields.problems };
  const definition: Definition = {
    name: object.metadata.name ?? "",
    ...names,
    ...schema,
    release: {
      ...release,
      ...tuning,
      interval: formatDuration(flags.interval),
      retryInterval: formatDuration(flags.retryInterval),
      maxHistory: flags.maxHistory,
    },
  };
  return { definition, problems: [] };
}

function readNames(
  application: JsonObject | undefined,
  fields: Fields,
): Pick<Definition, "kind" | "plural" | "singular"> {
  const at = "spec.application";
  const kind = fields.text(application, "kind", at);
  if (kind !== "" && !/^[A-Za-z][A-Za-z0-9]{0,62}$/.test(kind)) {
    fields.invalid(`${at}.kind`, kind, "must be a letter followed by at most 62 letters and digits");
  }
  const label = (name: "plural" | "singular"): string => {
    const value = fields.text(application, name, at);
    if (value !== "") for (const detail of dns1035Label(value)) fields.invalid(`${at}.${name}`, value, detail);
    return value;
  };
  return { kind, plural: label("plural"), singular: label("singular") };
}

/** The schema's text holds a JSON document; blank text means that the spec has no schema. */
function readSchema(application: JsonObject | undefined, fields: Fields): Pick<Definition, "schema" | "rawSchema"> {
  const at = "spec.application.openAPISchema";
  if (application === undefined) return {};
  const text = getMember(application, "openAPISchema");
  if (typeof text !== "string") {
    fields.add(
      text === undefined || text === null
        ? { type: "FieldValueRequired", field: at }
        : { type: "FieldValueInvalid", field: at, value: text, detail: "must be a string" },
    );
    return {};
  }
  if (text.trim() === "") return {};
  const raw = readSchemaText(text, at, fields);
  if (raw === undefined) return {};
  const { schema, problems } = parseStructuralSchema(raw, { rules: "lenient" });
  for (const problem of problems) fields.problems.push(`${at}: ${problem}`);
  if (schema?.type !== undefined && schema.type !== "object") {
    fields.problems.push(`${at}: type: Invalid value: "${schema.type}": must be object at the root`);
  }
  return schema === undefined ? {} : { schema, rawSchema: raw };
}

function readSchemaText(text: string, at: string, fields: Fields): JsonObject | undefined {
  try {
    const raw = parseJson(text);
    if (isJsonObject(raw)) return raw;
    fields.problems.push(`${at}: must be a JSON object`);
  } catch (error) {
    if (!SlipwayError.isSlipwayError(error)) throw error;
    fields.problems.push(`${at}: ${error.message}`);
  }
  return undefined;
}

type ReleaseOfSpec = Pick<ReleaseTemplate, "prefix" | "labels" | "chartRef" | "waitStrategy" | "healthCheckExprs">;

function readRelease(release: JsonObject | undefined, fields: Fields): ReleaseOfSpec {
  const at = "spec.release";
  const prefix = fields.optionalText(release, "prefix", at) ?? "";
  if (!/^([a-z0-9][a-z0-9-]*)?$/.test(prefix)) {
    fields.invalid(
      `${at}.prefix`,
      prefix,
      "must consist of lower case letters, digits and '-', and not begin with '-'",
    );
  }
  const labels = readLabels(release, fields);
  const chartRef = readChartRef(fields.object(release, "chartRef", at), fields);
  const healthCheckExprs = readHealthChecks(release, fields);
  const waitStrategy = fields.optionalText(release, "waitStrategy", at);
  if (waitStrategy !== undefined && waitStrategy !== "") {
    fields.oneOf(`${at}.waitStrategy`, waitStrategy, ["poller", "legacy"]);
    return { prefix, labels, chartRef, healthCheckExprs, waitStrategy };
  }
  // Health checks mean something to the poller only, so it is chosen where they are given.
  return healthCheckExprs.length === 0
    ? { prefix, labels, chartRef, healthCheckExprs }
    : { prefix, labels, chartRef, healthCheckExprs, waitStrategy: "poller" };
}

function readLabels(release: JsonObject | undefined, fields: Fields): Readonly<Record<string, string>> {
  const at = "spec.release.labels";
  const given = release === undefined ? undefined : getMember(release, "labels");
  if (given === undefined || given === null) return {};
  if (!isJsonObject(given)) {
    fields.invalid(at, given, "must be an object");
    return {};
  }
  const labels: [string, string][] = [];
  for (const [key, value] of Object.entries(given)) {
    if (typeof value === "string") labels.push([key, value]);
    else fields.invalid(`${at}.${key}`, value ?? null, "must be a string");
  }
  const result = Object.fromEntries(labels);
  for (const error of validateLabels(result, at)) fields.add(error);
  return result;
}

function readChartRef(chartRef: JsonObject | undefined, fields: Fields): ChartReference {
  const at = "spec.release.chartRef";
  const kind = fields.text(chartRef, "kind", at);
  if (kind !== "") fields.oneOf(`${at}.kind`, kind, ["OCIRepository", "HelmChart", "ExternalArtifact"]);
  const name = fields.text(chartRef, "name", at);
  if (name.length > 253) fields.invalid(`${at}.name`, name, "must be no more than 253 characters");
  const namespace = fields.optionalText(chartRef, "namespace", at);
  if (namespace === undefined || namespace === "") return { kind, name };
  if (namespace.length > 63) fields.invalid(`${at}.namespace`, namespace, "must be no more than 63 characters");
  return { kind, name, namespace };
}

function readHealthChecks(release: JsonObject | undefined, fields: Fields): HealthCheckExpression[] {
  const at = "spec.release.healthCheckExprs";
  const given = release === undefined ? undefined : getMember(release, "healthCheckExprs");
  if (given === undefined || given === null) return [];
  if (!isJsonArray(given)) {
    fields.invalid(at, given, "must be a list");
    return [];
  }
  return given.map((item, index) => {
    const path = `${at}[${index}]`;
    if (!isJsonObject(item)) fields.invalid(path, item, "must be an object");
    const check = isJsonObject(item) ? item : undefined;
    const inProgress = fields.optionalText(check, "inProgress", path);
    const failed = fields.optionalText(check, "failed", path);
    return {
      apiVersion: fields.text(check, "apiVersion", path),
      kind: fields.text(check, "kind", path),
      ...(inProgress === undefined ? {} : { inProgress }),
      ...(failed === undefined ? {} : { failed }),
      current: fields.text(check, "current", path),
    };
  });
}

const annotationKeys = {
  installTimeout: "release.cozystack.io/helm-install-timeout",
  upgradeTimeout: "release.cozystack.io/helm-upgrade-timeout",
  disableWait: "release.cozystack.io/helm-install-disable-wait",
} as const;

/** The install timeout counts for upgrades too, unless they have their own. */
function readAnnotations(
  annotations: Readonly<Record<string, string>>,
  flags: ReleaseFlags,
  fields: Fields,
): Pick<ReleaseTemplate, "installTimeout" | "upgradeTimeout" | "disableWait"> {
  const timeout = (key: string): Nanoseconds => readTimeout(annotations[key] ?? "", key, fields);
  const install = timeout(annotationKeys.installTimeout);
  const upgrade = timeout(annotationKeys.upgradeTimeout);
  const disableWait = (annotations[annotationKeys.disableWait] ?? "").trim().toLowerCase();
  if (disableWait !== "" && disableWait !== "true" && disableWait !== "false") {
    const raw = JSON.stringify(annotations[annotationKeys.disableWait]);
    fields.badAnnotation(annotationKeys.disableWait, `must be "true" or "false", got ${raw}`);
  }
  return {
    installTimeout: formatDuration(install || flags.installTimeout),
    upgradeTimeout: formatDuration(upgrade || install || flags.upgradeTimeout),
    disableWait: disableWait === "true",
  };
}

/** 0 is unset. */
function readTimeout(raw: string, key: string, fields: Fields): Nanoseconds {
  if (raw === "") return 0n;
  const quoted = JSON.stringify(raw);
  if (!fluxDuration.test(raw)) {
    const regex = "^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$";
    fields.badAnnotation(key, `must match ${regex} (Flux accepts ms/s/m/h units only), got ${quoted}`);
    return 0n;
  }
  const duration = parseDuration(raw);
  if (duration === undefined) {
    fields.badAnnotation(key, `time.ParseDuration(${quoted}): time: invalid duration ${quoted}`);
    return 0n;
  }
  if (!fluxDuration.test(formatDuration(duration))) {
    fields.badAnnotation(key, `must be 0 or at least 1ms, got ${quoted}`);
    return 0n;
  }
  return duration;
}

/** Reads members one by one and collects what is wrong with them. A missing parent is reported once, by itself. */
class Fields {
  readonly problems: string[] = [];

  add(error: FieldError): void {
    this.problems.push(formatFieldError(error));
  }

  invalid(field: string, value: JsonValue, detail: string): void {
    this.add({ type: "FieldValueInvalid", field, value, detail });
  }

  oneOf(field: string, value: string, allowed: readonly string[]): void {
    if (allowed.includes(value)) return;
    const list = allowed.map((item) => JSON.stringify(item)).join(", ");
    this.add({ type: "FieldValueNotSupported", field, value, detail: `supported values: ${list}` });
  }

  badAnnotation(key: string, reason: string): void {
    this.problems.push(`invalid ${key} annotation: ${reason}`);
  }

  object(parent: JsonObject | undefined, name: string, at: string): JsonObject | undefined {
    if (parent === undefined) return undefined;
    const field = at === "" ? name : `${at}.${name}`;
    const value = getMember(parent, name);
    if (isJsonObject(value)) return value;
    if (value === undefined || value === null) this.add({ type: "FieldValueRequired", field });
    else this.invalid(field, value, "must be an object");
    return undefined;
  }

  /** `""` when it is missing or of another type, which has been reported. */
  text(parent: JsonObject | undefined, name: string, at: string): string {
    const before = this.problems.length;
    const value = this.optionalText(parent, name, at) ?? "";
    if (value === "" && parent !== undefined && this.problems.length === before) {
      this.add({ type: "FieldValueRequired", field: `${at}.${name}` });
    }
    return value;
  }

  optionalText(parent: JsonObject | undefined, name: string, at: string): string | undefined {
    const value = parent === undefined ? undefined : getMember(parent, name);
    if (value === undefined || value === null || typeof value === "string") return value ?? undefined;
    this.invalid(`${at}.${name}`, value, "must be a string");
    return undefined;
  }
}
