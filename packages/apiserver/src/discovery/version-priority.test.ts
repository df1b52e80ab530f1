import { expect, test } from "vitest";
import { compareVersions } from "./version-priority.ts";

test("stable, beta, alpha, larger numbers first, the rest by the alphabet", () => {
  const inOrder = [
    "v10",
    "v2",
    "v1",
    "v11beta2",
    "v10beta3",
    "v3beta1",
    "v12alpha1",
    "v11alpha2",
    "foo1",
    "foo10",
    "v0",
  ];
  expect(inOrder.toReversed().sort(compareVersions)).toEqual(inOrder);
});
