import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createProject, dropIn, type Project, pack, peers, run, writeFiles } from "./project.ts";

const guide = await readFile(resolve(import.meta.dirname, "../../docs/guide/coming-from-cdk8s.md"), "utf8");

/** What stands in the first block of a language. */
function firstBlock(language: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(guide) ?? [];
  if (text === undefined) throw new Error(`the guide has no block of ${language}`);
  return text;
}

/** Commands with what they print, in the order of the page. */
const steps = [...guide.matchAll(/^```bash\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?/gms)].map(
  ([, command = "", printed]) => ({
    command,
    printed,
    title: command.split("\n").at(0),
  }),
);

let project: Project;
/** What is asked of the registry in the guide, and which packed file stands for it here: no test reaches the internet. */
let packed: Readonly<Record<string, string>>;

beforeAll(async () => {
  project = await createProject({});
  const store = join(project.path, "store");
  await writeFiles(store, { ".keep": "" });
  packed = {
    "npm:@slipway/cdk8s@^2.70.106": `file:${await pack(dropIn, store)}`,
    "2.70.106": `file:${await pack(join(peers, "cdk8s"), store)}`,
    "10.8.1": `file:${await pack(join(peers, "constructs"), store)}`,
  };
  const manifest = Object.entries(packed).reduce((text, [asked, file]) => {
    return text.replace(`"${asked}"`, JSON.stringify(file));
  }, firstBlock("json"));
  await writeFiles(project.path, { "main.js": firstBlock("js"), "package.json": manifest });
});
afterAll(() => project[Symbol.asyncDispose]());

test("the guide has its steps", () => {
  expect(steps.map(({ title }) => title)).toEqual([
    "npm install",
    "npm install cdk8s@npm:@slipway/cdk8s@^2.70.106",
    "node main.js",
    "cat > twice.js <<'END'",
    "npm install cdk8s@2.70.106",
  ]);
});

test.for(steps)("$title", async ({ command, printed }) => {
  const here = command
    .replaceAll(/(npm install cdk8s@)(\S+)/g, (_, start: string, asked: string) => `${start}${packed[asked]}`)
    .replaceAll("npm install", "npm install --offline --no-audit --no-fund --silent");
  const { code, stdout, stderr } = await run("bash", ["-e", "-c", here], project.path);
  expect(code, stderr).toBe(0);
  if (printed !== undefined) expect(stdout).toBe(printed);
});
