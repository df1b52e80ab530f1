import type { FieldError, JsonValue } from "@slipway/objects";
import type { StructuralSchema } from "./structural.ts";

/** Everything wrong with `value`, which stands at `path` (`""`: the object itself). Never throws. */
export function validate(_value: JsonValue, _schema: StructuralSchema, _path: string): FieldError[] {
  throw new Error("not written yet");
}
