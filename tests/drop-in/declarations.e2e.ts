import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { dropIn, node, peers } from "./project.ts";

/** Members that cdk8s does not have, and what they are for. A program written for cdk8s does not meet them. */
const additions: Readonly<Record<string, string>> = {
  "App.compile": "objects with who made them, for whoever applies them",
  "AppProps.checks": "what is done about objects that would be lost or refused",
  "AppProps.trace": "the line of the program in messages",
  CheckCode: "of AppProps.checks",
  CheckSeverity: "of AppProps.checks",
  Checks: "of AppProps.checks",
  "Helm.hooks": "the hooks and tests of a chart",
  "HelmProps.allowDuplicateKeys": "the way out where a chart is broken and cdk8s did not notice",
  "IncludeProps.allowDuplicateKeys": "the way out where a file is broken and cdk8s did not notice",
};

/** Members that are declared in other words: a program that compiles with cdk8s compiles with these. */
const differences: Readonly<Record<string, string>> = {
  "static Yaml.load": "has options behind what cdk8s takes",
};

type Members = Readonly<Record<string, string>>;

let theirs: Members;
let ours: Members;

async function declaredIn(file: string): Promise<Members> {
  const script = join(import.meta.dirname, "declared-members.mjs");
  return JSON.parse(await node([script, file], import.meta.dirname)) as Members;
}

beforeAll(async () => {
  theirs = await declaredIn(join(peers, "cdk8s/lib/index.d.ts"));
  ours = await declaredIn(join(dropIn, "lib/index.d.ts"));
});

test("cdk8s's declarations are read, with their types", () => {
  expect(theirs["static ApiObject.of"]).toBe("method (IConstruct): ApiObject");
  expect(theirs["Chart.namespace"]).toBe("readonly? string");
  expect(theirs["SizeRoundingBehavior.FLOOR"]).toBe("1");
  expect(Object.keys(theirs).length).toBeGreaterThan(200);
});

test("every member is there, of the same type and as optional", () => {
  const same = Object.keys(theirs).filter((name) => differences[name] === undefined);
  const pick = (members: Members): Members =>
    Object.fromEntries(same.map((name) => [name, members[name] ?? "missing"]));
  expect(pick(ours)).toEqual(pick(theirs));
});

test("what is declared otherwise is meant to be", () => {
  const changed = Object.keys(theirs).filter((name) => ours[name] !== theirs[name]);
  expect(new Set(changed)).toEqual(new Set(Object.keys(differences)));
});

test("what there is beyond is meant to be there", () => {
  const added = Object.keys(ours).filter((name) => theirs[name] === undefined);
  expect(new Set(added)).toEqual(new Set(Object.keys(additions)));
});
