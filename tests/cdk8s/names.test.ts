import type { NameOptions } from "cdk8s";
import { describe } from "vitest";
import { withEnvironment } from "./environment.ts";
import type { Program } from "./same-program.ts";
import { sameOnBoth, thrown } from "./same-program.ts";
import { chartIn, constructAt, objectIn } from "./trees.ts";

interface Name {
  readonly rule: string;
  readonly path: readonly string[];
  readonly options?: NameOptions;
  readonly dns?: string | { readonly thrown: string };
  readonly label?: string | { readonly thrown: string };
}

/** What a row does not name is not asked for. */
function sameNames(names: readonly Name[]): void {
  const dns = names.filter((name) => name.dns !== undefined);
  const label = names.filter((name) => name.label !== undefined);
  describe("as a DNS label:", () => {
    sameOnBoth(dns.map(({ rule, dns, ...name }) => ({ rule, gives: dns, program: named("toDnsLabel", name) })));
  });
  describe("as a label value:", () => {
    sameOnBoth(label.map(({ rule, label, ...name }) => ({ rule, gives: label, program: named("toLabelValue", name) })));
  });
}

function named(method: "toDnsLabel" | "toLabelValue", { path, options }: Pick<Name, "path" | "options">): Program {
  return (lib) => lib.Names[method](constructAt(lib, ...path), options);
}

/** `{ dns, label }` where both functions give one name. */
function both(name: string): { readonly dns: string; readonly label: string } {
  return { dns: name, label: name };
}

describe("one valid component is the name, without a hash:", () => {
  sameNames([
    { rule: "a word", path: ["foo"], ...both("foo") },
    { rule: "the root has none", path: [], dns: "c8adc83b", label: "" },
    { rule: "a capital is no DNS label", path: ["Hello"], dns: "hello-c8a347e4", label: "Hello" },
    { rule: "a hidden word stays where it is valid", path: ["default"], ...both("default") },
    { rule: "and goes where it is not", path: ["Default"], dns: "c8adc83b", label: "Default" },
    { rule: "a dot is kept", path: ["a.b"], dns: "a.b-c8f347bd", label: "a.b" },
    { rule: "a label begins with a letter or digit", path: ["_a"], dns: "_a-c8fd8b63", label: "a-c8fd8b63" },
    { rule: "a hyphen alone", path: ["-"], dns: "-", label: "c8e5a42c" },
    { rule: "two hyphens", path: ["--"], dns: "--", label: "c8a9d40c" },
    { rule: "63 characters", path: ["x".repeat(63)], ...both("x".repeat(63)) },
    { rule: "64 are too many", path: ["x".repeat(64)], ...both(`${"x".repeat(54)}-c827cc96`) },
    { rule: "one too many for maxLen", path: ["foofoofoo"], options: { maxLen: 8 }, ...both("c8364e7d") },
    { rule: "with extra it is not one", path: ["foo"], options: { extra: ["bar"] }, ...both("foo-bar-c839ac11") },
  ]);
});

describe("several components are joined, with a hash of the path:", () => {
  sameNames([
    { rule: "two", path: ["a", "b"], ...both("a-b-c8a98c77") },
    {
      rule: "Default counts neither in the name nor in the hash",
      path: ["a", "Default", "b"],
      ...both("a-b-c8a98c77"),
    },
    { rule: "Resource counts in the hash", path: ["a", "Resource", "b"], ...both("a-b-c88295aa") },
    { rule: "hidden words in any case", path: ["a", "rEsOuRcE"], ...both("a-c83dba50") },
    { rule: "hidden words inside of an id", path: ["my-resource", "x"], ...both("my-x-c84d033e") },
    { rule: "a slash in an id", path: ["a/b", "c"], ...both("a-b-c-c85c31a7") },
    { rule: "what is not allowed is dropped", path: ["fo~o", "b@r!"], ...both("foo-br-c80c0282") },
    { rule: "an id of which nothing is left", path: ["日本", "b"], ...both("b-c837fdb8") },
    { rule: "only such ids", path: ["日本", "語"], ...both("c8dddc00") },
    { rule: "accents", path: ["café", "É"], ...both("caf-c876d420") },
    { rule: "the DNS name is lower case", path: ["A", "a"], dns: "a-c8bb987a", label: "A-a-c8bb987a" },
    { rule: "neighbours that are equal", path: ["a", "a", "b", "a"], ...both("a-b-a-c84a7d66") },
    { rule: "which are found before hidden words go", path: ["x", "default", "x"], ...both("x-x-c81a3ca1") },
    { rule: "neighbours made equal by dropping", path: ["x", "x~"], ...both("x-c8ff8b62") },
    { rule: "empty parts", path: ["-a-", "--b"], dns: "a-b-c8c41fd9", label: "a-b-c8c41fd9" },
    {
      rule: "extra comes last, before the hash",
      path: ["foo"],
      options: { extra: ["b", "c"] },
      ...both("foo-b-c-c839ac11"),
    },
    {
      rule: "extra does not count in the hash",
      path: ["a", "b"],
      options: { extra: ["z"] },
      ...both("a-b-z-c8a98c77"),
    },
    { rule: "an empty list of extra", path: ["a", "b"], options: { extra: [] }, ...both("a-b-c8a98c77") },
  ]);
});

describe("maxLen:", () => {
  const short = (maxLen: number): Pick<Name, "path" | "options"> => ({ path: ["aaa", "bbb"], options: { maxLen } });
  const words = ["hello", "world", "this", "is", "cool"];
  sameNames([
    { rule: "8 has room for the hash", ...short(8), ...both("c85fc1fa") },
    { rule: "9", ...short(9), ...both("c85fc1fa") },
    { rule: "10", ...short(10), ...both("b-c85fc1fa") },
    { rule: "11", ...short(11), ...both("bb-c85fc1fa") },
    { rule: "12", ...short(12), ...both("bbb-c85fc1fa") },
    { rule: "13", ...short(13), ...both("bbb-c85fc1fa") },
    { rule: "14", ...short(14), ...both("a-bbb-c85fc1fa") },
    { rule: "later components win", path: words, options: { maxLen: 25 }, ...both("wor-this-is-cool-c80ec725") },
    { rule: "without a hash", path: words, options: { maxLen: 8, includeHash: false }, ...both("is-cool") },
    { rule: "without a hash it may be 1", path: words, options: { maxLen: 1, includeHash: false }, ...both("c") },
    {
      rule: "7 has no room for the hash",
      ...short(7),
      dns: { thrown: "minimum max length for object names is 8 (required for hash)" },
      label: { thrown: "minimum max length for label is 8 (required for hash)" },
    },
    {
      rule: "nor has 0, even for one valid component",
      path: ["a"],
      options: { maxLen: 0 },
      dns: { thrown: "minimum max length for object names is 8 (required for hash)" },
      label: { thrown: "minimum max length for label is 8 (required for hash)" },
    },
    {
      rule: "a delimiter of three characters can go beyond it",
      path: ["abc", "d-i"],
      options: { maxLen: 10, delimiter: "---" },
      dns: "d---c8faf47c",
    },
  ]);
});

describe("delimiter:", () => {
  const joined = (delimiter: string): Pick<Name, "path" | "options"> => ({ path: ["a", "b"], options: { delimiter } });
  sameNames([
    { rule: "a dot", ...joined("."), ...both("a.b.c8a98c77") },
    { rule: "two hyphens", ...joined("--"), ...both("a--b--c8a98c77") },
    { rule: "none", ...joined(""), ...both("abc8a98c77") },
    {
      rule: "hidden words are words between it",
      path: ["my-resource", "x"],
      options: { delimiter: "." },
      ...both("my-resource.x.c84d033e"),
    },
    {
      rule: "another character",
      ...joined("/"),
      dns: "a/b/c8a98c77",
      label: { thrown: 'delim should not contain "[^0-9a-zA-Z-_.]"' },
    },
    {
      rule: "is looked at before the one valid component",
      path: ["a"],
      options: { delimiter: " " },
      dns: "a",
      label: { thrown: 'delim should not contain "[^0-9a-zA-Z-_.]"' },
    },
  ]);
});

describe("includeHash: false", () => {
  const bare = { includeHash: false };
  sameNames([
    { rule: "leaves the words", path: ["a", "b"], options: bare, ...both("a-b") },
    { rule: "can leave nothing", path: ["日本", "語"], options: bare, ...both("") },
    { rule: "of the root", path: [], options: bare, ...both("") },
    {
      rule: "a label loses what it may not begin with, not what it may not end with",
      path: ["._a", "b_."],
      options: bare,
      dns: "._a-b_.",
      label: "a-b_.",
    },
  ]);
});

describe("null is the default of every option", () => {
  const nulls = { maxLen: null, extra: null, delimiter: null, includeHash: null } as unknown as NameOptions;
  sameNames([{ rule: "of both functions", path: ["a", "b"], options: nulls, ...both("a-b-c8a98c77") }]);
});

describe("CDK8S_LEGACY_HASH:", () => {
  const legacy =
    (value: string): Program =>
    (lib) =>
      withEnvironment({ CDK8S_LEGACY_HASH: value }, () => {
        const construct = constructAt(lib, "a", "b");
        return [lib.Names.toDnsLabel(construct), lib.Names.toLabelValue(construct)];
      });
  sameOnBoth([
    { rule: "any value takes the SHA-256 of the path", program: legacy("1"), gives: ["a-b-c14cddc0", "a-b-c14cddc0"] },
    { rule: "0 too", program: legacy("0"), gives: ["a-b-c14cddc0", "a-b-c14cddc0"] },
    { rule: "an empty value does not", program: legacy(""), gives: ["a-b-c8a98c77", "a-b-c8a98c77"] },
    {
      rule: "is read at each call",
      program: (lib) => {
        const chart = chartIn(lib);
        const legacyName = withEnvironment({ CDK8S_LEGACY_HASH: "1" }, () => objectIn(lib, chart, "x").name);
        return [legacyName, objectIn(lib, chart, "y").name];
      },
      gives: ["test-x-5d99ea76", "test-y-c8866d4d"],
    },
    {
      rule: "counts Default",
      program: (lib) =>
        withEnvironment({ CDK8S_LEGACY_HASH: "1" }, () => lib.Names.toDnsLabel(constructAt(lib, "a", "Default", "b"))),
      gives: "a-b-95bc22e6",
    },
  ]);
});

describe("names in a chart:", () => {
  sameOnBoth([
    {
      rule: "of a CronJob have 52 characters",
      program: (lib) => {
        const chart = new lib.Chart(new lib.App(), "c");
        const { name } = objectIn(lib, chart, "x".repeat(60), { kind: "CronJob" });
        return [name, name.length];
      },
      gives: [`${"x".repeat(43)}-c81b9e0d`, 52],
    },
    {
      rule: "of anything else have 63",
      program: (lib) => objectIn(lib, new lib.Chart(new lib.App(), "c"), "x".repeat(60), { kind: "cronjob" }).name,
      gives: `${"x".repeat(54)}-c81b9e0d`,
    },
    {
      rule: "Helm takes 53 of the scope and the id",
      program: (lib) =>
        lib.Names.toDnsLabel(new lib.Chart(new lib.App(), "c".repeat(40)), { maxLen: 53, extra: ["i".repeat(40)] }),
      gives: `ccc-${"i".repeat(40)}-c8e3ec53`,
    },
    {
      rule: "no scope",
      program: (lib) => lib.Names.toDnsLabel({} as never),
      gives: thrown("Cannot read properties of undefined (reading 'path')"),
    },
  ]);
});
