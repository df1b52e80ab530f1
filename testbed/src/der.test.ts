import { expect, test } from "vitest";
import * as der from "./der.ts";

test.for([
  ["a short length", der.octetString(Buffer.alloc(3, 1)), "0403010101"],
  ["a length of one byte more", der.octetString(Buffer.alloc(128)).subarray(0, 3), "048180"],
  ["a length of two bytes more", der.octetString(Buffer.alloc(256)).subarray(0, 4), "04820100"],
  ["an integer", der.integer(Buffer.from([5])), "020105"],
  ["an integer whose first bit is set stays positive", der.integer(Buffer.from([0xff])), "020200ff"],
  ["a boolean", der.boolean(true), "0101ff"],
  ["bits with unused ones", der.bitString(Buffer.from([0x80]), 7), "03020780"],
  ["text", der.utf8String("ë"), "0c02c3ab"],
  ["an identifier", der.objectIdentifier("1.2.840.10045.4.3.2"), "06082a8648ce3d040302"],
  ["a time before 2050", der.time(new Date("2049-12-31T23:59:59Z")), "170d3439313233313233353935395a"],
  ["a time from 2050 on", der.time(new Date("2050-01-01T00:00:00Z")), "180f32303530303130313030303030305a"],
  ["a sequence", der.sequence(der.boolean(false), der.set()), "30050101003100"],
  ["an explicit tag", der.explicit(3, der.boolean(true)), "a3030101ff"],
  ["an implicit tag", der.implicit(2, Buffer.from("a")), "820161"],
] as const)("%s", ([, bytes, expected]) => {
  expect(bytes.toString("hex")).toBe(expected);
});
