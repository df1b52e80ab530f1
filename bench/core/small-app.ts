import { ApiObject, App, Chart } from "@slipway/core";

const app: App = new App();
const chart = new Chart(app, "shop", { namespace: "shop" });
new ApiObject(chart, "settings", { apiVersion: "v1", kind: "ConfigMap", data: { currency: "EUR" } });
app.synth();
