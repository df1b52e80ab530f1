import { ApiStatusError, failure } from "@slipway/objects";

/** 500 with a message and no reason: what Kubernetes makes of an error that it has no class for. */
export function unclassified(message: string): ApiStatusError {
  const { reason: _, ...status } = failure("InternalError", message);
  return new ApiStatusError(status);
}
