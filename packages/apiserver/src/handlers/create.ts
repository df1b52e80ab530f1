import { createObject } from "../registry/operations.ts";
import type { ApiResponse } from "../request.ts";
import { mediaType, readBody } from "./body.ts";
import type { Call } from "./call.ts";
import { decodeObject, reportProblems, strictlyRefused } from "./decode.ts";
import { negotiate } from "./negotiate.ts";
import { writeOptions } from "./options.ts";
import { jsonResponse, representObject } from "./respond.ts";

export async function createOne({ request, info, target, context, host }: Call): Promise<ApiResponse> {
  const representation = negotiate(request.headers, info.query);
  const { form } = target;
  const body = await readBody(request);
  const options = writeOptions("CreateOptions", info.query, request.headers["user-agent"]);
  const { object, problems, refusal } = decodeObject(body, mediaType(request), form, options.fieldValidation);
  reportProblems(problems, options.fieldValidation, context.warn, (text) => strictlyRefused(object, form, text));
  if (refusal !== undefined) throw refusal;
  const created = await createObject(context, target, info.namespace, object, options);
  return jsonResponse(201, representObject(created, form, representation, host.now()), representation);
}
