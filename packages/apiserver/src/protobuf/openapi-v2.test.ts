import type { JsonObject } from "@slipway/objects";
import { expect, test } from "vitest";
import { encodeOpenApiV2 } from "./openapi-v2.ts";

const swagger: JsonObject = {
  swagger: "2.0",
  info: { title: "T", version: "1" },
  paths: {
    "/a/{name}": {
      patch: {
        consumes: ["application/json"],
        produces: ["application/json"],
        schemes: ["https"],
        tags: ["t"],
        description: "d",
        operationId: "o",
        parameters: [
          { name: "body", in: "body", required: true, schema: { $ref: "#/definitions/A" } },
          { name: "q", in: "query", type: "string", uniqueItems: true },
        ],
        responses: {
          "200": { description: "OK", schema: { $ref: "#/definitions/A" } },
          "401": { description: "Unauthorized" },
        },
        "x-n": 7,
      },
      parameters: [{ name: "name", in: "path", required: true, type: "string", uniqueItems: true }],
    },
  },
  definitions: {
    A: {
      type: "object",
      description: "An A.",
      required: ["a"],
      properties: {
        a: {
          type: "integer",
          format: "int32",
          default: 0,
          minimum: 1.5,
          maximum: 300,
          exclusiveMaximum: true,
          enum: [1, 2],
        },
        l: { type: "array", items: { type: "string", maxLength: 9, pattern: "^x" }, maxItems: 3, "x-set": true },
        m: { type: "object", additionalProperties: { type: "boolean" } },
        f: { type: "object", additionalProperties: false },
      },
    },
  },
  securityDefinitions: { B: { type: "apiKey", name: "authorization", in: "header", description: "k" } },
  security: [{ B: [] }],
};

/** The bytes that gnostic v0.7.1 makes of the same document (`openapi_v2.ParseDocument`, then `proto.Marshal`). */
const bytes = [
  "0a03322e3012060a015412013142f90112f6010a092f612f7b6e616d657d12e80142c4010a01741a01642a016f3210617070",
  "6c69636174696f6e2f6a736f6e3a106170706c69636174696f6e2f6a736f6e42250a230a211204626f64791a04626f647920",
  "012a110a0f232f646566696e6974696f6e732f41421b0a1912171a15120571756572792201713206737472696e67a001014a",
  "3d0a220a03323030121b0a190a024f4b12130a110a0f232f646566696e6974696f6e732f410a170a0334303112100a0e0a0c",
  "556e617574686f72697a6564520568747470736a0b0a03782d6e12041202370a4a1f0a1d121b221908011204706174682204",
  "6e616d652a06737472696e679801014adb010ad8010a014112d2012205416e20412e9a010161b201080a066f626a656374ca",
  "01b8010a400a0161123b1205696e7433322a041202300a390000000000c07240400149000000000000f83fa201041202310a",
  "a201041202320ab201090a07696e74656765720a3a0a016c12357003b201070a056172726179ba01130a1158096a025e78b2",
  "01080a06737472696e67fa01100a05782d73657412071205747275650a0a210a016d121caa010e0a0cb201090a07626f6f6c",
  "65616eb201080a066f626a6563740a150a01661210aa01021000b201080a066f626a65637462070a050a014212006a2b0a29",
  "0a0142122412220a066170694b6579120d617574686f72697a6174696f6e1a0668656164657222016b",
].join("");

test("a document has the bytes that kubectl's own library gives it", () => {
  expect(Buffer.from(encodeOpenApiV2(swagger)).toString("hex")).toBe(bytes);
});

test.for<{ rule: string; schema: JsonObject; hex: string }>([
  { rule: "text of any kind is JSON", schema: { default: 'a"b' }, hex: "2a09120722615c2262220a" },
  { rule: "nothing is a value too", schema: { default: null }, hex: "2a0712056e756c6c0a" },
  {
    rule: "integers beyond 53 bits keep their digits",
    schema: { maxLength: 9007199254740993n },
    hex: "588180808080808010",
  },
  {
    rule: "members that are not known are left out",
    schema: { nope: 1, "x-a": 1 },
    hex: "fa010b0a03782d6112041202310a",
  },
])("schemas: $rule", ({ schema, hex }) => {
  const encoded = Buffer.from(encodeOpenApiV2({ definitions: { A: schema } })).toString("hex");
  // Definitions, one entry, its name, its schema.
  expect(encoded.slice(encoded.indexOf("0a0141") + 10)).toBe(hex);
});
