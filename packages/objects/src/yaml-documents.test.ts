import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatJson, type JsonValue } from "./json.ts";
import { readYaml, readYamlDocuments } from "./yaml.ts";

const source = "f.yaml";
const read = (text: string): JsonValue => readYaml(text, { source });
const readAll = (text: string): JsonValue[] => readYamlDocuments(text, { source }).map(({ value }) => value);

/** The first lines of what is said about each problem, without the text and the caret. */
function problems(text: string): string[] {
  try {
    readYamlDocuments(text, { source });
    return [];
  } catch (error) {
    expect(error).toMatchObject({ code: "INVALID_YAML" });
    return (error as Error).message.split("\n").filter((line) => line.startsWith(source));
  }
}

// What kubectl 1.36.3 printed for the same text, by `kubectl label --local -o json` or the decoder inside it.
describe("values", () => {
  test.for([
    {
      rule: "A-01 words of YAML 1.1 are booleans",
      text: "{a: on, b: off, c: y, d: N, e: Yes, f: nO, g: 'on'}",
      json: '{"a":true,"b":false,"c":true,"d":false,"e":true,"f":"nO","g":"on"}',
    },
    {
      rule: "A-03 quoted digits stay text",
      text: 'labels: { rev: "25921e05", build: "1e3", tag: "20190612073634", x: "1E400" }',
      json: '{"labels":{"rev":"25921e05","build":"1e3","tag":"20190612073634","x":"1E400"}}',
    },
    { rule: "A-05 old octal", text: "defaultMode: 0777", json: '{"defaultMode":511}' },
    {
      rule: "A-07 times of day are text",
      text: "spec: { window: 10:00, at: 12:30:45 }",
      json: '{"spec":{"window":"10:00","at":"12:30:45"}}',
    },
    {
      rule: "A-09 integers past 2^53",
      text: "spec: { id: 9007199254740993, max: 9223372036854775807 }",
      json: '{"spec":{"id":9007199254740993,"max":9223372036854775807}}',
    },
    { rule: "A-11 1e400 is text", text: "v: 1e400", json: '{"v":"1e400"}' },
    {
      rule: "A-13 newlines are kept",
      text: 'a: |-\n  l1\n  l2\nb: |\n  l1\n  l2\nc: |+\n  l1\n  l2\n\nd: |2-\n    lead\n  x\ne: "tab\\there\\nx"\nf: "a\\r\\nb"\n',
      json: '{"a":"l1\\nl2","b":"l1\\nl2\\n","c":"l1\\nl2\\n\\n","d":"  lead\\nx","e":"tab\\there\\nx","f":"a\\r\\nb"}',
    },
    {
      rule: "a block with a digit, then a key further out",
      text: "a:\n  x: |2-\n      lead\n    y\n  z: b",
      json: '{"a":{"x":"  lead\\ny","z":"b"}}',
    },
    {
      rule: "A-17 merges, the first of a list wins",
      text: 'x: &x { a: "1" }\ny: &y { a: "9", b: "2" }\ndata: { <<: [*x, *y], c: "3" }',
      json: '{"x":{"a":"1"},"true":{"a":"9","b":"2"},"data":{"a":"1","b":"2","c":"3"}}',
    },
    { rule: "a key after a merge wins", text: "<<: {a: 1}\na: 2", json: '{"a":2}' },
    { rule: "and so does a merge after a key", text: "a: 2\n<<: {a: 1}", json: '{"a":1}' },
    {
      rule: "<< in quotes is a key",
      text: "{'<<': 1}",
      json: '{"<<":1}',
    },
    { rule: "a merge inside a merged mapping", text: "<<: {<<: {a: 1, b: 1}, b: 2}", json: '{"a":1,"b":2}' },
    {
      rule: "keys become text",
      text: "{1: a, 0x10: b, 1.5: c, yes: d, 1e21: e, .inf: f, 2001-01-01: g, 0.1: h, 123456789.5: i}",
      json: '{"1":"a","16":"b","1.5":"c","true":"d","1e+21":"e",".inf":"f","2001-01-01":"g","0.1":"h","1.2345679e+08":"i"}',
    },
    {
      rule: "tags of YAML",
      text: 'a: !!str 5\nb: !!int "5"\nc: !!float 5\nd: !!binary aGk=\ne: !!null\nf: ! 5\ng: !own x',
      json: '{"a":"5","b":5,"c":5,"d":"hi","e":null,"f":"5","g":"x"}',
    },
    {
      rule: "sets, ordered maps and times are what they look like",
      text: "a: !!set {x, z}\nb: !!omap [{x: 1}]\nc: !!timestamp 2001-01-01",
      json: '{"a":{"x":null,"z":null},"b":[{"x":1}],"c":"2001-01-01"}',
    },
    {
      rule: "anchors and aliases, also as keys",
      text: "a: &a k\n*a : {b: *a}\nc: &c [1]\nd: *c",
      json: '{"a":"k","k":{"b":"k"},"c":[1],"d":[1]}',
    },
    {
      rule: "the last anchor of a name counts",
      text: "a: &x 1\nb: *x\nc: &x 2\nd: *x",
      json: '{"a":1,"b":1,"c":2,"d":2}',
    },
    { rule: "an empty value is null", text: "a:\nb: ~\nc: ''", json: '{"a":null,"b":null,"c":""}' },
    { rule: "an explicit key", text: "? a\n: b\n? c", json: '{"a":"b","c":null}' },
    { rule: "colons without blanks", text: "a: b:c\nhttp://x: :y", json: '{"a":"b:c","http://x":":y"}' },
    { rule: "comments", text: "# x\na: 1 # y\nb: c#d # z\n# e", json: '{"a":1,"b":"c#d"}' },
    { rule: "CRLF", text: "a: |\r\n  x\r\n  y\r\nb: 1\r\n", json: '{"a":"x\\ny\\n","b":1}' },
    { rule: "a byte order mark", text: "\ufeffa: 1", json: '{"a":1}' },
    {
      rule: "escapes",
      text: 'a: "\\x41\\u00e9\\U0001F600\\0\\e\\_\\L\\t"',
      json: '{"a":"Aé😀\\u0000\\u001b\u00a0\u2028\\t"}',
    },
    { rule: "U+2028 inside quotes", text: 'a: "x\u2028y"', json: '{"a":"x\u2028y"}' },
    {
      rule: "folding",
      text: "a: >\n  x\n  y\n\n  z\n   more\n  w\n\nb: 'q\n  r\n\n  s'\nc: p\n  q\n",
      json: '{"a":"x y\\nz\\n more\\nw\\n","b":"q r\\ns","c":"p q"}',
    },
    { rule: "a block without a newline at its end", text: "a: |\n  x", json: '{"a":"x\\n"}' },
    { rule: "flow in lines of its own", text: "a: [\n  1, {b: c,\n  d}\n]", json: '{"a":[1,{"b":"c","d":null}]}' },
    { rule: "pairs in a list", text: "[a: b, 'c':d]", json: '[{"a":"b"},{"c":"d"}]' },
    {
      rule: "__proto__ and constructor",
      text: "__proto__: {a: 1}\nconstructor: 2",
      json: '{"__proto__":{"a":1},"constructor":2}',
    },
    { rule: "merged __proto__", text: "<<: {__proto__: 1}", json: '{"__proto__":1}' },
  ])("$rule", ({ text, json }) => {
    expect(formatJson(read(text))).toBe(json);
  });
});

describe("documents", () => {
  test.for([
    {
      rule: "what is empty, null or only a comment is left out",
      text: "---\n---\na: 1\n---\n# nothing\n--- # x\n~\n---\nb: 2\n---",
      values: [{ a: 1 }, { b: 2 }],
    },
    { rule: "an end mark before the next document", text: "a: 1\n...\n---\nb: 2\n...\n", values: [{ a: 1 }, { b: 2 }] },
    { rule: "--- inside a block is text", text: "a: |\n  ---\n  x\n---\nb: 2", values: [{ a: "---\nx\n" }, { b: 2 }] },
    { rule: "no document", text: "# only this", values: [] },
    {
      rule: "JSON keeps its digits",
      text: '{"a": 12345678901234567890}',
      values: [{ a: 12_345_678_901_234_567_890n }],
    },
    {
      rule: "JSON values one after another",
      text: '{"a":1}{"a":2}\n{"a":3}\n',
      values: [{ a: 1 }, { a: 2 }, { a: 3 }],
    },
    { rule: "JSON, then YAML", text: '{"a":1}\n---\nb: 2\n', values: [{ a: 1 }, { b: 2 }] },
    { rule: "what begins like JSON may be YAML", text: '{"a": b}', values: [{ a: "b" }] },
    { rule: "JSON takes escapes that YAML does not", text: '{"a":"\\/\\ud83d\\ude00"}', values: [{ a: "/😀" }] },
    {
      rule: "anchors end with their document",
      text: "a: &x 1\n---\nb: &x 2\nc: *x",
      values: [{ a: 1 }, { b: 2, c: 2 }],
    },
  ])("$rule", ({ text, values }) => {
    expect(readAll(text)).toEqual(values);
  });

  test("each tells the line where it begins", () => {
    const lines = (text: string): number[] => readYamlDocuments(text, { source }).map(({ line }) => line);
    expect(lines("# x\n\na: 1\n---\n\n- b\n--- # c\nd")).toEqual([3, 6, 8]);
    expect(lines('\n{"a":1}\n\n{"b":2}')).toEqual([2, 4]);
  });

  test("readYaml wants exactly one", () => {
    expect(() => read("# none")).toThrow("f.yaml: there is no document in it, and one is expected.");
    expect(() => read("a: 1\n---\nb: 2")).toThrow("there is one in line 1 and another in line 3. One is expected.");
  });
});

describe("refusals", () => {
  test.for([
    {
      text: "a: 1\nb: 2\na: 3",
      message: '3:1: the key "a" stands twice in one mapping, first in line 1. Remove one of them.',
    },
    {
      text: "{1: a, '1': b}",
      message: '1:8: the key "1" stands twice in one mapping, first in line 1. Remove one of them.',
    },
    { text: "data: &d { self: *d }", message: "1:18: the anchor &d contains itself. Write out what is meant." },
    {
      text: "kind: A\na: *b\nb: &b 1",
      message: "2:4: there is no anchor &b before this. Add one, or correct the name.",
    },
    {
      text: "kind: A\na: &b:c 1",
      message: "2:9: kubectl takes only letters, digits, - and _ in an anchor, not &b:c. Rename it.",
    },
    { text: "\ta: 1", message: "1:1: tabs are not allowed as indentation. Use blanks." },
    {
      text: "a: |\n  \tx",
      message:
        "2:3: kubectl takes no tab where a block begins. Say how far the text is indented, as in |2, or use double quotes.",
    },
    {
      text: "a: |2\n  x\n    \nb: 1",
      message: "3:1: blanks in the last lines of a block with a digit are lost. Remove them, or use quotes.",
    },
    {
      text: "a: b: c",
      message:
        "1:4: nested mappings are not allowed in compact mappings. Quote the value if it is text with a colon in it, or put the mapping into the next line.",
    },
    { text: "a: @x", message: "1:4: plain value cannot start with reserved character @. Quote the value." },
    {
      text: 'kind: A\na: "\\q"',
      message: "2:5: invalid escape sequence \\q. Double the backslash, or use single quotes.",
    },
    { text: 'a: "\\/"', message: "1:5: kubectl does not know the escape \\/. Write the slash alone." },
    {
      text: 'a: "\\ud83d\\ude00"',
      message: "1:5: kubectl takes no surrogates. Write the character itself, or \\U and 8 digits.",
    },
    {
      text: 'a: "x \\\n\n  y"',
      message: "1:7: an empty line after an escaped line break is not supported. Write \\n instead.",
    },
    {
      text: "a: x\u2028y",
      message: "1:5: the character U+2028 is a line break to kubectl. Write \\u2028 inside double quotes.",
    },
    {
      text: "a: 'x\u2028 y'",
      message: "1:6: the character U+2028 is a line break to kubectl. Write \\u2028 inside double quotes.",
    },
    {
      text: 'a: "x\u0085y"',
      message: "1:6: the character U+0085 is a line break to kubectl. Write \\x85 inside double quotes.",
    },
    { text: "a: \x07", message: "1:4: the character U+0007 is not allowed in YAML. Write \\x07 inside double quotes." },
    { text: "a: \ud800", message: "1:4: the character U+D800 is not allowed in YAML. Remove it." },
    { text: "{a:}", message: "1:3: to kubectl this colon is part of the key. Put a blank after it." },
    { text: "[!x, a]", message: "1:4: to kubectl this is part of the tag. Put a blank before it." },
    { text: "[a?b]", message: "1:2: kubectl takes no question mark in braces or brackets. Quote this." },
    { text: "a: .nan", message: "1:4: .nan is no number in JSON. Quote it if it is text, or leave it out." },
    {
      text: "kind: A\na: !!int x",
      message: "2:10: this is not what the tag !!int says. Remove the tag, or correct the value.",
    },
    { text: "~: 1", message: "1:1: a key cannot be null. Quote it if it is text." },
    { text: "18446744073709551615: 1", message: "1:1: kubectl takes no key beyond 64 bits. Quote it." },
    { text: "? [a]\n: 1", message: "1:3: a key must be text here, not a list or a mapping. Quote it if it is text." },
    { text: "<<: 1", message: "1:5: << takes a mapping, or a list of mappings. Quote the key if it is text." },
    {
      text: "a: &a [1]\n<<: *a",
      message: "2:5: << takes a mapping, or a list of mappings. Quote the key if it is text.",
    },
    { text: "<<: [[{a: 1}]]", message: "1:6: << takes a mapping, or a list of mappings. Quote the key if it is text." },
    { text: "%YAML 1.1\n---\na: 1", message: "1:1: kubectl reads no YAML directives. Remove this line." },
    {
      text: "--- a: 1",
      message: "1:5: only a comment may follow the --- that separates documents. Put this into the next line.",
    },
    {
      text: "a: 1\n...\nb: 2",
      message: "3:1: kubectl drops a document that no --- separates from the one before. Put one here.",
    },
    {
      text: '{"kind": "A",}x',
      message: "1:14: invalid character '}' looking for beginning of object key string. Correct the JSON.",
    },
    {
      text: '{"kind": "A", "a": 1e400}',
      message: "1:20: json: cannot unmarshal number 1e400 into Go value of type float64. Correct the JSON.",
    },
    { text: '{"a": 1, "a": 2}', message: '1:10: duplicate field "a". Correct the JSON.' },
  ])("$text", ({ text, message }) => {
    expect(problems(text)).toEqual([`f.yaml:${message}`]);
  });

  test("A-15 a broken quote does not make two documents of one", () => {
    expect(problems('data:\n  s: "a\n---\nb"\n')).toEqual([
      "f.yaml:2:6: this quote is not closed. Close it, and indent all its lines.",
    ]);
  });

  test("A-19 aliases that multiply are cut off", () => {
    const bomb = Array.from({ length: 20 }, (_, level) => {
      const items = level === 0 ? "x" : Array.from({ length: 9 }, () => `*a${level - 1}`).join(", ");
      return `a${level}: &a${level} [${items}]`;
    });
    expect(problems(bomb.join("\n"))).toEqual([
      expect.stringContaining("the aliases expand to too much. Write out what is repeated, or repeat less."),
    ]);
  });

  test("many uses of a small anchor are no bomb", () => {
    expect(readAll(`x: &x {a: 1}\nl:\n${"- *x\n".repeat(2000)}`)).toHaveLength(1);
  });

  test.for([
    { text: `${"[".repeat(513)}${"]".repeat(513)}`, message: "it nests deeper than 512 levels. Make it flatter." },
    { text: "[".repeat(100_000), message: "it nests too deep. Make it flatter." },
    {
      text: `{"kind":"A","a":${"[".repeat(100_000)}`,
      message: "invalid character '[' exceeded max depth. Correct the JSON.",
    },
    {
      text: Array.from({ length: 2000 }, (_, i) => `${" ".repeat(i)}a:`).join("\n"),
      message: "it nests too deep. Make it flatter.",
    },
  ])("deep nesting: $message", ({ text, message }) => {
    expect(problems(text)[0]).toContain(message);
  });

  test("everything wrong with a file is told at once, each with its line and a caret", () => {
    const text = "kind: A\na: 1\na: 2\n---\nkind: B\nb: *none\n---\nkind: C\nc: [\n";
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        message: [
          'f.yaml:3:1: the key "a" stands twice in one mapping, first in line 2. Remove one of them.',
          "  3 | a: 2",
          "    | ^",
          "f.yaml:6:4: there is no anchor &none before this. Add one, or correct the name.",
          "  6 | b: *none",
          "    |    ^",
          "f.yaml:10:1: flow sequence in block collection must be sufficiently indented and end with a ]. Indent it like its neighbours.",
          "  10 | ",
          "     | ^",
        ].join("\n"),
      }),
    );
  });

  test.for([
    { rule: "a quote that is not closed", text: 'kind: Secret\ndata:\n  p: "hunter2\n' },
    { rule: "a reserved character", text: "kind: Secret\nstringData: { p: @hunter2 }" },
    { rule: "an alias", text: "kind: Secret\nstringData:\n  p: *hunter2" },
    { rule: "an anchor", text: "kind: Secret\nstringData:\n  p: &hunter2: x" },
    { rule: "a tag", text: "kind: Secret\nstringData:\n  p: !!float hunter2" },
    { rule: "a tag handle", text: "kind: Secret\nstringData:\n  p: !hunter2! x" },
    { rule: "a block header", text: "kind: Secret\nstringData:\n  p: |hunter2\n" },
    { rule: "an escape", text: 'kind: Secret\nstringData:\n  p: "hunter2\\xhunter2"' },
    { rule: "a duplicate key", text: "kind: Secret\nstringData:\n  p: hunter2\n  p: hunter2" },
    { rule: "a kind in quotes", text: "\"kind\": 'Secret'\ndata: [hunter2" },
    { rule: "a kind that comes later", text: "stringData: { p: @hunter2 }\nkind: ConfigMap" },
    { rule: "no kind", text: "stringData: { p: @hunter2 }" },
    { rule: "a Secret in a list", text: "kind: List\nitems:\n  - kind: Secret\n    data: [hunter2" },
    { rule: "the second document", text: "kind: ConfigMap\n---\nkind: Secret\ndata: [hunter2" },
    { rule: "JSON", text: '{"kind":"Secret","stringData":{"p":"hunter2" "q":1}}' },
    { rule: "JSON with a number", text: '{"stringData":{"hunter2":2e999}}' },
    { rule: "a kubeconfig", text: "kind: Config\nusers: [{token: @hunter2}]" },
    { rule: "what follows ---", text: "--- {p: hunter2}" },
  ])("B-25 nothing of a Secret is shown: $rule", ({ text }) => {
    expect(() => readYamlDocuments(text, { source })).toThrow(
      expect.objectContaining({
        message: expect.toSatisfy((message: string) => {
          return !/hunter2|2e999/.test(message) && message.includes("| (not shown, since it may be part of a Secret)");
        }),
      }),
    );
  });

  test("where the kind is known to be another one, the line is shown", () => {
    const messageOf = (text: string): unknown => {
      try {
        return readYamlDocuments(text, { source });
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(messageOf("kind: ConfigMap # x\ndata: { p: @x }")).toContain("\n  2 | data: { p: @x }\n");
    expect(messageOf('{"apiVersion":"v1","kind":"ConfigMap","a" 1}')).toContain('\n  1 | {"apiVersion":');
    expect(messageOf("kind: Secret\n---\nkind: ConfigMap\ndata: { p: @x }")).toContain("\n  4 | data");
  });

  test("a hundred problems are shown, the rest is counted", () => {
    const message = problems(Array.from({ length: 150 }, () => "a: 1").join("\n"));
    expect(message).toHaveLength(101);
    expect(message.at(-1)).toBe("f.yaml: 49 more");
  });
});

describe("warnings", () => {
  test("what an alias repeats is said once, where the anchor stands", () => {
    expect(readYamlDocuments("a: &x {y: 1}\nb: [*x, *x]", { source })[0]?.warnings).toHaveLength(1);
    expect(problems("a: &x {b: 1, b: 2}\nc: [*x, *x]")).toHaveLength(1);
  });

  test.for([
    {
      text: "kind: A\ny: 1",
      warning: "f.yaml:2:1: the key y is the boolean true. Quote it if it is text.\n  2 | y: 1\n    | ^",
    },
    {
      text: "kind: A\n<<: {a: 1}\n<<: {b: 2}",
      warning: "f.yaml:3:1: this is a second << in one mapping. Use one, with a list.\n  3 | <<: {b: 2}\n    | ^",
    },
    {
      text: "kind: A\na: 1\n<<: {a: 2}",
      warning: 'f.yaml:3:1: the merged "a" replaces the one before it. Put << first.\n  3 | <<: {a: 2}\n    | ^',
    },
  ])("$text", ({ text, warning }) => {
    expect(readYamlDocuments(text, { source })[0]?.warnings).toEqual([warning]);
  });
});

describe("laws", () => {
  test("JSON is read as JSON, also where it stands as YAML behind a comment", () => {
    const values = fc.jsonValue({ maxDepth: 4, stringUnit: "grapheme" }).map((value) => ({ value }));
    fc.assert(
      fc.property(values, fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(formatJson(read(text))).toBe(formatJson(JSON.parse(text)));
        if (/[\x7f-\xa0\u2028\u2029\ufffe\uffff]/.test(text)) return;
        expect(formatJson(read(`# JSON\n${text}`))).toBe(formatJson(JSON.parse(text)));
      }),
    );
  });

  test("whatever the text, it is read or refused as YAML", () => {
    const piece = fc.constantFrom(
      "a",
      ": ",
      "- ",
      "\n",
      "  ",
      "[",
      "]",
      "{",
      "}",
      ",",
      "&x ",
      "*x",
      "<<",
      "!!int ",
      '"',
      "'",
      "|",
      ">",
      "#",
      "---\n",
      "\t",
      "\r",
      "?",
      "1",
      "\\u",
      "%",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => {
        problems(pieces.join("")); // expects the code
      }),
      { numRuns: 1000 },
    );
  });
});

describe("what is very large", () => {
  const large = "x".repeat(20 << 20);

  test.for([
    ["plain", large],
    ["single quotes", `'${large}'`],
    ["double quotes", `"${large}"`],
    ["a block", `|-\n  ${large}`],
  ])("a text of 20 MiB is read: %s", ([, scalar]) => {
    expect(readYaml(`kind: A\na: ${scalar}\n`, { source: "f.yaml" })).toEqual({ kind: "A", a: large });
  });

  test("a key of 20 MiB is refused", () => {
    expect(() => readYaml(`${large}: 1\n`, { source: "f.yaml" })).toThrow(
      /^f\.yaml:1:1: the : indicator must be at most 1024 chars .*\. Write the key after a question mark\.\n/,
    );
  });

  test("more values than there is memory for are refused", () => {
    expect(() => readYaml(`a: [${"1,".repeat(5 << 20)}]\n`, { source: "f.yaml" })).toThrow(
      "f.yaml:1:1: the document has too many values to be read at once. Make several of it.",
    );
  });
});
