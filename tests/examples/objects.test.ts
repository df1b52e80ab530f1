import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test, vi } from "vitest";

const examples = import.meta.dirname;
const guide = readFileSync(resolve(examples, "../../docs/guide/objects.md"), "utf8");
const names = readdirSync(resolve(examples, "objects")).map((file) => file.replace(/\.ts$/, ""));

test.for(names)("the example %s stands in the guide as it is, with what it prints", async (name) => {
  using print = vi.spyOn(console, "log").mockImplementation(() => undefined);
  await import(`./objects/${name}.ts`);
  const printed = print.mock.calls.map((values) => values.map(toText).join(" ")).join("\n");
  const source = readFileSync(resolve(examples, "objects", `${name}.ts`), "utf8");
  expect(guide).toContain(`\`\`\`ts\n${source}\`\`\`\n\n\`\`\`text\n${printed}\n\`\`\`\n`);
});

test("the guide has no other example", () => {
  expect(guide.match(/^```ts$/gm)).toHaveLength(names.length);
});

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
