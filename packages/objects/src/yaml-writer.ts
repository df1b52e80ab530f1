import { SlipwayError } from "./errors.ts";
import { isJsonArray, type JsonArray, type JsonObject, type JsonValue } from "./json.ts";
import { formatYamlKey, formatYamlString } from "./yaml-string.ts";

export function formatYamlDocument(value: JsonValue): string {
  return new Writer().document(value);
}

const MAX_KEY_LENGTH = 1024;

class Writer {
  document(value: JsonValue): string {
    return `${this.#value(value, "")}\n`;
  }

  #value(value: JsonValue, indent: string): string {
    if (typeof value === "string") return formatYamlString(value, indent);
    if (typeof value === "object" && value !== null) {
      return isJsonArray(value) ? this.#list(value, indent) : this.#mapping(value, indent);
    }
    return scalar(value);
  }

  #mapping(object: JsonObject, indent: string): string {
    let out = "";
    const inner = `${indent}  `;
    for (const name of Object.keys(object)) {
      const member = object[name];
      if (member === undefined) continue;
      if (out !== "") out += `\n${indent}`;
      const key = formatYamlKey(name, indent);
      if (key.length > MAX_KEY_LENGTH) {
        out += `? ${key}\n${indent}: ${this.#value(member, inner)}`;
      } else if (typeof member === "object" && member !== null && !isEmpty(member)) {
        out += `${key}:\n${inner}${this.#value(member, inner)}`;
      } else {
        out += `${key}: ${this.#value(member, inner)}`;
      }
    }
    return out === "" ? "{}" : out;
  }

  #list(list: JsonArray, indent: string): string {
    if (list.length === 0) return "[]";
    let out = "";
    const inner = `${indent}  `;
    for (const item of list) {
      if (out !== "") out += `\n${indent}`;
      out += `- ${this.#value(item, inner)}`;
    }
    return out;
  }
}

function isEmpty(container: JsonArray | JsonObject): boolean {
  if (isJsonArray(container)) return container.length === 0;
  for (const name in container) {
    if (container[name] !== undefined) return false;
  }
  return true;
}

function scalar(value: null | boolean | number | bigint): string {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new SlipwayError("not finite", { code: "INVALID_OBJECT" });
    return Object.is(value, -0) ? "-0" : String(value);
  }
  return String(value);
}
