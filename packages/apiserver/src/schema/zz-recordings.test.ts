import { readFileSync } from "node:fs";
import { formatFieldError, type JsonValue } from "@slipway/objects";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { applyDefaults } from "./defaults.ts";
import { dropNulls } from "./nulls.ts";
import { prune } from "./prune.ts";
import { parseStructuralSchema } from "./structural.ts";
import { validate } from "./validate.ts";

const dir = "/work/shared/data/kube-recordings";
const crd = parse(readFileSync(`${dir}/crds/widgets.yaml`, "utf8"));
const parsed = parseStructuralSchema(crd.spec.versions[0].schema.openAPIV3Schema);
test("parses", () => expect(parsed.problems).toEqual([]));
const note = "some validation rules were not checked";
for (const file of ["schema-validation", "formats", "defaulting", "pruning", "field-validation","apply-maps","apply-lists","merge-patch","json-patch","create-body"]) {
  const lines = readFileSync(`${dir}/http/${file}.jsonl`, "utf8").split("\n").filter(Boolean).map((l) => JSON.parse(l));
  for (const line of lines) {
    const body = line.request.body;
    if (line.request.method !== "POST" || body?.kind !== "Widget") continue;
    test(`${line.id} ${line.about}`, () => {
      const text = JSON.stringify(body).replace(/\{\{repeat (\S+) (\d+)\}\}/g, (_, w, n) => w.repeat(Number(n)));
      const pruned = prune(JSON.parse(text), parsed.schema!, { isResourceRoot: true });
      const value = applyDefaults(dropNulls(pruned.value, parsed.schema!), parsed.schema!) as any;
      const errors = validate(value, parsed.schema!, "").map(formatFieldError);
      const answer = line.response.body;
      if (answer.code === 400 || answer.reason === "Forbidden"|| answer.reason==="NotFound") { console.log(line.id, answer.message, pruned.unknown); return; }
      if (answer.kind === "Status") {
        const wanted = answer.details.causes.filter((c: any) => !c.message.includes(note)).map((c: any) => `${c.field}: ${c.message}`);
        expect([...errors].sort()).toEqual([...wanted].sort());
      } else {
        expect(errors).toEqual([]);
        expect(value.spec).toEqual(answer.spec);
      }
      const warning = [line.response.headers.warning ?? []].flat().filter((w:string)=>w.includes("unknown field")).map((w: string) => w.replace(/^299 - "unknown field \\"(.*)\\""$/, "$1"));
      if (!line.request.path.includes("fieldValidation")) expect(pruned.unknown).toEqual(warning);
    });
  }
}
for (const line of readFileSync(`${dir}/http/crd-refusals.jsonl`, "utf8").split("\n").filter(Boolean).map((l) => JSON.parse(l))) {
  const schema: JsonValue | undefined = line.request.body?.spec?.versions?.[0]?.schema?.openAPIV3Schema;
  if (schema === undefined) continue;
  test(`${line.id} ${line.about}`, () => {
    const { problems } = parseStructuralSchema(schema, { path: "spec.validation.openAPIV3Schema" });
    const wanted = (line.response.body.details?.causes ?? []).map((c: any) => `${c.field}: ${c.message}`);
    expect([...problems].sort()).toEqual(wanted.sort());
  });
}
