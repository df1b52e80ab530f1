/**
 * Every resource of cdk8s-plus-33, with as many of its members as fit, and every generated class of its Kubernetes API.
 * Writes the app's YAML to standard output; fails when a resource class has not been used.
 */
import { App, Chart, Cron, Duration, Names, Size } from "cdk8s";
import * as plus from "cdk8s-plus-33";
import type { Construct } from "constructs";

class Storage extends Chart {
  readonly claim: plus.PersistentVolumeClaim;
  readonly disk: plus.AwsElasticBlockStorePersistentVolume;

  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: "storage", labels: { tier: "storage" } });
    this.claim = new plus.PersistentVolumeClaim(this, "claim", {
      accessModes: [plus.PersistentVolumeAccessMode.READ_WRITE_ONCE],
      storage: Size.gibibytes(10),
      storageClassName: "fast",
      volumeMode: plus.PersistentVolumeMode.FILE_SYSTEM,
    });
    this.disk = new plus.AwsElasticBlockStorePersistentVolume(this, "aws", {
      volumeId: "vol-1",
      storage: Size.gibibytes(50),
      partition: 1,
      readOnly: true,
      mountOptions: ["ro"],
      reclaimPolicy: plus.PersistentVolumeReclaimPolicy.DELETE,
    });
    new plus.AzureDiskPersistentVolume(this, "azure", {
      diskName: "disk",
      diskUri: "uri",
      kind: plus.AzureDiskPersistentVolumeKind.MANAGED,
      cachingMode: plus.AzureDiskPersistentVolumeCachingMode.READ_WRITE,
      storage: Size.mebibytes(2048),
    });
    new plus.GCEPersistentDiskPersistentVolume(this, "gce", { pdName: "pd", storage: Size.tebibytes(1) }).reserve();
  }
}

class Access extends Chart {
  readonly account: plus.ServiceAccount;

  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: "access" });
    const registry = new plus.DockerConfigSecret(this, "registry", {
      data: { auths: { "example.com": { auth: "x" } } },
    });
    this.account = new plus.ServiceAccount(this, "account", { automountToken: true, secrets: [registry] });
    new plus.BasicAuthSecret(this, "basic", { username: "admin", password: "yes" });
    new plus.SshAuthSecret(this, "ssh", { sshPrivateKey: "line one\nline two\n" });
    new plus.TlsSecret(this, "tls", { tlsCert: "cert", tlsKey: "key", immutable: true });
    new plus.ServiceAccountTokenSecret(this, "token", { serviceAccount: this.account });
    const secret = new plus.Secret(this, "secret", { stringData: { n: "1", on: "off" } });
    secret.addStringData("octal", "0777");

    const user = plus.User.fromName(this, "user", "jane");
    const group = plus.Group.fromName(this, "group", "admins");
    const role = new plus.Role(this, "role");
    role.allowRead(plus.ApiResource.PODS, secret);
    role.allowReadWrite(plus.ApiResource.custom({ apiGroup: "example.com", resourceType: "widgets" }));
    role.bind(this.account, user);
    new plus.RoleBinding(this, "role-binding", { role }).addSubjects(group);
    const cluster = new plus.ClusterRole(this, "cluster-role", { aggregationLabels: { "example.com/admin": "true" } });
    cluster.allow(["get"], plus.NonApiResource.of("/healthz"));
    cluster.allowRead(plus.ApiResource.NODES);
    const combined = new plus.ClusterRole(this, "combined");
    combined.combine(cluster);
    cluster.bind(this.account);
    cluster.bindInNamespace("elsewhere", user);
    new plus.ClusterRoleBinding(this, "cluster-binding", { role: combined }).addSubjects(group);
    secret.permissions.grantRead(this.account);
  }
}

class Workloads extends Chart {
  constructor(scope: Construct, id: string, { claim, disk }: Storage, { account }: Access) {
    super(scope, id, { namespace: "n", labels: { app: "web", y: "y" } });
    const settings = new plus.ConfigMap(this, "settings", { data: { size: "10Gi", on: "yes", text: "a\nb\n" } });
    settings.addData("port", "0755");
    settings.addBinaryData("logo", "aGVsbG8=");
    const secret = plus.Secret.fromSecretName(this, "named", "password");

    const deployment = new plus.Deployment(this, "web", {
      metadata: { annotations: { "example.com/note": "12:30" } },
      select: true,
      serviceAccount: account,
      minReady: Duration.seconds(30),
      progressDeadline: Duration.minutes(10),
      terminationGracePeriod: Duration.minutes(1),
      strategy: plus.DeploymentStrategy.rollingUpdate({
        maxSurge: plus.PercentOrAbsolute.percent(50),
        maxUnavailable: plus.PercentOrAbsolute.absolute(1),
      }),
      dns: {
        hostname: "web",
        nameservers: ["1.1.1.1"],
        options: [{ name: "ndots", value: "2" }],
        policy: plus.DnsPolicy.NONE,
      },
      hostAliases: [{ ip: "127.0.0.1", hostnames: ["local"] }],
      securityContext: { ensureNonRoot: true, user: 1000, fsGroup: 2000, sysctls: [{ name: "a.b", value: "1" }] },
      initContainers: [{ image: "busybox", command: ["true"], securityContext: { user: 1000 } }],
    });
    const container = deployment.addContainer({
      image: "nginx:1.27",
      ports: [{ number: 8080, name: "http", protocol: plus.Protocol.TCP }],
      command: ["nginx"],
      args: ["-g", "daemon off;"],
      workingDir: "/srv",
      envVariables: {
        PLAIN: plus.EnvValue.fromValue("true"),
        SECRET: secret.envValue("key"),
        SIZE: plus.EnvValue.fromConfigMap(settings, "size", { optional: true }),
        IP: plus.EnvValue.fromFieldRef(plus.EnvFieldPaths.POD_IP),
        LIMIT: plus.EnvValue.fromResource(plus.ResourceFieldPaths.MEMORY_LIMIT, { divisor: "1Mi" }),
      },
      envFrom: [plus.Env.fromConfigMap(settings, "CONF_"), plus.Env.fromSecret(secret)],
      liveness: plus.Probe.fromHttpGet("/live", { periodSeconds: Duration.seconds(5), port: 8080 }),
      readiness: plus.Probe.fromCommand(["true"], { initialDelaySeconds: Duration.minutes(1) }),
      startup: plus.Probe.fromTcpSocket({ failureThreshold: 3 }),
      lifecycle: { preStop: plus.Handler.fromCommand(["sleep", "1"]), postStart: plus.Handler.fromHttpGet("/started") },
      imagePullPolicy: plus.ImagePullPolicy.IF_NOT_PRESENT,
      resources: {
        cpu: { request: plus.Cpu.millis(100), limit: plus.Cpu.units(0.5) },
        memory: { request: Size.mebibytes(128), limit: Size.gibibytes(1) },
        ephemeralStorage: { request: Size.kibibytes(1048576), limit: Size.gibibytes(2) },
      },
      securityContext: {
        capabilities: { add: [plus.Capability.NET_BIND_SERVICE], drop: [plus.Capability.ALL] },
        seccompProfile: { type: plus.SeccompProfileType.RUNTIME_DEFAULT },
      },
    });
    container.mount(
      "/conf",
      plus.Volume.fromConfigMap(this, "conf", settings, { items: { size: { path: "s", mode: 0o644 } } }),
    );
    container.mount("/keys", plus.Volume.fromSecret(this, "keys", secret), { readOnly: true });
    container.mount(
      "/tmp",
      plus.Volume.fromEmptyDir(this, "tmp", "tmp", {
        medium: plus.EmptyDirMedium.MEMORY,
        sizeLimit: Size.mebibytes(64),
      }),
    );
    container.mount(
      "/host",
      plus.Volume.fromHostPath(this, "host", "host", { path: "/var", type: plus.HostPathVolumeType.DIRECTORY }),
    );
    container.mount("/claim", plus.Volume.fromPersistentVolumeClaim(this, "claim", claim));
    container.mount("/disk", disk);
    container.mount("/ebs", plus.Volume.fromAwsElasticBlockStore(this, "ebs", "vol-2"));
    container.mount("/nfs", plus.Volume.fromNfs(this, "nfs", "nfs", { server: "nfs", path: "/" }));
    container.mount("/csi", plus.Volume.fromCsi(this, "csi", "csi.example.com", { attributes: { a: "1" } }));
    deployment.scheduling.attract(plus.Node.labeled(plus.NodeLabelQuery.is("disk", "ssd")), { weight: 10 });
    deployment.scheduling.tolerate(
      plus.Node.tainted(
        plus.NodeTaintQuery.is("a", "b", { effect: plus.TaintEffect.NO_EXECUTE, evictAfter: Duration.hours(1) }),
      ),
    );
    deployment.scheduling.spread({ topology: plus.Topology.ZONE });

    const service = deployment.exposeViaService({ name: "web", serviceType: plus.ServiceType.LOAD_BALANCER });
    const ingress = service.exposeViaIngress("/", { pathType: plus.HttpIngressPathType.EXACT });
    service.bind(9090, { name: "metrics", targetPort: 9090 });
    ingress.addTls([{ hosts: ["example.com"], secret }]);
    ingress.addHostRule("example.com", "/api", plus.IngressBackend.fromService(service, { port: 9090 }));
    new plus.Ingress(this, "default", {
      defaultBackend: plus.IngressBackend.fromService(service, { port: 8080 }),
      className: "nginx",
    });
    new plus.Service(this, "external", {
      type: plus.ServiceType.EXTERNAL_NAME,
      externalName: "example.com",
      ports: [{ port: 80 }],
    });

    new plus.HorizontalPodAutoscaler(this, "scaler", {
      target: deployment,
      minReplicas: 2,
      maxReplicas: 10,
      metrics: [
        plus.Metric.resourceCpu(plus.MetricTarget.averageUtilization(70)),
        plus.Metric.resourceMemory(plus.MetricTarget.averageValue(47.2)),
        plus.Metric.pods({
          name: "requests",
          target: plus.MetricTarget.value(10),
          labelSelector: plus.LabelSelector.of({ labels: { a: "b" } }),
        }),
      ],
      scaleDown: {
        stabilizationWindow: Duration.minutes(5),
        policies: [{ replicas: plus.Replicas.percent(10), duration: Duration.seconds(60) }],
      },
    });

    const set = new plus.StatefulSet(this, "set", {
      service: new plus.Service(this, "headless", { clusterIP: "None", ports: [{ port: 5432 }] }),
      containers: [{ image: "postgres:16", portNumber: 5432, securityContext: { user: 70 } }],
      replicas: 3,
      strategy: plus.StatefulSetUpdateStrategy.rollingUpdate({ partition: 1 }),
      podManagementPolicy: plus.PodManagementPolicy.PARALLEL,
    });
    const daemon = new plus.DaemonSet(this, "daemon", {
      minReadySeconds: 5,
      containers: [{ image: "agent" }],
      hostNetwork: true,
    });
    const pod = new plus.Pod(this, "pod", {
      restartPolicy: plus.RestartPolicy.NEVER,
      automountServiceAccountToken: true,
    });
    pod.addContainer({ image: "busybox" });
    pod.scheduling.separate(deployment, { topology: plus.Topology.HOSTNAME });
    new plus.Job(this, "job", {
      backoffLimit: 3,
      activeDeadline: Duration.minutes(5),
      ttlAfterFinished: Duration.days(1),
      containers: [{ image: "migrate" }],
    });
    new plus.CronJob(this, `${"nightly-".repeat(8)}job`, {
      schedule: Cron.schedule({ minute: "0", hour: "2" }),
      concurrencyPolicy: plus.ConcurrencyPolicy.FORBID,
      startingDeadline: Duration.hours(1),
      timeZone: "Europe/Berlin",
      containers: [{ image: "backup" }],
    });

    deployment.connections.allowTo(set, { ports: [plus.NetworkPolicyPort.tcp(5432)] });
    const policy = new plus.NetworkPolicy(this, "policy", {
      selector: daemon,
      ingress: { default: plus.NetworkPolicyTrafficDefault.DENY },
      egress: {
        rules: [
          {
            peer: plus.NetworkPolicyIpBlock.ipv4(this, "block", "10.0.0.0/8", ["10.1.0.0/16"]),
            ports: [plus.NetworkPolicyPort.udpRange(53, 54)],
          },
        ],
      },
    });
    policy.addIngressRule(
      plus.Pods.select(this, "others", { labels: { app: "other" }, expressions: [plus.LabelExpression.exists("x")] }),
    );
    policy.addEgressRule(plus.Namespaces.select(this, "spaces", { labels: { team: "a" } }));
    new plus.Namespace(this, "space", { metadata: { name: "n", labels: { team: "b" } } });
    settings.metadata.addAnnotation("example.com/label", Names.toLabelValue(service));
  }
}

/** Each class that is generated from the Kubernetes API, with members that many of them have. */
class Generated extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id, { disableResourceNameHashes: true, labels: { generated: "true" } });
    const classes = plus.k8s as unknown as Readonly<Record<string, unknown>>;
    for (const [name, type] of Object.entries(classes)) {
      if (!/^Kube[A-Z]/.test(name) || typeof type !== "function") continue;
      Reflect.construct(type, [
        this,
        name,
        {
          metadata: { annotations: { of: name }, finalizers: ["example.com/keep"] },
          items: [],
          data: { key: "aGVsbG8=" },
          spec: { replicas: 2, minReadySeconds: 0, selector: {}, template: { spec: { containers: [] } } },
          webhooks: [],
          immutable: false,
        },
      ]);
    }
  }
}

const app = new App();
const storage = new Storage(app, "storage");
const access = new Access(app, "access");
const workloads = new Workloads(app, "workloads", storage, access);
new Generated(app, "generated");
storage.addDependency(access);
workloads.addDependency(storage);

const used = new Set<unknown>(app.node.findAll().map((construct) => construct.constructor));
const bases: readonly unknown[] = [plus.Resource, plus.AbstractPod, plus.Workload, plus.PersistentVolume];
const unused = Object.entries(plus).filter(
  ([, type]) =>
    typeof type === "function" && type.prototype instanceof plus.Resource && !bases.includes(type) && !used.has(type),
);
if (unused.length > 0) throw new Error(`not used: ${unused.map(([name]) => name).join(", ")}`);

process.stdout.write(app.synthYaml());
