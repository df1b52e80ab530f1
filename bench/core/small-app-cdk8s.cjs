const { ApiObject, App, Chart } = require("cdk8s");

const app = new App({ outdir: process.argv[2] });
const chart = new Chart(app, "shop", { namespace: "shop" });
new ApiObject(chart, "settings", { apiVersion: "v1", kind: "ConfigMap", data: { currency: "EUR" } });
app.synth();
