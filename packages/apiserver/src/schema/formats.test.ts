import { expect, test } from "vitest";
import { stringFormat } from "./formats.ts";

const uuid = (version: string): string => `11111111-1111-${version}111-8111-111111111111`;

test.for<{ format: string; valid: string[]; invalid: string[] }>([
  { format: "bsonobjectid", valid: ["507f1f77bcf86cd799439011"], invalid: ["", "507f1f77bcf86cd79943901", "x"] },
  { format: "byte", valid: ["aGVsbG8=", "YQ==", "YWJj"], invalid: ["", "aGVsbG8", "!!", "a===", "YQ=a", "YW-_"] },
  {
    format: "cidr",
    valid: ["10.0.0.0/8", "::/0", "fe80::1/128", "10.0.0.1/08"],
    invalid: ["10.0.0.0", "10.0.0.1/33", "::/129", "10.0.0/8", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8"],
  },
  {
    format: "creditcard",
    valid: ["4111 1111 1111 1111", "378282246310005", "5555-5555-5555-4444"],
    invalid: ["4111111111111112", "1234", ""],
  },
  {
    format: "date",
    valid: ["2020-02-29", "0000-01-01"],
    invalid: ["2021-02-29", "2020-13-01", "2020-00-10", "20-01-01", ""],
  },
  {
    format: "date-time",
    valid: ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00.123+02:00", "2020-01-01t23:59:59z"],
    invalid: ["2020-01-01", "2020-01-01T00:00:00", "yesterday", "2020-01-01T24:00:00Z", "2021-02-29T00:00:00Z"],
  },
  {
    format: "duration",
    valid: ["1h30m", "1d", "P1D", "0", "1.5h", "-3s", "22 ns", "5 seconds", "2 weeks", "1µs"],
    invalid: ["5", "long", "", "5 x", "h", "1 5"],
  },
  {
    format: "email",
    valid: ["a@example.dev", "A <a@b.c>", '"a b"@c.d', "a.b+c@d", "ä@ö.de", "a@[127.0.0.1]", "<a@b>"],
    invalid: ["a", "@b", "a@", "a@b@c", "a b@c.d", "A a@b.c", "a..b@c.d", ".a@b", ""],
  },
  { format: "hexcolor", valid: ["#ffffff", "#fff", "ABCDEF"], invalid: ["white", "#ff", "#fffffff", ""] },
  {
    format: "hostname",
    valid: ["a.example.dev", "UPPER.example", "localhost", "1.example.com", "ex-ample.com", "bücher.example"],
    invalid: ["a_b", "-a.dev", "a..b", "", "a.b-", `${"a".repeat(64)}.dev`, `${"a.".repeat(130)}dev`],
  },
  {
    format: "ipv4",
    valid: ["10.0.0.1", "010.0.0.1", "::ffff:1.2.3.4"],
    invalid: ["", "10.0.0", "::1", "256.0.0.1", "1.2.3.4.5", "1.2.3.x"],
  },
  {
    format: "ipv6",
    valid: ["::1", "::", "fe80::1", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:1.2.3.4", "1::8"],
    invalid: [
      "10.0.0.1",
      "x",
      "1:2:3:4:5:6:7",
      "1::2::3",
      "::12345",
      "1:2:3:4:5:6:7:8:9",
      "fe80::1%eth0",
      ":1",
      "1:2:3:4:5:6:7::8",
    ],
  },
  { format: "isbn", valid: ["0321751043", "978-0321751041"], invalid: ["0321751044", "978-0321751042", ""] },
  { format: "isbn10", valid: ["0-321-75104-3", "080442957X"], invalid: ["9780321751041"] },
  { format: "isbn13", valid: ["978 0321751041"], invalid: ["0321751043"] },
  { format: "k8s-short-name", valid: ["abc", "a-1"], invalid: ["Bad_Name", "a.b", "s".repeat(64), ""] },
  { format: "k8s-long-name", valid: ["a.b.c"], invalid: ["a..b", "Upper", ""] },
  {
    format: "mac",
    valid: ["00:00:5e:00:53:01", "00-00-5E-00-53-01", "0000.5e00.5301", "02:00:5e:10:00:00:00:01"],
    invalid: ["x", "00:00:5e:00:53", "00:00-5e:00:53:01", "00005e005301", ""],
  },
  { format: "password", valid: ["", "anything"], invalid: [] },
  {
    format: "rgbcolor",
    valid: ["rgb(0,255,7)", "rgb( 1 , 2 , 3 )"],
    invalid: ["rgb(256,0,0)", "rgb(1,2)", "rgb(01,2,3)", "#fff"],
  },
  { format: "ssn", valid: ["123-45-6789", "123 45 6789"], invalid: ["123456789", "12-345-6789"] },
  {
    format: "uri",
    valid: [
      "https://example.dev/x",
      "/relative",
      "mailto:a@b",
      "http://a:80/?q=%zz",
      "http://[::1]:8080",
      "http://u:p@h/a b",
      "*",
    ],
    invalid: [
      ":",
      "no scheme",
      "",
      "x/y",
      "http://a:b/",
      "http://%zz/",
      "/a%2",
      "http://a b/",
      "a\u0000b",
      "http://[::1",
    ],
  },
  { format: "uuid", valid: [uuid("1"), "1".repeat(32), uuid("a").toUpperCase()], invalid: ["x", "1".repeat(31), ""] },
  { format: "uuid3", valid: [uuid("3")], invalid: [uuid("4")] },
  { format: "uuid4", valid: [uuid("4")], invalid: [uuid("3"), uuid("4").replace("-8", "-7")] },
  { format: "uuid5", valid: [uuid("5")], invalid: [uuid("4")] },
])("$format", ({ format, invalid, valid }) => {
  const test = stringFormat(format);
  expect(valid.filter((text) => test?.(text) !== true)).toEqual([]);
  expect(invalid.filter((text) => test?.(text) !== false)).toEqual([]);
});

test("a format goes by its name without dashes", () => {
  expect(stringFormat("datetime")).toBe(stringFormat("date-time"));
});

test.for(["invented", "quantity", "int32", "constructor", ""])("%j is not checked", (format) => {
  expect(stringFormat(format)).toBeUndefined();
});

test("no text takes long, whatever the format", { timeout: 5_000 }, () => {
  const parts = ["1", "a", "a.", ".", "1a", " ", "-", "::", '"\\', "@", "%", "a@", "1 ", "<", "a>", "0", "[", ","];
  const texts = parts.flatMap((part) => [30, 250, 100_000].map((times) => part.repeat(times)));
  const names = [
    "byte",
    "cidr",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv6",
    "isbn",
    "mac",
    "rgbcolor",
    "uri",
    "k8s-long-name",
  ];
  for (const name of names) for (const text of texts) stringFormat(name)?.(text);
});
