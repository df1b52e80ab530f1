import { createValue, exportResources, resources } from "@slipway/objects";

const compiled = {
  value: createValue({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace: "shop" } }),
  instance: "shop",
  component: "backend/settings",
  transformer: "example.com/config@1.0.0",
};

const [settings] = resources([compiled]);
console.log(`${settings} in ${settings?.instance}, from ${settings?.component}`);

const [exported] = exportResources([settings]);
console.log(exported?.json);
