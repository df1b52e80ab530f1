import { applyJsonPatch, JsonPatchError, mergePatch, readJsonPatch } from "@slipway/objects";

const object = { kind: "Deployment", spec: { replicas: 1, paused: true } };
console.log(JSON.stringify(mergePatch(object, { spec: { replicas: 3, paused: null } })));

const patch = readJsonPatch([
  { op: "test", path: "/spec/replicas", value: 1 },
  { op: "replace", path: "/spec/replica", value: 2 },
]);
try {
  applyJsonPatch(object, patch);
} catch (error) {
  if (!(error instanceof JsonPatchError)) throw error;
  console.log(error.message);
}
