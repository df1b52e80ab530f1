import type { ServerHost } from "../host.ts";
import type { Target } from "../registry/operations.ts";
import type { RequestContext } from "../registry/rest.ts";
import type { ApiRequest, ApiResponse } from "../request.ts";
import type { ResourceRequestInfo } from "../request-info.ts";
import type { EventFrames } from "./event-frames.ts";
import type { JsonTexts } from "./json-texts.ts";

/** A request that has found its kind: what every handler gets. */
export interface Call {
  readonly request: ApiRequest;
  readonly info: ResourceRequestInfo;
  readonly target: Target;
  readonly context: RequestContext;
  readonly host: ServerHost;
  /** Rejects when the user may not create the object that is asked for: what creates without being a POST asks it. */
  readonly mayCreate: () => Promise<void>;
  /** How errors name the request. */
  readonly requestId: string;
  /** Raised by one for each event that a watch sends. Absent: nobody counts. */
  readonly sentEvents?: { count: number } | undefined;
  /** Shared by all requests of the server. */
  readonly texts: JsonTexts;
  /** As well. */
  readonly frames: EventFrames;
}

export type Handler = (call: Call) => Promise<ApiResponse>;
