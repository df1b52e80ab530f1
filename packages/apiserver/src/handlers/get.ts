import { badRequest } from "@slipway/objects";
import type { ApiResponse } from "../request.ts";
import { booleanParameter } from "../request-info.ts";
import type { Call } from "./call.ts";
import { negotiate } from "./negotiate.ts";
import { jsonResponse, representObject } from "./respond.ts";

export async function getOne({ request, info, target, context, host }: Call): Promise<ApiResponse> {
  const representation = negotiate(request.headers, info.query);
  if (booleanParameter(info.query, "export")) {
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  const object = await target.storage.get(context, info, {
    resourceVersion: info.query.get("resourceVersion") ?? undefined,
  });
  return jsonResponse(200, representObject(object, target.form, representation, host.now()), representation);
}
