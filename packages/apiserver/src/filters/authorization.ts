import { ApiStatusError, failure, forbidden } from "@slipway/objects";
import type { UserInfo } from "../registry/rest.ts";
import type { RequestInfo, ResourceRequestInfo } from "../request-info.ts";

export type Authorizer = (user: UserInfo, info: RequestInfo) => Promise<boolean>;

/** Members of `system:masters` may do everything, others nothing. */
export function mastersOnly(): Authorizer {
  return async ({ groups }) => groups.includes("system:masters");
}

/** 403 in the words of Kubernetes' authorization filter. */
export function authorizationRefused(user: UserInfo, info: RequestInfo): ApiStatusError {
  const name = escapeHtml(user.name);
  if (!info.isResource) {
    return new ApiStatusError(
      failure("Forbidden", `forbidden: User "${name}" cannot ${info.verb} path "${escapeHtml(info.path)}"`, {}),
    );
  }
  return forbidden(
    { group: info.apiGroup, resource: info.resource },
    attributeName(info),
    `User "${name}" cannot ${info.verb} resource "${resourcePath(info)}" in API group "${info.apiGroup}" ` +
      (info.namespace === "" ? "at the cluster scope" : `in the namespace "${info.namespace}"`),
  );
}

/** The name authorizers see: that of the URL, or the one that a field selector pins. */
function attributeName({ verb, name, query }: ResourceRequestInfo): string {
  if (name !== "" || (verb !== "list" && verb !== "watch")) return name;
  const pinned = /(?:^|,)metadata\.name==?([^,]+)/.exec(query.get("fieldSelector") ?? "");
  return pinned?.[1] ?? "";
}

function resourcePath({ resource, subresource }: ResourceRequestInfo): string {
  return subresource === "" ? resource : `${resource}/${subresource}`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
