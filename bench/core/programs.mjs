/**
 * Programs against the names of cdk8s. Each makes an app of `size` objects with the library it is given; the same
 * program on two libraries writes the same bytes.
 */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** A Deployment without a name of its own: 1 kB of YAML. */
function deployment(index) {
  const labels = { "app.kubernetes.io/name": `web-${index % 100}`, tier: "frontend" };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { labels },
    spec: {
      replicas: (index % 5) + 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: "web",
              image: `registry.example.com/web:1.${index % 100}.0`,
              args: ["--log-level", "info"],
              ports: [{ name: "http", containerPort: 8080 }],
              env: [{ name: "MODE", value: "production" }],
              resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
              readinessProbe: { httpGet: { path: "/ready", port: "http" }, periodSeconds: 5 },
            },
          ],
        },
      },
    },
  };
}

const settings = (index) => ({ apiVersion: "v1", kind: "ConfigMap", data: { index: `${index}` } });

/** `size` objects, as `make` makes them, spread over `count` charts. */
function chartsOf({ App, Chart, ApiObject }, { outdir, size, count, make, namespace, trace = false }) {
  const app = new App({ outdir, trace });
  const charts = Array.from({ length: count }, (_, index) => {
    const chart = new Chart(app, `chart-${index}`, namespace ? { namespace: `team-${index}` } : {});
    const first = Math.floor((size * index) / count);
    const end = Math.floor((size * (index + 1)) / count);
    const objects = [];
    for (let each = first; each < end; each += 1) objects.push(new ApiObject(chart, `object-${each}`, make(each)));
    return { chart, objects };
  });
  return { app, charts };
}

function chain(constructs) {
  for (const [index, each] of constructs.entries()) if (index > 0) each.addDependency(constructs[index - 1]);
}

export const programs = {
  /** Deployments in 40 charts, a namespace for each. */
  deployments(library, options) {
    return chartsOf(library, { ...options, count: 40, make: deployment, namespace: true }).app;
  },

  /** The same with the line of the program that makes each object. cdk8s does not know the option. */
  "traced deployments"(library, options) {
    return chartsOf(library, { ...options, count: 40, make: deployment, namespace: true, trace: true }).app;
  },

  /** One chart, each object depends on the one before. */
  chain(library, options) {
    const { app, charts } = chartsOf(library, { ...options, count: 1, make: settings });
    for (const { objects } of charts) chain(objects);
    return app;
  },

  /** The objects of `chain`, without the dependencies. */
  chart(library, options) {
    return chartsOf(library, { ...options, count: 1, make: settings }).app;
  },

  /** Four charts in a row, the objects of each in a row. */
  "chained charts"(library, options) {
    const { app, charts } = chartsOf(library, { ...options, count: 4, make: settings });
    chain(charts.map(({ chart }) => chart));
    for (const { objects } of charts) chain(objects);
    return app;
  },

  /** The objects of `chained charts`, without the dependencies. */
  charts(library, options) {
    return chartsOf(library, { ...options, count: 4, make: settings }).app;
  },

  /** Charts of five objects, none depends on another. */
  "independent charts"(library, options) {
    return chartsOf(library, { ...options, count: options.size / 5, make: settings }).app;
  },

  /** Deployments and Services of cdk8s-plus-33, half of each. */
  plus({ App, Chart }, { outdir, size }) {
    const { Deployment } = require("cdk8s-plus-33");
    const app = new App({ outdir });
    const chart = new Chart(app, "shop");
    for (let index = 0; index < size / 2; index += 1) {
      const web = new Deployment(chart, `web-${index}`, { replicas: 2 });
      web.addContainer({ image: `registry.example.com/web:1.${index % 100}.0`, portNumber: 8080 });
      web.exposeViaService();
    }
    return app;
  },
};
