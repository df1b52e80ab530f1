import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "./json.ts";
import { formatReference, referenceOf } from "./reference.ts";
import { findUses } from "./uses.ts";

type Members = Readonly<Record<string, JsonValue>>;

function object(apiVersion: string, kind: string, path: string, members: Members = {}): JsonObject {
  const [name = "", namespace] = path.split("/").toReversed();
  return { apiVersion, kind, metadata: namespace === undefined ? { name } : { name, namespace }, ...members };
}

const draw = (objects: readonly JsonObject[]): string[] => {
  const nameOf = (each: JsonObject): string => formatReference(referenceOf(each));
  return findUses(objects).map(({ before, after, reason }) => `${nameOf(after)} uses ${nameOf(before)} (${reason})`);
};

const rbac = "rbac.authorization.k8s.io/v1";
const namespace = object("v1", "Namespace", "n");
const account = object("v1", "ServiceAccount", "n/s");
const configMap = object("v1", "ConfigMap", "n/c");
const secret = object("v1", "Secret", "n/s");
const service = object("v1", "Service", "n/web");
const pod: Members = {
  serviceAccountName: "s",
  volumes: [
    { configMap: { name: "c" } },
    { projected: { sources: [{ secret: { name: "s" } }, {}] } },
    { emptyDir: {} },
  ],
  containers: [
    { envFrom: [{ configMapRef: { name: "other" } }], env: [{ valueFrom: { secretKeyRef: { name: "s" } } }, {}] },
  ],
};

test("whatever is in a namespace uses that namespace", () => {
  expect(draw([configMap, namespace])).toEqual(["ConfigMap/n/c uses Namespace/n (metadata.namespace)"]);
});

test("a workload uses what its pods do, once", () => {
  const web = object("apps/v1", "Deployment", "n/web", { spec: { template: { spec: pod } } });
  expect(draw([web, account, configMap, secret])).toEqual([
    "Deployment/n/web uses ServiceAccount/n/s (spec.template.spec.serviceAccountName)",
    "Deployment/n/web uses ConfigMap/n/c (spec.template.spec.volumes[].configMap.name)",
    "Deployment/n/web uses Secret/n/s (spec.template.spec.volumes[].projected.sources[].secret.name)",
  ]);
});

test("only what has that name in that namespace is used", () => {
  const web = object("v1", "Pod", "m/web", { spec: pod });
  expect(draw([web, account, configMap, secret])).toEqual([]);
});

test("a binding uses its role and its accounts", () => {
  const members: Members = {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [
      { kind: "ServiceAccount", name: "s" },
      { kind: "User", name: "jane" },
    ],
  };
  const binding = object(rbac, "RoleBinding", "n/b", members);
  expect(draw([binding, object(rbac, "ClusterRole", "view"), account])).toEqual([
    "RoleBinding/n/b uses ClusterRole/view (roleRef)",
    "RoleBinding/n/b uses ServiceAccount/n/s (subjects[])",
  ]);
});

test("a webhook and an API service use the service behind them", () => {
  const clientConfig = { service: { name: "web", namespace: "n" } };
  const objects = [
    object("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "m", {
      webhooks: [{ clientConfig }, {}],
    }),
    object("apiregistration.k8s.io/v1", "APIService", "v1.example.com", { spec: clientConfig }),
    service,
  ];
  expect(draw(objects)).toEqual([
    "MutatingWebhookConfiguration/m uses Service/n/web (webhooks[].clientConfig.service)",
    "APIService/v1.example.com uses Service/n/web (spec.service)",
  ]);
});

test("a custom resource uses its definition, whatever the version", () => {
  const definition = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets.example.com", {
    spec: { group: "example.com", names: { kind: "Widget" } },
  });
  expect(
    draw([object("example.com/v2", "Widget", "n/w"), object("other.com/v1", "Widget", "n/w"), definition]),
  ).toEqual(["Widget/n/w uses CustomResourceDefinition/widgets.example.com (its definition)"]);
});

test("an Ingress uses services, an autoscaler its target", () => {
  const rules = [{ http: { paths: [{ backend: { service: { name: "web" } } }] } }];
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  const objects = [
    object("networking.k8s.io/v1", "Ingress", "n/i", { spec: { rules } }),
    object("autoscaling/v2", "HorizontalPodAutoscaler", "n/h", { spec: { scaleTargetRef } }),
    object("apps/v1", "Deployment", "n/web"),
    service,
  ];
  expect(draw(objects)).toEqual([
    "Ingress/n/i uses Service/n/web (spec.rules[].http.paths[].backend.service.name)",
    "HorizontalPodAutoscaler/n/h uses Deployment/n/web (spec.scaleTargetRef)",
  ]);
});

test("fields of wrong types are no uses, and neither is anything without a name", () => {
  const odd: Members = {
    spec: { serviceAccountName: 1, volumes: { configMap: { name: "c" } }, containers: [null, "x"] },
  };
  const binding = object(rbac, "RoleBinding", "n/b", {
    roleRef: "view",
    subjects: { kind: "ServiceAccount", name: "s" },
  });
  expect(draw([object("v1", "Pod", "n/p", odd), binding, { kind: "Pod", spec: pod }, {}, account, configMap])).toEqual(
    [],
  );
});
