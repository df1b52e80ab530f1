import {
  findJsonProblem,
  formatReference,
  isJsonArray,
  isJsonObject,
  type JsonValue,
  referenceOf,
  SlipwayError,
} from "@slipway/objects";

/**
 * Objects as one `List` in JSON, which kubectl and jq read. Integers keep their digits.
 * @throws {SlipwayError} `INVALID_VALUE` for what JSON has no word for, which YAML may have.
 */
export function formatList(documents: readonly unknown[]): string {
  const items = documents.filter((document) => document !== undefined) as JsonValue[];
  for (const item of items) refuseOthers(item);
  return `${format({ apiVersion: "v1", kind: "List", items }, "\n")}\n`;
}

function refuseOthers(item: JsonValue): void {
  const problem = findJsonProblem(item);
  if (problem === undefined) return;
  const reference = isJsonObject(item) ? `${formatReference(referenceOf(item))}: ` : "";
  throw new SlipwayError(`${reference}${problem.path}: ${problem.fact}. Put a JSON value there.`, {
    code: "INVALID_VALUE",
  });
}

function format(value: JsonValue, lineBreak: string): string {
  const inner = `${lineBreak}  `;
  if (isJsonArray(value)) {
    return value.length === 0 ? "[]" : `[${value.map((item) => inner + format(item, inner)).join(",")}${lineBreak}]`;
  }
  if (!isJsonObject(value)) return typeof value === "bigint" ? value.toString() : JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return "{}";
  const lines = members.map(
    ([name, member]) => `${inner}${JSON.stringify(name)}: ${format(member as JsonValue, inner)}`,
  );
  return `{${lines.join(",")}${lineBreak}}`;
}
