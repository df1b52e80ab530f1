import { formatJson, type JsonObject } from "@slipway/objects";

/**
 * The JSON text of objects that many answers share: a list and every watcher give out the same object, which is
 * written once. Objects are never changed, so a text that was made stays right; it goes when its object goes.
 */
export class JsonTexts {
  readonly #texts = new WeakMap<JsonObject, string>();

  of(object: JsonObject): string {
    const known = this.#texts.get(object);
    if (known !== undefined) return known;
    const text = formatJson(object);
    this.#texts.set(object, text);
    return text;
  }
}
