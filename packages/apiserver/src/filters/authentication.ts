import { ApiStatusError, failure } from "@slipway/objects";
import type { UserInfo } from "../registry/rest.ts";
import type { ApiRequest } from "../request.ts";

/**
 * Who sends the request. `undefined`: nothing was presented that this authenticator understands.
 * Rejects with `Unauthorized` when something was presented and does not hold.
 */
export type Authenticator = (request: ApiRequest) => Promise<UserInfo | undefined>;

const authenticated = "system:authenticated";

export function unauthorized(): ApiStatusError {
  return new ApiStatusError(failure("Unauthorized", "Unauthorized"));
}

/** The common name is the user, the organizations are the groups (Kubernetes, x509 client certificates). */
export function certificateAuthenticator(): Authenticator {
  return async ({ certificate }) => {
    if (certificate === undefined || certificate.commonName === "") return undefined;
    return {
      name: certificate.commonName,
      groups: withAuthenticated(certificate.organizations),
      extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${certificate.sha256}`] },
    };
  };
}

/** Fixed bearer tokens. An unknown one is refused, whatever else was presented. */
export function tokenAuthenticator(users: ReadonlyMap<string, UserInfo>): Authenticator {
  return async ({ headers }) => {
    const [scheme = "", token = ""] = (headers.authorization ?? "").split(" ", 2);
    if (scheme.toLowerCase() !== "bearer") return undefined;
    const user = users.get(token);
    if (user === undefined) throw unauthorized();
    return { ...user, groups: withAuthenticated(user.groups) };
  };
}

/** The first authenticator that knows the request decides. */
export function firstOf(authenticators: readonly Authenticator[]): Authenticator {
  return async (request) => {
    for (const authenticate of authenticators) {
      const user = await authenticate(request);
      if (user !== undefined) return user;
    }
    return undefined;
  };
}

function withAuthenticated(groups: readonly string[]): readonly string[] {
  return groups.includes(authenticated) || groups.includes("system:unauthenticated")
    ? groups
    : [...groups, authenticated];
}
