import type { JsonObject, KubernetesObject } from "@slipway/objects";
import { toPartialObjectMetadata } from "../table.ts";
import { wireJson } from "./wire-json.ts";

/**
 * The JSON text of objects that many answers share: a list and every watcher give out the same object, which is
 * written once. Objects are never changed, so a text that was made stays right; it goes when its object goes.
 */
export class JsonTexts {
  readonly #texts = new WeakMap<JsonObject, string>();
  readonly #metadataTexts = new WeakMap<JsonObject, string>();

  of(object: JsonObject): string {
    const known = this.#texts.get(object);
    if (known !== undefined) return known;
    const text = wireJson(object);
    this.#texts.set(object, text);
    return text;
  }

  /** That of the object reduced to its metadata, as rows of a Table carry it. */
  ofMetadata(object: KubernetesObject): string {
    const known = this.#metadataTexts.get(object);
    if (known !== undefined) return known;
    const text = wireJson(toPartialObjectMetadata(object));
    this.#metadataTexts.set(object, text);
    return text;
  }
}
