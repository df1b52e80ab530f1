/**
 * A small valid spec for each kind of the example platform, by kind.
 * From the recordings in tests/recordings/cozystack; to BootBox, MongoDB and Monitoring the fields are added that their
 * schemas require and the real server does not ask for.
 */
export const smallSpecs: Readonly<Record<string, object>> = {
  BootBox: {
    whitelist: ["192.0.2.0/24"],
    machines: [
      {
        hostname: "node1",
        arch: "x86_64",
        ip: {
          address: "192.0.2.11",
          gateway: "192.0.2.1",
          netmask: "255.255.255.0",
        },
        leaseTime: 86400,
        mac: ["02:00:00:00:00:01"],
        nameServers: ["192.0.2.53"],
        uefi: true,
      },
    ],
  },
  Bucket: {
    locking: true,
    users: {
      app: {},
      reader: {
        readonly: true,
      },
    },
  },
  ClickHouse: {
    replicas: 1,
    shards: 2,
    size: "20Gi",
    users: {
      app: {
        password: "pw",
      },
    },
    clickhouseKeeper: {
      replicas: 1,
    },
    backup: {
      enabled: true,
      s3Region: "eu-1",
    },
  },
  ComputePlane: {
    nodeGroups: {
      md0: {
        minReplicas: 1,
        gpus: [
          {
            name: "nvidia.com/A10",
          },
        ],
      },
    },
  },
  Etcd: {
    replicas: 1,
    size: "2Gi",
    resources: {
      cpu: "500m",
    },
  },
  ExternalDNS: {
    provider: "cloudflare",
    domainFilters: ["example.org"],
    cloudflare: {
      apiToken: "token",
    },
  },
  FoundationDB: {
    cluster: {
      redundancyMode: "single",
      processCounts: {
        storage: 1,
      },
    },
    storage: {
      size: "8Gi",
    },
  },
  Harbor: {
    host: "harbor.example.org",
    trivy: {
      enabled: false,
    },
    database: {
      replicas: 1,
    },
  },
  HTTPCache: {
    endpoints: ["192.0.2.10:80", "192.0.2.11:80"],
    haproxy: {
      replicas: 1,
    },
  },
  Info: {
    note: "no declared property",
  },
  Ingress: {
    replicas: 1,
    cloudflareProxy: true,
    whitelist: ["192.0.2.0/24"],
  },
  Kafka: {
    topics: [
      {
        name: "orders",
        partitions: 3,
        replicas: 2,
        config: {
          "retention.ms": "60000",
        },
      },
    ],
    kafka: {
      replicas: 1,
    },
  },
  KubernetesNodes: {
    cluster: "prod",
    minReplicas: 1,
    maxReplicas: 3,
    instanceType: "u1.large",
    gpus: [],
  },
  Kubernetes: {
    version: "v1.34",
    nodeGroups: {
      md0: {
        minReplicas: 1,
        roles: ["ingress-nginx"],
      },
    },
    addons: {
      certManager: {
        enabled: true,
      },
    },
  },
  MariaDB: {
    users: {
      app: {
        password: "pw",
        maxUserConnections: 100,
      },
    },
    databases: {
      app: {
        roles: {
          admin: ["app"],
        },
      },
    },
    resourcesPreset: "t1.small",
  },
  MongoDB: {
    replicas: 1,
    sharding: true,
    shardingConfig: {
      shards: [
        {
          name: "rs0",
          replicas: 1,
          size: "10Gi",
        },
      ],
    },
  },
  Monitoring: {
    metricsStorages: [
      {
        name: "short",
        retentionPeriod: "3d",
        deduplicationInterval: "15s",
      },
    ],
    logsStorages: [
      {
        name: "generic",
      },
    ],
    alerta: {
      alerts: {
        telegram: {
          chatID: "1",
        },
      },
    },
  },
  NATS: {
    users: {
      app: {
        password: "pw",
      },
    },
    jetstream: {
      enabled: false,
    },
    config: {
      merge: {
        max_payload: "8MB",
      },
    },
  },
  OpenBAO: {
    replicas: 3,
    ui: false,
  },
  OpenSearch: {
    replicas: 1,
    version: "v3",
    dashboards: {
      enabled: true,
    },
    users: {
      app: {
        roles: ["readall"],
      },
    },
  },
  Postgres: {
    replicas: 3,
    size: "5Gi",
    postgresql: {
      parameters: {
        max_connections: 200,
      },
    },
    users: {
      app: {
        password: "pw",
      },
    },
    databases: {
      app: {
        extensions: ["hstore"],
      },
    },
  },
  Qdrant: {
    replicas: 3,
    size: "5Gi",
    tls: {
      enabled: true,
    },
  },
  RabbitMQ: {
    replicas: 1,
    users: {
      app: {
        password: "pw",
      },
    },
    vhosts: {
      app: {
        roles: {
          admin: ["app"],
        },
      },
    },
  },
  Redis: {
    replicas: 3,
    size: "2Gi",
    external: true,
    resources: {
      cpu: 1,
      memory: "512Mi",
    },
  },
  SeaweedFS: {
    topology: "MultiZone",
    volume: {
      zones: {
        a: {
          replicas: 1,
        },
      },
      pools: {
        fast: {
          diskType: "ssd",
        },
      },
    },
    db: {
      replicas: 1,
    },
  },
  TCPBalancer: {
    external: true,
    httpAndHttps: {
      endpoints: ["192.0.2.10"],
      mode: "tcp-with-proxy",
    },
    whitelistHTTP: true,
    whitelist: ["192.0.2.0/24"],
  },
  Tenant: {
    host: "small.example.org",
    etcd: true,
    ingress: true,
  },
  VirtualPrivateCloud: {
    subnets: [
      {
        name: "a",
        cidr: "10.0.1.0/24",
      },
    ],
    routes: [
      {
        cidr: "0.0.0.0/0",
        nextHopIP: "10.0.1.1",
      },
    ],
  },
  VMDisk: {
    source: {
      image: {
        name: "ubuntu",
      },
    },
    storage: "20Gi",
    storageClass: "local",
  },
  VMInstance: {
    instanceType: "u1.small",
    disks: [
      {
        name: "root",
      },
    ],
    externalPorts: [22, 443],
    gpus: [
      {
        name: "nvidia.com/A10",
      },
    ],
    cloudInit: "#cloud-config\n",
  },
  VPN: {
    users: {
      anna: {
        password: "pw",
      },
    },
    externalIPs: ["192.0.2.7"],
  },
};
