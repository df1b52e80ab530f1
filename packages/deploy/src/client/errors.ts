import { SlipwayError } from "@slipway/objects";

/** No answer, the rest of one does not come, or it is not what a Kubernetes API server answers. */
export function noUsableAnswer(message: string, options?: ErrorOptions): SlipwayError {
  return new SlipwayError(message, { ...options, code: "READ_FAILED" });
}
