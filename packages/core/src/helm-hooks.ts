import { getMember, isJsonObject } from "@slipway/objects";

/** @see Helm, pkg/release: what makes an object a hook */
const HOOK_ANNOTATION = "helm.sh/hook";

/**
 * When Helm would run `object` instead of keeping it as part of a release: `["pre-install", "post-upgrade"]`, `["test"]`.
 * Empty for an ordinary object. `test-success` is the old name of `test`. Names that Helm does not know are among them: it
 * does not make such an object part of a release either.
 *
 * @see Helm, pkg/releaseutil: a list with commas, in which neither case nor blanks count
 */
export function hooksOf(object: unknown): string[] {
  const metadata = isJsonObject(object) ? getMember(object, "metadata") : undefined;
  const annotations = isJsonObject(metadata) ? getMember(metadata, "annotations") : undefined;
  const hooks = isJsonObject(annotations) ? getMember(annotations, HOOK_ANNOTATION) : undefined;
  if (typeof hooks !== "string") return [];
  const names = hooks.split(",").map((name) => name.trim().toLowerCase());
  return [...new Set(names.map((name) => (name === "test-success" ? "test" : name)))].filter((name) => name !== "");
}
