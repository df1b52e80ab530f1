import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { parseStructuralSchema } from "./structural.ts";
import { applyDefaults } from "./defaults.ts";
import { validate } from "./validate.ts";
import { prune } from "./prune.ts";

for (const dir of ["/work/shared/data/crds", "/work/shared/data/crds-public", "/work/shared/data/kube-recordings/crds"]) {
  for (const file of readdirSync(dir).filter((f) => f.endsWith(".yaml"))) {
    for (const doc of parseAllDocuments(readFileSync(`${dir}/${file}`, "utf8"))) {
      const crd = (doc as any).toJS();
      if (crd?.kind !== "CustomResourceDefinition") continue;
      for (const v of crd.spec.versions) test(`${file} ${v.name}`, () => {
        const t = performance.now();
        const { problems, schema } = parseStructuralSchema(v.schema.openAPIV3Schema);
        console.log(file, v.name, (performance.now() - t).toFixed(1), JSON.stringify(v.schema.openAPIV3Schema).length);
        expect(problems).toEqual([]);
        validate(applyDefaults({ spec: {} }, schema!), schema!, "");
        prune({ spec: {x:1} }, schema!);
      });
    }
  }
}
for (const file of readdirSync("/work/main/examples/platform/definitions")) test(file, () => {
  const ad = parseAllDocuments(readFileSync(`/work/main/examples/platform/definitions/${file}`, "utf8"))[0]!.toJS() as any;
  const raw = JSON.parse(ad.spec.application.openAPISchema);
  const { schema, problems } = parseStructuralSchema(raw, { rules: "lenient" });
  expect(problems).toEqual([]);
  const structural = parseStructuralSchema(raw);
  const d = applyDefaults({}, schema!);
  console.log(file, structural.problems.length, structural.problems.slice(0,2), JSON.stringify(validate(d, schema!, "spec").slice(0,3)));
});
