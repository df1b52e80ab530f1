import {
  ApiStatusError,
  isJsonArray,
  isJsonObject,
  type Status,
  type StatusCause,
  type StatusDetails,
} from "@slipway/objects";
import type { Definition } from "./definition.ts";
import { applicationGroup, releaseName } from "./derived-names.ts";
import { releaseKind } from "./release-backend.ts";

/** Whether `error` is a refusal of that reason. */
export function isRefusal(error: unknown, reason: "AlreadyExists" | "Conflict" | "NotFound"): error is ApiStatusError {
  return ApiStatusError.isApiStatusError(error) && error.status.reason === reason;
}

/**
 * A refusal by the cluster behind, in the words of the application: its resource, its name, its fields. Reason, code
 * and causes stay. Anything else is returned as it is.
 *
 * @param name of the application; `""` for requests about many
 */
export function inApplicationWords(error: unknown, definition: Definition, name: string): unknown {
  if (!ApiStatusError.isApiStatusError(error)) return error;
  const { status } = error;
  const say = translator(definition, name);
  const message = status.message === undefined ? undefined : say(status.message);
  if (message === status.message && status.details?.group !== releaseKind.group) return error;
  const translated: Status = {
    ...status,
    ...(message === undefined ? {} : { message }),
    ...(status.details === undefined ? {} : { details: translateDetails(status.details, definition, name, say) }),
  };
  return new ApiStatusError(translated, { cause: error });
}

const releaseResource = "helmreleases";

function translator({ kind, plural, release: { prefix } }: Definition, name: string): (text: string) => string {
  const words: readonly (readonly [string, string])[] = [
    [`${releaseResource}.${releaseKind.group}`, `${plural}.${applicationGroup}`],
    [`${releaseKind.kind}.${releaseKind.group}`, `${kind}.${applicationGroup}`],
    [`"${releaseResource}"`, `"${plural}"`],
    [`"${releaseKind.group}"`, `"${applicationGroup}"`],
    ...(name === "" ? [] : ([[`"${releaseName(prefix, name)}"`, `"${name}"`]] as const)),
    ["spec.values", "spec"],
  ];
  return (text) => words.reduce((said, [theirs, ours]) => said.replaceAll(theirs, ours), text);
}

function translateDetails(
  details: StatusDetails,
  { kind, plural, release: { prefix } }: Definition,
  name: string,
  say: (text: string) => string,
): StatusDetails {
  if (details.group !== releaseKind.group) return details;
  const { causes } = details;
  return {
    ...details,
    ...(details.name === undefined ? {} : { name: details.name === releaseName(prefix, name) ? name : details.name }),
    group: applicationGroup,
    ...(details.kind === undefined ? {} : { kind: details.kind === releaseKind.kind ? kind : plural }),
    ...(isJsonArray(causes) ? { causes: causes.filter(isJsonObject).map((cause) => translateCause(cause, say)) } : {}),
  };
}

function translateCause(cause: StatusCause, say: (text: string) => string): StatusCause {
  const { message, field } = cause;
  return {
    ...cause,
    ...(message === undefined ? {} : { message: say(message) }),
    ...(field === undefined ? {} : { field: say(field) }),
  };
}
