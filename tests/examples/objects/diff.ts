import { diffObjects, formatDifference } from "@slipway/objects";

const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "db" } };
const before = { ...secret, data: { password: "b2xk" } };
const after = { ...secret, stringData: { password: "new" } };
for (const difference of diffObjects(before, after)) console.log(formatDifference(difference));

const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" } };
const container = (image: string, cpu: string) => ({ name: "web", image, resources: { limits: { cpu } } });
const changed = diffObjects(
  { ...pod, spec: { containers: [container("web:1", "1000m")] } },
  { ...pod, spec: { containers: [container("web:2", "1")] } },
);
for (const difference of changed) console.log(formatDifference(difference));
