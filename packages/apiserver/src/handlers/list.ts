import { requireAbility } from "../registry/operations.ts";
import type { ApiResponse } from "../request.ts";
import type { Call } from "./call.ts";
import { negotiate } from "./negotiate.ts";
import { listRequest } from "./options.ts";
import { jsonResponse, listBytes, representList } from "./respond.ts";

export async function listMany({ request, info, target, context, host, texts }: Call): Promise<ApiResponse> {
  const representation = negotiate(request.headers, info.query);
  const list = requireAbility(target, "list", "list");
  const result = await list(context, listRequest(info));
  const body = listBytes(result, target.form, representation, host.now(), texts);
  if (body !== undefined) return { status: 200, headers: { "content-type": "application/json" }, body };
  return jsonResponse(200, representList(result, target.form, representation, host.now()), representation);
}
