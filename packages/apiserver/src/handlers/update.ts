import { badRequest } from "@slipway/objects";
import { putObject } from "../registry/operations.ts";
import type { ApiResponse } from "../request.ts";
import { mediaType, readBody } from "./body.ts";
import type { Call } from "./call.ts";
import { decodeObject, reportProblems, strictlyRefused } from "./decode.ts";
import { negotiate } from "./negotiate.ts";
import { writeOptions } from "./options.ts";
import { jsonResponse, representObject } from "./respond.ts";

export async function updateOne({ request, info, target, context, host, mayCreate }: Call): Promise<ApiResponse> {
  if (info.name === "") throw badRequest("name must be provided");
  const representation = negotiate(request.headers, info.query);
  const { form } = target;
  const body = await readBody(request);
  const options = writeOptions("UpdateOptions", info.query, request.headers["user-agent"]);
  const { object, problems, refusal } = decodeObject(body, mediaType(request), form, options.fieldValidation);
  reportProblems(problems, options.fieldValidation, context.warn, (text) => strictlyRefused(object, form, text));
  if (refusal !== undefined) throw refusal;
  const put = await putObject(context, target, info, object, options, mayCreate);
  return jsonResponse(
    put.created ? 201 : 200,
    representObject(put.object, form, representation, host.now()),
    representation,
  );
}
