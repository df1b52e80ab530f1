import { hasCondition, setCondition } from "@slipway/objects";

const ready = { type: "Ready", status: "False", reason: "Starting" } as const;
const first = setCondition([], ready, "2026-01-01T00:00:00Z");
const second = setCondition(first, { ...ready, reason: "Waiting" }, "2026-01-01T00:01:00Z");
const third = setCondition(second, { ...ready, status: "True", reason: "Started" }, "2026-01-01T00:02:00Z");
console.log(second[0]?.reason, second[0]?.lastTransitionTime);
console.log(hasCondition(third, "Ready"), third[0]?.lastTransitionTime);
