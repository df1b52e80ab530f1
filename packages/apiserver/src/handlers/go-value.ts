import { byCodeUnit, goFloat, isJsonArray, isJsonObject, type JsonValue } from "@slipway/objects";

/** A JSON value as Go prints it by `%v`: `map[a:1 b:[x y]]`. */
export function formatGoValue(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (isJsonArray(value)) return `[${value.map(formatGoValue).join(" ")}]`;
  if (isJsonObject(value)) {
    const members = Object.keys(value)
      .sort(byCodeUnit)
      .map((name) => `${name}:${formatGoValue(value[name] ?? null)}`);
    return `map[${members.join(" ")}]`;
  }
  return typeof value === "number" && !Number.isInteger(value) ? goFloat(value) : String(value);
}

/** The Go type that a JSON value has in Kubernetes when nothing says which. */
export function goType(value: JsonValue): string {
  if (value === null) return "%!s(<nil>)";
  if (isJsonArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "string":
      return "string";
    case "bigint":
      return "int64";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    default:
      return "map[string]interface {}";
  }
}
