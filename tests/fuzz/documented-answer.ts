import { statusCodes } from "@slipway/objects";

/** An answer, wherever it came from. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** What kube-apiserver refuses without a reason, and with 500: it has no code for these, most are of strategic patches. */
const withoutReason: readonly RegExp[] = [
  /^resourceVersion should not be set on objects to be created$/,
  /^content is not a list$/,
  /^expected a .*, but received a /,
  /^unknown patch type: /,
  /^merging an object in json but data type is not struct, instead is: /,
  /^unable to find api field in struct /,
  /^expected slice or array type, but got: struct$/,
  /^The order in patch list:/,
  /^map: .* does not contain declared merge key: /s,
  /^no elements in any of the given slices$/,
  /^list element types are not identical: /,
  /^cannot merge lists without merge key for /,
  /^merging lists cannot yet be specified in the patch$/,
];

/**
 * Why an answer is none that is documented; `undefined` when it is. A refusal is a Status with a reason of Kubernetes
 * and the code of that reason. Paths that nobody has are `404 page not found`, health checks answer in plain text, and OpenAPI
 * documents that are not to be had in a form that the client takes are an empty 406.
 */
export function objection({ status, type, text }: Answer): string | undefined {
  if (status >= 200 && status < 400) return undefined;
  if (status === 404 && text === "404 page not found\n") return undefined;
  if (status === 406 && text === "") return undefined;
  if (type.startsWith("text/plain")) return `${status} in plain text: ${text}`;
  // Clients that want YAML are refused in YAML: every member of a Status stands on a line of its own.
  const body = type.includes("yaml") ? fromYaml(text) : JSON.parse(text);
  const { kind, apiVersion, code, reason, message } = body;
  if (kind !== "Status" || apiVersion !== "v1" || code !== status) return `${status}, and no Status of it: ${text}`;
  if (typeof message !== "string" || message === "") return `a Status without a message: ${text}`;
  if (reason === undefined && code === 500 && withoutReason.some((known) => known.test(message))) return undefined;
  if (!Object.hasOwn(statusCodes, reason)) return `a reason that nobody knows: ${text}`;
  if (statusCodes[reason as keyof typeof statusCodes] !== code) return `a reason with another code: ${text}`;
  return reason === "InternalError" ? `an error of the inside: ${text}` : undefined;
}

function fromYaml(text: string): Record<string, unknown> {
  const read = (name: string): string | undefined => new RegExp(`^${name}: (.+)$`, "m").exec(text)?.[1];
  return {
    kind: read("kind"),
    apiVersion: read("apiVersion"),
    code: Number(read("code")),
    reason: read("reason"),
    message: read("message")?.replace(/^'(.*)'$/, "$1"),
  };
}
