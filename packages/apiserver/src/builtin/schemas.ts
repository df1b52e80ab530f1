import type { JsonObject } from "@slipway/objects";

/**
 * Fields of the built-in kinds, as schemas: what is kept, what is checked, and what `kubectl explain`
 * shows. Field names and types are those of the Kubernetes API (k8s.io/api).
 */

const text = (description: string): JsonObject => ({ type: "string", description });
const integer = (description: string): JsonObject => ({ type: "integer", format: "int32", description });
const flag = (description: string): JsonObject => ({ type: "boolean", description });
const list = (items: JsonObject, description: string): JsonObject => ({ type: "array", items, description });
/** A list of objects that are told apart by `keys`; strategic merge patches look at the first of them alone. */
const mergedList = (keys: readonly [string, ...string[]], items: JsonObject, description: string): JsonObject => ({
  ...list(items, description),
  "x-kubernetes-list-map-keys": keys,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-patch-merge-key": keys[0],
  "x-kubernetes-patch-strategy": "merge",
});
const map = (description: string): JsonObject => ({
  type: "object",
  additionalProperties: { type: "string" },
  description,
});
const object = (description: string, properties: JsonObject): JsonObject => ({
  type: "object",
  description,
  properties,
});

const time = (description: string): JsonObject => ({ type: "string", format: "date-time", description });

const conditionFields = {
  type: text("What the fact is about."),
  status: text("True, False or Unknown."),
  reason: text("One word for machines."),
  message: text("A sentence for people."),
  lastTransitionTime: time("When the status last changed."),
};
const namespaceCondition = object("One observed fact about the namespace.", conditionFields);
const condition = object("One observed fact about the object.", {
  ...conditionFields,
  observedGeneration: { type: "integer", format: "int64", description: "The generation that was looked at." },
});

export const namespaceSchema: JsonObject = {
  type: "object",
  description: "A Namespace is a scope for names.",
  properties: {
    spec: object("What the namespace should be.", {
      finalizers: list({ type: "string" }, "What must be done before the namespace can go."),
    }),
    status: object("What the namespace is.", {
      phase: text("Active or Terminating."),
      conditions: mergedList(["type"], namespaceCondition, "Why a deletion has not come to its end."),
    }),
  },
};

export const configMapSchema: JsonObject = {
  type: "object",
  description: "A ConfigMap holds configuration for others to read.",
  properties: {
    immutable: flag("Once true, data and binaryData cannot be changed any more."),
    data: map("Texts by key."),
    binaryData: {
      type: "object",
      additionalProperties: { type: "string", format: "byte" },
      description: "Bytes by key, in base64.",
    },
  },
};

export const secretSchema: JsonObject = {
  type: "object",
  description: "A Secret holds data that not everybody may see.",
  properties: {
    immutable: flag("Once true, the data cannot be changed any more."),
    data: {
      type: "object",
      additionalProperties: { type: "string", format: "byte" },
      description: "Bytes by key, in base64.",
    },
    stringData: map("Texts by key, merged into data on write and never shown."),
    type: text("What kind of secret it is; Opaque when nothing is said."),
  },
};

const intOrString = (description: string): JsonObject => ({ "x-kubernetes-int-or-string": true, description });

export const serviceSchema: JsonObject = {
  type: "object",
  description: "A Service names a set of endpoints.",
  properties: {
    spec: object("What the service should be.", {
      type: text("ClusterIP, NodePort, LoadBalancer or ExternalName."),
      selector: map("Labels of the pods behind the service."),
      ports: mergedList(
        ["port", "protocol"],
        object("One port.", {
          name: text("Name of the port, needed when there are several."),
          protocol: text("TCP, UDP or SCTP."),
          appProtocol: text("What is spoken over the port."),
          port: integer("The port of the service."),
          targetPort: intOrString("The port of the pods, by number or name."),
          nodePort: integer("The port of the nodes."),
        }),
        "The ports of the service.",
      ),
      clusterIP: text("Address inside the cluster."),
      clusterIPs: list({ type: "string" }, "Addresses inside the cluster."),
      externalIPs: list({ type: "string" }, "Addresses for which nodes take traffic."),
      externalName: text("Name that an ExternalName service stands for."),
      externalTrafficPolicy: text("How traffic from outside is spread."),
      internalTrafficPolicy: text("How traffic from inside is spread."),
      healthCheckNodePort: integer("Port for health checks with a local traffic policy."),
      ipFamilies: list({ type: "string" }, "IPv4, IPv6 or both."),
      ipFamilyPolicy: text("SingleStack, PreferDualStack or RequireDualStack."),
      loadBalancerClass: text("Which load balancer takes care of it."),
      loadBalancerIP: text("Address asked of the load balancer."),
      loadBalancerSourceRanges: list({ type: "string" }, "Who may connect to the load balancer."),
      allocateLoadBalancerNodePorts: flag("Whether a LoadBalancer gets node ports."),
      publishNotReadyAddresses: flag("Whether endpoints that are not ready are published."),
      sessionAffinity: text("None or ClientIP."),
      sessionAffinityConfig: object("How long a client stays with a pod.", {
        clientIP: object("By address of the client.", { timeoutSeconds: integer("Seconds a client stays.") }),
      }),
      trafficDistribution: text("Preference for endpoints near the client."),
    }),
    status: object("What the service is.", {
      conditions: mergedList(["type"], condition, "Observed facts."),
      loadBalancer: object("Where the load balancer is.", {
        ingress: list(
          object("One way in.", {
            ip: text("Address."),
            hostname: text("Name."),
            ipMode: text("VIP or Proxy."),
            ports: list(
              object("State of one port.", {
                port: integer("The port."),
                protocol: text("TCP, UDP or SCTP."),
                error: text("Why the port does not work."),
              }),
              "State by port.",
            ),
          }),
          "Ways in.",
        ),
      }),
    }),
  },
};

const reference = object("An object.", {
  apiVersion: text("Its group and version."),
  kind: text("Its kind."),
  namespace: text("Its namespace."),
  name: text("Its name."),
  uid: text("Its uid."),
  resourceVersion: text("Its version."),
  fieldPath: text("A part of it."),
});

export const serviceAccountSchema: JsonObject = {
  type: "object",
  description: "A ServiceAccount is an identity for programs.",
  properties: {
    secrets: mergedList(["name"], reference, "Secrets that pods of this account may use."),
    imagePullSecrets: list(
      object("A Secret of the same namespace.", { name: text("Its name.") }),
      "Secrets for pulling the images of pods of this account.",
    ),
    automountServiceAccountToken: flag("Whether pods of this account get a token. They may decide otherwise."),
  },
};

export const eventSchema: JsonObject = {
  type: "object",
  description: "An Event reports something that happened to an object.",
  properties: {
    involvedObject: reference,
    related: reference,
    reason: text("One word for machines."),
    message: text("A sentence for people."),
    source: object("Who reports.", { component: text("The program."), host: text("Its node.") }),
    firstTimestamp: time("When it happened first."),
    lastTimestamp: time("When it happened last."),
    count: integer("How often it happened."),
    type: text("Normal or Warning."),
    eventTime: { type: "string", description: "When it was first observed, in microseconds." },
    series: object("Repetitions.", {
      count: integer("How often, so far."),
      lastObservedTime: { type: "string", description: "When last." },
    }),
    action: text("What was done."),
    reportingComponent: text("The controller that reports."),
    reportingInstance: text("Which of its instances."),
  },
};

export const leaseSchema: JsonObject = {
  type: "object",
  description: "A Lease says which one of several programs leads, and until when.",
  properties: {
    spec: object("Who holds the lease.", {
      holderIdentity: text("Who holds it; empty when it is free."),
      leaseDurationSeconds: integer("Seconds after the last renewal that was seen until others may take it."),
      acquireTime: time("When its holder took it."),
      renewTime: time("When its holder last renewed it."),
      leaseTransitions: integer("How often it has changed hands."),
      strategy: text("How a leader is chosen from candidates; not kept, because nobody chooses here."),
      preferredHolder: text("Who should have it instead of its holder; not kept without a strategy."),
    }),
  },
};
