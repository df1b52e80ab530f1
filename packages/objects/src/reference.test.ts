import { expect, test } from "vitest";
import { formatReference, referenceOf } from "./reference.ts";

test.for([
  { object: { kind: "Deployment", metadata: { name: "web", namespace: "shop" } }, text: "Deployment/shop/web" },
  { object: { kind: "Namespace", metadata: { name: "shop" } }, text: "Namespace/shop" },
  { object: { kind: "Pod", metadata: { name: 1, namespace: [] } }, text: "Pod/" },
  { object: { metadata: "x" }, text: "/" },
])("$text", ({ object, text }) => {
  expect(formatReference(referenceOf(object))).toBe(text);
});
