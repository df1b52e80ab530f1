import { isJsonArray, isJsonObject, type JsonValue } from "@slipway/objects";
import { type Answer, tryJson } from "./response-comparison.ts";

/** A reference leads to nothing: the step before did not answer what was recorded. */
export class UnresolvedReference extends Error {
  override readonly name: string = "UnresolvedReference";
}

/** `{{ID#/json/pointer}}`, `{{ID#/json/pointer+100}}`, `{{ID#header:etag}}`. */
const reference = /\{\{([\w.-]+)#(header:[\w-]+|\/[^}+]*)(?:\+(\d+))?\}\}/g;
const repetition = /\{\{repeat (.*?) (\d+)\}\}/g;

/** `text` with its references replaced by what was answered to us. */
export function resolveText(text: string, answers: ReadonlyMap<string, Answer>): string {
  if (!text.includes("{{")) return text;
  return text
    .replace(repetition, (_whole, part: string, times: string) => part.repeat(Number(times)))
    .replace(reference, (whole, id: string, place: string, plus: string | undefined) => {
      const value = lookUp(answers.get(id), place);
      if (value === undefined) throw new UnresolvedReference(`${whole} leads to nothing in our answers`);
      return plus === undefined ? value : String(BigInt(value) + BigInt(plus));
    });
}

/** References stand inside JSON strings; what they lead to is escaped like them. */
export function resolveJson(json: string, answers: ReadonlyMap<string, Answer>): string {
  if (!json.includes("{{")) return json;
  return json.replace(/"(?:[^"\\]|\\.)*"/g, (literal) =>
    literal.includes("{{") ? JSON.stringify(resolveText(JSON.parse(literal) as string, answers)) : literal,
  );
}

function lookUp(answer: Answer | undefined, place: string): string | undefined {
  if (answer === undefined) return undefined;
  if (place.startsWith("header:")) return answer.headers[place.slice("header:".length)]?.[0];
  let value: JsonValue | undefined = tryJson(Buffer.from(answer.bytes).toString("utf8"));
  for (const part of place.slice(1).split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (isJsonArray(value)) value = value[Number(name)];
    else if (isJsonObject(value)) value = value[name];
    else return undefined;
  }
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
