import { expect, test } from "vitest";
import { hooksOf } from "./helm-hooks.ts";

const withHook = (hook: unknown): unknown => ({ metadata: { annotations: { "helm.sh/hook": hook } } });

test.for<{ rule: string; object: unknown; hooks: readonly string[] }>([
  { rule: "an ordinary object", object: { metadata: { annotations: { a: "b" } } }, hooks: [] },
  { rule: "A-33 a hook", object: withHook("pre-delete"), hooks: ["pre-delete"] },
  { rule: "several", object: withHook("pre-install,post-upgrade"), hooks: ["pre-install", "post-upgrade"] },
  { rule: "neither case nor blanks count", object: withHook(" Pre-Install , TEST "), hooks: ["pre-install", "test"] },
  { rule: "a test by its old name", object: withHook("test-success"), hooks: ["test"] },
  { rule: "one is named once", object: withHook("test,test-success"), hooks: ["test"] },
  { rule: "one that Helm does not know", object: withHook("crd-install"), hooks: ["crd-install"] },
  { rule: "nothing", object: withHook(" , "), hooks: [] },
  { rule: "no text", object: withHook(true), hooks: [] },
  { rule: "no annotations", object: { metadata: { annotations: null } }, hooks: [] },
  { rule: "no metadata", object: {}, hooks: [] },
  { rule: "no object", object: "text", hooks: [] },
])("$rule", ({ object, hooks }) => {
  expect(hooksOf(object)).toEqual(hooks);
});
