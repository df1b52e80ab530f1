import {
  formatApiVersion,
  type GroupVersionKind,
  isJsonObject,
  type JsonValue,
  type KubernetesObject,
} from "@slipway/objects";
import { noUsableAnswer } from "./errors.ts";

/**
 * An object in an answer. Items of a list of a built-in kind say neither kind nor apiVersion; they are those asked for.
 *
 * @throws {SlipwayError} `READ_FAILED` when it is no object, with `where` to say which answer it was in.
 */
export function readObject(value: JsonValue | undefined, asked: GroupVersionKind, where: string): KubernetesObject {
  if (isJsonObject(value) && isJsonObject(value.metadata)) {
    const { apiVersion = formatApiVersion(asked.group, asked.version), kind = asked.kind, metadata } = value;
    if (typeof apiVersion === "string" && typeof kind === "string") return { apiVersion, kind, ...value, metadata };
  }
  throw noUsableAnswer(
    `${where}: an object of kind ${asked.kind} was expected, and something else came. ` +
      "Check that the server is a Kubernetes API server.",
  );
}
