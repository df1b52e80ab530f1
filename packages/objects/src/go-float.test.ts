import { expect, test } from "vitest";
import { goFloat } from "./go-float.ts";

// Both columns are what Go 1.26 printed.
test.for([
  { value: 0.1, go: "0.1" },
  { value: 123_456, go: "123456" },
  { value: 999_999, go: "999999" },
  { value: 1_000_000, go: "1e+06" },
  { value: 1_234_567, go: "1.234567e+06" },
  { value: 123_456_789, go: "1.23456789e+08", go32: "1.2345679e+08" },
  { value: 16_777_217, go: "1.6777217e+07", go32: "1.6777216e+07" },
  { value: 1.23456789, go: "1.23456789", go32: "1.2345679" },
  { value: 0.0001, go: "0.0001" },
  { value: 0.00001, go: "1e-05" },
  { value: 1.5e-7, go: "1.5e-07" },
  { value: 1e22, go: "1e+22" },
  { value: 3.4e39, go: "3.4e+39", go32: "+Inf" },
  { value: -1e7, go: "-1e+07" },
  { value: -0, go: "-0" },
  { value: 0, go: "0" },
  { value: Number.NEGATIVE_INFINITY, go: "-Inf" },
  { value: Number.NaN, go: "NaN" },
])("Go prints $value as $go", ({ value, go, go32 }) => {
  expect([goFloat(value), goFloat(value, 32)]).toEqual([go, go32 ?? go]);
});
