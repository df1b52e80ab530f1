import type { Bindings } from "./bindings.ts";
import type { OutgoingRequest } from "./sender.ts";

/**
 * A recorded request without references, with the versions, uids and ETags in it replaced by what stands for them.
 * `current`: the version of our store.
 */
export function translateRequest(request: OutgoingRequest, bindings: Bindings, current: string): OutgoingRequest {
  const token = (recorded: string): string => bindings.ourToken(recorded) ?? recorded;
  return {
    ...request,
    path: request.path
      .replace(/(?<=[?&]resourceVersion=)\d+/g, (version) => bindings.ourVersion(version, current))
      .replace(/(?<=[?&]hash=)[0-9A-F]{128}/g, token),
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, name === "If-None-Match" ? token(value) : value]),
    ),
    body: request.body
      ?.replace(/(?<="resourceVersion": ?")\d+(?=")/g, (version) => bindings.ourVersion(version, current))
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, token),
  };
}
