/** A Deployment of the size that people write: two containers, probes, volumes, labels. Nothing is shared. */
export function deployment(index) {
  const name = `web-${index}`;
  const labels = () => ({
    "app.kubernetes.io/name": name,
    "app.kubernetes.io/part-of": "shop",
    "app.kubernetes.io/managed-by": "slipway",
    tier: "frontend",
  });
  const container = (title, port) => ({
    name: title,
    image: `registry.example.com/shop/${title}:1.${index % 100}.0`,
    imagePullPolicy: "IfNotPresent",
    args: [`--port=${port}`, "--log-level", "info", `--shard=${index}`],
    ports: [{ name: "http", containerPort: port, protocol: "TCP" }],
    env: [
      { name: "MODE", value: "production" },
      { name: "FEATURES", value: "yes" },
      { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    ],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
    livenessProbe: { httpGet: { path: "/healthz", port: "http" }, initialDelaySeconds: 10, periodSeconds: 10 },
    readinessProbe: { httpGet: { path: "/ready", port: "http" }, periodSeconds: 5 },
    volumeMounts: [{ name: "config", mountPath: "/etc/web", readOnly: true }],
  });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name,
      namespace: `team-${index % 40}`,
      labels: labels(),
      annotations: { "example.com/owner": `team-${index % 40}@example.com`, "example.com/revision": `${index}` },
    },
    spec: {
      replicas: (index % 5) + 1,
      revisionHistoryLimit: 3,
      selector: { matchLabels: { "app.kubernetes.io/name": name } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 } },
      template: {
        metadata: { labels: labels() },
        spec: {
          serviceAccountName: name,
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: "RuntimeDefault" } },
          containers: [container("web", 8080), container("proxy", 9090)],
          volumes: [{ name: "config", configMap: { name: `${name}-config` } }],
        },
      },
    },
  };
}
