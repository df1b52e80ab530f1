import { getMember, isJsonObject, type JsonObject, type JsonValue, setMember } from "@slipway/objects";
import { formatGoValue, goType } from "./handlers/go-value.ts";

/** A value that is not what a path needs. The text is that of Kubernetes' helpers for unstructured objects. */
export class NestedValueError extends Error {
  override readonly name: string = "NestedValueError";
}

/** The member names of `.spec.replicas`, with or without the first dot. */
export function pathSegments(path: string): readonly string[] {
  return path.replace(/^\./, "").split(".");
}

/** The integer at `path`; `undefined` where a member is missing. @throws {NestedValueError} */
export function nestedInteger(value: JsonObject, path: readonly string[]): number | bigint | undefined {
  const found = nested(value, path);
  if (found === undefined) return undefined;
  if (typeof found === "bigint" || (typeof found === "number" && Number.isInteger(found))) return found;
  throw mismatch(path, found, "int64");
}

/** The text at `path`; `undefined` where a member is missing. @throws {NestedValueError} */
export function nestedText(value: JsonObject, path: readonly string[]): string | undefined {
  const found = nested(value, path);
  if (found === undefined || typeof found === "string") return found;
  throw mismatch(path, found, "string");
}

/** `value` with `inner` at `path`; objects on the way that are missing are made. @throws {NestedValueError} */
export function withNested(value: JsonObject, path: readonly string[], inner: JsonValue, depth = 1): JsonObject {
  const name = path[depth - 1] ?? "";
  const changed = { ...value };
  if (depth === path.length) {
    setMember(changed, name, inner);
    return changed;
  }
  const member = getMember(value, name) ?? (Object.hasOwn(value, name) ? null : {});
  if (!isJsonObject(member)) {
    throw new NestedValueError(
      `value cannot be set because .${path.slice(0, depth).join(".")} is not a map[string]interface{}`,
    );
  }
  setMember(changed, name, withNested(member, path, inner, depth + 1));
  return changed;
}

function nested(value: JsonObject, path: readonly string[]): JsonValue | undefined {
  let found: JsonValue = value;
  for (const [index, name] of path.entries()) {
    if (found === null) return undefined;
    if (!isJsonObject(found)) throw mismatch(path.slice(0, index + 1), found, "map[string]interface{}");
    const member: JsonValue | undefined = getMember(found, name);
    if (member === undefined) return undefined;
    found = member;
  }
  return found;
}

function mismatch(path: readonly string[], value: JsonValue, expected: string): NestedValueError {
  const type = value === null ? "<nil>" : goType(value);
  return new NestedValueError(
    `.${path.join(".")} accessor error: ${formatGoValue(value)} is of the type ${type}, expected ${expected}`,
  );
}
