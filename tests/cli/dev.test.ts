import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { systemHost } from "@slipway/apiserver";
import { type CliHost, main } from "@slipway/cli";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HttpsClient } from "../support/control-plane-process.ts";

const examples = resolve(import.meta.dirname, "../../examples/platform/definitions");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-dev-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Run extends AsyncDisposable {
  readonly client: HttpsClient;
  stdout(): string;
  stderr(): string;
}

interface Streams {
  readonly host: CliHost;
  readonly interrupt: AbortController;
  stdout(): string;
  stderr(): string;
  /** Resolves when stdout holds the text. */
  waitFor(text: string): Promise<void>;
}

function streams(): Streams {
  const interrupt = new AbortController();
  let [out, err] = ["", ""];
  let wake = (): void => {};
  const host: CliHost = {
    cwd: folder,
    env: {},
    interrupted: interrupt.signal,
    stdout: {
      write: (text) => {
        out += text;
        wake();
      },
    },
    stderr: {
      write: (text) => {
        err += text;
      },
    },
    server: systemHost((message, error) => {
      err += `${message}: ${error}\n`;
    }),
  };
  return {
    host,
    interrupt,
    stdout: () => out,
    stderr: () => err,
    async waitFor(text) {
      while (!out.includes(text)) {
        await new Promise<void>((done) => {
          wake = done;
        });
      }
    },
  };
}

/** `slipway dev` in this process, until it is ready. */
async function dev(...args: readonly string[]): Promise<Run> {
  const { host, interrupt, stdout, stderr, waitFor } = streams();
  const running = main(["dev", "--port", "0", ...args], host);
  const early = running.then((code) => {
    throw new Error(`ended with ${code}: ${stderr()}`);
  });
  await Promise.race([waitFor("kubectl get"), early]);
  early.catch(() => {});
  const kubeconfig = /KUBECONFIG=(\S+)/.exec(stdout())?.[1]?.replace("$PWD", folder) ?? "";
  const client = await HttpsClient.fromKubeconfig(kubeconfig);
  return {
    client,
    stdout,
    stderr,
    async [Symbol.asyncDispose]() {
      client.close();
      interrupt.abort();
      expect(await running).toBe(0);
    },
  };
}

async function definitionsWith(files: Readonly<Record<string, string>>): Promise<string> {
  const target = join(folder, "definitions");
  for (const name of ["redis.yaml", "bucket.yaml"]) await cp(join(examples, name), join(target, name));
  for (const [name, text] of Object.entries(files)) await writeFile(join(target, name), text);
  return target;
}

function definition(name: string, options: { plural?: string; schema?: string; kind?: string } = {}): string {
  const {
    plural = `${name}s`,
    schema = '{"type":"object"}',
    kind = `${name[0]?.toUpperCase()}${name.slice(1)}`,
  } = options;
  return JSON.stringify({
    apiVersion: "cozystack.io/v1alpha1",
    kind: "ApplicationDefinition",
    metadata: { name },
    spec: {
      application: { kind, plural, singular: name, openAPISchema: schema },
      release: { prefix: `${name}-`, chartRef: { kind: "ExternalArtifact", name: "chart", namespace: "cozy-system" } },
    },
  });
}

function customKind(kind: string, schema: object): string {
  const plural = `${kind.toLowerCase()}s`;
  const names = { kind, plural, singular: kind.toLowerCase() };
  return JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names,
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
}

const redises = "/apis/apps.cozystack.io/v1alpha1/namespaces/tenant-root/redises";
const definitionsPath = "/apis/cozystack.io/v1alpha1/applicationdefinitions";

describe("definitions", () => {
  test("that cannot be used are named with file and reason, and the others are served", async () => {
    await using run = await dev(
      "--definitions",
      await definitionsWith({
        "a-bad-yaml.yaml": "kind: [unclosed\n",
        "b-other-kind.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
        "c-bad-schema.yaml": definition("broken", { schema: "{" }),
        "d-clash.yaml": definition("zredis", { plural: "redises" }),
        "e-no-spec.yaml": "apiVersion: cozystack.io/v1alpha1\nkind: ApplicationDefinition\nmetadata: {name: empty}\n",
        "f-invalid.yaml":
          "apiVersion: cozystack.io/v1alpha1\nkind: ApplicationDefinition\nmetadata: {name: wrong}\nspec: {application: 5}\n",
        "g-good.yaml": definition("gadget"),
        "h-bad-kind.yaml": customKind("Gear", { type: "string" }),
      }),
    );
    expect(run.stdout()).toContain("3 kinds in apps.cozystack.io/v1alpha1");
    const problems = run.stderr().split("\n");
    for (const [file, reason] of [
      ["a-bad-yaml.yaml:2:1", "flow sequence"],
      ["b-other-kind.yaml", "no ApplicationDefinition"],
      ["c-bad-schema.yaml", "openAPISchema"],
      ["d-clash.yaml", "redis"],
      ["e-no-spec.yaml", "spec"],
      ["f-invalid.yaml", "spec.application"],
      ["h-bad-kind.yaml", "CustomResourceDefinition/gears.example.com"],
    ] as const) {
      const line = problems.find((problem) => problem.includes(`not served: definitions/${file}`));
      expect(line, `${file}\n${run.stderr()}`).toContain(reason);
    }
    expect((await run.client.send("GET", redises)).status).toBe(200);
  });

  test("applied, changed and deleted while it runs are served at once", async () => {
    await using run = await dev();
    expect(run.stdout()).toContain("0 kinds");
    const gadgets = "/apis/apps.cozystack.io/v1alpha1/namespaces/tenant-root/gadgets";
    expect((await run.client.send("GET", gadgets)).status).toBe(404);
    const created = await run.client.send("POST", definitionsPath, JSON.parse(definition("gadget")));
    expect(created.status, created.text).toBe(201);
    expect((await run.client.send("GET", gadgets)).status).toBe(200);

    const schema = '{"type":"object","properties":{"size":{"type":"integer","default":3}}}';
    const patch = { spec: { application: { openAPISchema: schema } } };
    const type = { "content-type": "application/merge-patch+json" };
    expect((await run.client.send("PATCH", `${definitionsPath}/gadget`, patch, type)).status).toBe(200);
    const made = await run.client.send("POST", gadgets, {
      apiVersion: "apps.cozystack.io/v1alpha1",
      kind: "Gadget",
      metadata: { name: "a" },
    });
    expect(made.body.spec).toEqual({ size: 3 });
    expect((await run.client.send("GET", "/openapi/v3/apis/apps.cozystack.io/v1alpha1")).text).toContain('"default":3');
    await run.client.send("DELETE", `${definitionsPath}/gadget`);
    expect((await run.client.send("GET", gadgets)).status).toBe(404);
  });

  test("of custom kinds are served while their file is there, and their objects are kept", async () => {
    const folderOfDefinitions = await definitionsWith({ "widget.yaml": customKind("Widget", { type: "object" }) });
    const widgets = "/apis/example.com/v1/namespaces/default/widgets";
    const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" } };
    {
      await using run = await dev("--definitions", folderOfDefinitions);
      expect((await run.client.send("POST", widgets, widget)).status).toBe(201);
    }
    {
      await using run = await dev();
      expect((await run.client.send("GET", widgets)).status).toBe(404);
    }
    await using run = await dev("--definitions", folderOfDefinitions);
    expect((await run.client.send("GET", `${widgets}/a`)).body).toMatchObject(widget);
  });

  test("are loaded again when their file has changed, and left alone when kubectl has changed them", async () => {
    const folderOfDefinitions = await definitionsWith({ "gadget.yaml": definition("gadget") });
    const type = { "content-type": "application/merge-patch+json" };
    const labels = async (run: Run, name: string): Promise<unknown> =>
      (await run.client.send("GET", `${definitionsPath}/${name}`)).body.metadata?.labels;
    {
      await using run = await dev("--definitions", folderOfDefinitions);
      for (const name of ["redis", "gadget"]) {
        await run.client.send("PATCH", `${definitionsPath}/${name}`, { metadata: { labels: { mine: "yes" } } }, type);
      }
      await run.client.send("DELETE", `${definitionsPath}/bucket`);
    }
    await writeFile(join(folderOfDefinitions, "gadget.yaml"), definition("gadget", { plural: "gadgetry" }));
    await using run = await dev("--definitions", folderOfDefinitions);
    expect(await labels(run, "redis")).toEqual({ mine: "yes" });
    expect(await labels(run, "gadget")).toBeUndefined();
    expect((await run.client.send("GET", `${definitionsPath}/bucket`)).status).toBe(404);
    expect((await run.client.send("GET", "/apis/apps.cozystack.io/v1alpha1/gadgetry")).status).toBe(200);
  });
});

describe("the data folder", () => {
  test("keeps objects, versions and identity over a restart; a deleted namespace stays deleted", async () => {
    let created: unknown;
    {
      await using run = await dev("--definitions", await definitionsWith({}));
      const body = { apiVersion: "apps.cozystack.io/v1alpha1", kind: "Redis", metadata: { name: "kept" } };
      created = (await run.client.send("POST", redises, body)).body;
      const { body: ending } = await run.client.send("DELETE", "/api/v1/namespaces/cozy-system");
      const since = ending.metadata.resourceVersion;
      for await (const event of run.client.lines(`/api/v1/namespaces?watch=1&resourceVersion=${since}`)) {
        if ((event as { type: string }).type === "DELETED") break;
      }
    }
    const before = await readFile(join(folder, ".slipway/certificates/ca.crt"), "utf8");
    await using run = await dev();
    expect((await run.client.send("GET", `${redises}/kept`)).body).toEqual(created);
    expect((await run.client.send("GET", "/api/v1/namespaces/cozy-system")).status).toBe(404);
    expect(await readFile(join(folder, ".slipway/certificates/ca.crt"), "utf8")).toBe(before);
  });

  test("gives the kubeconfig to nobody else", async () => {
    await using _run = await dev();
    expect((await stat(join(folder, ".slipway/kubeconfig"))).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, ".slipway"))).mode & 0o777).toBe(0o700);
  });
});

describe("what is wrong on the command line", () => {
  test.for([
    { args: ["dev", "--port", "abc"], code: 2, stderr: "A port is a number from 0 to 65535." },
    { args: ["dev", "--prot", "1"], code: 2, stderr: "(Did you mean --port?)" },
    { args: ["devel"], code: 2, stderr: "(Did you mean dev?)" },
    { args: ["dev", "--definitions", "nowhere"], code: 1, stderr: "the folder of definitions cannot be read" },
  ])("slipway $args ends with $code", async ({ args, code, stderr }) => {
    const run = streams();
    expect(await main(args, run.host)).toBe(code);
    expect(run.stderr()).toContain(stderr);
    expect(run.stdout()).toBe("");
  });

  test("a taken port is named with the flag that chooses another, and nothing is left running", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const run = streams();
    expect(await main(["dev", "--port", String(port)], run.host)).toBe(1);
    expect(run.stderr()).toMatch(new RegExp(`${port}.*--port`));
    taken.close();
    await using _again = await dev();
  });

  test("help says what there is", async () => {
    const run = streams();
    expect(await main(["dev", "--help"], run.host)).toBe(0);
    await expect(run.stdout()).toMatchFileSnapshot("golden/dev-help.txt");
  });
});

describe("the log", () => {
  const configMaps = "/api/v1/namespaces/default/configmaps";
  const requestsOf = (text: string): string[] => text.split("\n").filter((line) => line.includes("HTTP"));

  test("has no requests unless they are asked for", async () => {
    await using run = await dev("-v", "2");
    await run.client.send("GET", configMaps);
    expect(requestsOf(run.stderr())).toEqual([]);
  });

  test("has a line for each request from -v 3 on, as klog writes it", async () => {
    await using run = await dev("-v", "3");
    await run.client.send("GET", `${configMaps}?limit=1&token=abc`, undefined, {
      "user-agent": "me",
      "audit-id": "one",
    });
    await expect.poll(() => requestsOf(run.stderr())).toHaveLength(1);
    expect(requestsOf(run.stderr())[0]).toMatch(
      /^I\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ httplog:0\] "HTTP" verb="LIST" URI="\/api\/v1\/\S+\/configmaps\?limit=1&token=\*\*\*" latency="[\d.]+[µm]s" userAgent="me" audit-ID="one" srcIP="127\.0\.0\.1:\d+" resp=200$/,
    );
  });

  test("is JSON when that is asked for", async () => {
    await using run = await dev("-v=3", "--log-format", "json");
    await run.client.send("GET", `${configMaps}/none`, undefined, { "user-agent": "me" });
    await expect.poll(() => requestsOf(run.stderr())).toHaveLength(1);
    expect(JSON.parse(requestsOf(run.stderr())[0] ?? "")).toMatchObject({
      msg: "HTTP",
      verb: "GET",
      URI: `${configMaps}/none`,
      userAgent: "me",
      resp: 404,
    });
  });

  test.for([
    ["-v", "many"],
    ["--log-format", "xml"],
  ] as const)("%s %s is refused", async ([flag, value]) => {
    const { host, stderr } = streams();
    expect(await main(["dev", "--port", "0", flag, value], host)).toBe(2);
    expect(stderr()).toContain(value);
  });
});

test("metrics are there for administrators", async () => {
  await using run = await dev("--data", folder);
  const { status, text } = await run.client.send("GET", "/metrics");
  expect(status).toBe(200);
  expect(text).toContain('apiserver_storage_objects{resource="namespaces"} 4');
});
