import { apiVersionOf, inventoryOf, subtractInventory } from "@slipway/objects";

const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "shop" } });

const owned = inventoryOf([configMap("old"), configMap("settings")]);
const desired = inventoryOf([configMap("settings"), configMap("new")]);
for (const entry of subtractInventory(owned, desired).values()) {
  console.log(`prune ${apiVersionOf(entry)} ${entry.kind} ${entry.namespace}/${entry.name}`);
}
