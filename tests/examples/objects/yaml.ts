import { formatYamlDocument } from "@slipway/objects";
import { readYaml } from "@slipway/objects/yaml";

console.log(JSON.stringify(readYaml("mode: 0640\nenabled: yes\ntime: 12:30\n", { source: "a.yaml" })));
console.log(formatYamlDocument({ country: "no", version: "1.10", port: 80, time: "12:30:45" }).trimEnd());
try {
  readYaml("kind: Deployment\nspec:\n  replicas: 1\n  replicas: 2\n", { source: "b.yaml" });
} catch (error) {
  console.log((error as Error).message);
}
