import { readFileSync } from "node:fs";
import { join } from "node:path";

// Prints src/protobuf/kubernetes-fields.ts: `node tools/generate-kubernetes-fields.mjs FOLDER`, where FOLDER holds the
// modules k8s.io/api and k8s.io/apimachinery as the Go module cache lays them out (`go mod download k8s.io/api@VERSION`,
// `go env GOMODCACHE`). generated.proto says what is on the wire; types.go what JSON calls it, when JSON leaves it out,
// and how strategic merge patches merge it. To serve a further kind, add it to `roots`.

const version = "v0.36.3";

const roots = [
  "autoscaling.v1.Scale",
  "coordination.v1.Lease",
  "core.v1.ConfigMap",
  "core.v1.Event",
  "core.v1.Namespace",
  "core.v1.Secret",
  "core.v1.Service",
  "core.v1.ServiceAccount",
  "meta.v1.DeleteOptions",
  "runtime.Unknown",
];

/** Package of the messages, and the folder of its sources. */
const packages = {
  "autoscaling.v1": { proto: "k8s.io.api.autoscaling.v1", folder: `api@${version}/autoscaling/v1` },
  "coordination.v1": { proto: "k8s.io.api.coordination.v1", folder: `api@${version}/coordination/v1` },
  "core.v1": { proto: "k8s.io.api.core.v1", folder: `api@${version}/core/v1` },
  "meta.v1": { proto: "k8s.io.apimachinery.pkg.apis.meta.v1", folder: `apimachinery@${version}/pkg/apis/meta/v1` },
  runtime: { proto: "k8s.io.apimachinery.pkg.runtime", folder: `apimachinery@${version}/pkg/runtime` },
};

/** What has a form of its own in JSON; written by hand in src/protobuf/decode-message.ts. */
const special = new Map([
  ["k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1", "FieldsV1"],
  ["k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime", "MicroTime"],
  ["k8s.io.apimachinery.pkg.apis.meta.v1.Time", "Time"],
  ["k8s.io.apimachinery.pkg.util.intstr.IntOrString", "IntOrString"],
]);
const scalars = new Set(["bool", "bytes", "int32", "int64", "string"]);

const [modules] = process.argv.slice(2);
if (modules === undefined) throw new Error("usage: node tools/generate-kubernetes-fields.mjs FOLDER");

/** Name of a message or Go type to the text between its braces. */
function blocks(file, pattern) {
  const text = readFileSync(join(modules, "k8s.io", file), "utf8").replace(/^\s*\/\/.*$/gm, "");
  return new Map(Array.from(text.matchAll(pattern), ([, name, body]) => [name, body]));
}

const sources = Object.fromEntries(
  Object.entries(packages).map(([name, { folder }]) => [
    name,
    {
      messages: blocks(`${folder}/generated.proto`, /^message (\w+) \{([\s\S]*?)^\}/gm),
      structs: blocks(`${folder}/types.go`, /^type (\w+) struct \{([\s\S]*?)^\}/gm),
    },
  ]),
);

function typeName(proto, within) {
  if (scalars.has(proto)) return proto;
  const full = proto.startsWith(".") ? proto.slice(1) : `${packages[within].proto}.${proto}`;
  const known = special.get(full);
  if (known !== undefined) return known;
  const found = Object.entries(packages).find(([, { proto: prefix }]) => full.replace(/\.\w+$/, "") === prefix);
  if (found === undefined) throw new Error(`${full}: its package is not listed`);
  return `${found[0]}.${full.split(".").at(-1)}`;
}

/** Fields as generated.proto has them, by their names there. */
function wireFields(body) {
  const pattern = /^ {2}(optional|repeated|map<string, ([\w.]+)>) (?:([\w.]+) )?(\w+) = (\d+);/gm;
  return new Map(
    Array.from(body.matchAll(pattern), ([, label, mapped, type, name, number]) => [
      name,
      { label: mapped === undefined ? label : "map", type: mapped ?? type, number: Number(number) },
    ]),
  );
}

/** Fields as the Go struct has them, in its order. */
function structFields(body) {
  const pattern = /^\t(?:(\w+) )?(\*?)([\w.[\]*]+) `(.*)`/gm;
  return Array.from(body.matchAll(pattern), ([, , pointer, goType, tags]) => {
    const tag = (name) => new RegExp(`\\b${name}:"([^"]*)"`).exec(tags)?.[1];
    const [json, ...options] = (tag("json") ?? "").split(",");
    return {
      wireName: /name=(\w+)/.exec(tag("protobuf") ?? "")?.[1],
      json,
      isPointer: pointer === "*",
      goType: goType.replace(/^(?:\[\]|map\[string\])/, ""),
      omitEmpty: options.includes("omitempty"),
      omitZero: options.includes("omitzero"),
      strategy: tag("patchStrategy"),
      mergeKey: tag("patchMergeKey"),
    };
  });
}

/** What Go calls a scalar that has a type of its own. */
function goName(goType, type) {
  if (!scalars.has(type) || ["bool", "byte", "[]byte", "int32", "int64", "string"].includes(goType)) return undefined;
  return goType.includes(".") ? goType.replace(/^metav1\./, "v1.") : `v1.${goType}`;
}

function fieldCode(message, field, wire, type) {
  const name = goName(field.goType, type);
  const code = unnamedCode(message, field, wire, type);
  return name === undefined ? code : `named("${name}", ${code})`;
}

function unnamedCode(message, field, wire, type) {
  const { number, label } = wire;
  const patch = [field.strategy, field.mergeKey]
    .filter((part) => part !== undefined)
    .map((part) => JSON.stringify(part));
  const call = (name) => `${name}(${[number, JSON.stringify(type), ...patch].join(", ")})`;
  if (label !== "optional" || type === "bytes") {
    if (!field.omitEmpty && message !== "runtime.Unknown") throw new Error(`${message}.${field.json}: always in JSON`);
    return call(label === "repeated" ? "list" : label === "map" ? "map" : "value");
  }
  if (field.isPointer) return call("pointer");
  // Go's omitempty has no effect on structs.
  return call(field.omitZero || (field.omitEmpty && scalars.has(type)) ? "value" : "always");
}

const code = new Map();

function addMessage(name) {
  if (code.has(name)) return;
  code.set(name, []);
  const [, within, short] = /^(.*)\.(\w+)$/.exec(name);
  const message = sources[within].messages.get(short);
  const struct = sources[within].structs.get(short);
  if (message === undefined || struct === undefined) throw new Error(`${name}: no such message`);
  const wires = wireFields(message);
  const needed = [];
  for (const field of structFields(struct)) {
    const wire = wires.get(field.wireName);
    if (wire === undefined) continue;
    wires.delete(field.wireName);
    const type = typeName(wire.type, within);
    const json = field.json === "" || field.json === "-" ? field.wireName : field.json;
    code.get(name).push(`    ${json}: ${fieldCode(name, field, wire, type)},`);
    if (type.includes(".")) needed.push(type);
  }
  if (wires.size > 0) throw new Error(`${name}: the Go struct lacks ${[...wires.keys()].join(", ")}`);
  for (const type of needed) addMessage(type);
}

for (const root of roots) addMessage(root);

const sorted = [...code].sort(([a], [b]) => (a < b ? -1 : 1));
process.stdout.write(`// Written by tools/generate-kubernetes-fields.mjs from k8s.io/api and k8s.io/apimachinery ${version},
// Copyright The Kubernetes Authors, Apache License 2.0. Do not edit.
import { always, list, type MessageFields, map, named, pointer, value } from "./field.ts";

/** The messages that are read here, by package and name. */
export const kubernetesFields: Readonly<Record<string, MessageFields>> = {
${sorted.map(([name, lines]) => `  "${name}": {\n${lines.join("\n")}\n  },`).join("\n")}
};
`);
