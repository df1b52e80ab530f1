import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type ControlPlaneProcess, startProcess } from "../support/control-plane-process.ts";
import { smallSpecs } from "../support/small-specs.ts";

const repository = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

let copy: string;
let controlPlane: ControlPlaneProcess;

/** What git knows of, and nothing that was installed or built: the state of a fresh clone. */
async function copyOfSources(): Promise<string> {
  const target = await mkdtemp(join(tmpdir(), "slipway-start-"));
  const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: repository,
  });
  for (const file of list.toString("utf8").split("\0")) {
    if (file !== "") await cp(join(repository, file), join(target, file)).catch(ignoreMissing);
  }
  return target;
}

/** A file that is deleted in the work tree and still in the index. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

function npmStart(...args: readonly string[]): Promise<ControlPlaneProcess> {
  return startProcess("npm", ["start", "--", "--port", "0", ...args], { cwd: copy });
}

beforeAll(async () => {
  copy = await copyOfSources();
  controlPlane = await npmStart();
}, 600_000);

afterAll(async () => {
  await controlPlane?.stop("SIGTERM");
  await rm(copy, { recursive: true, force: true });
});

interface ServedKind {
  readonly kind: string;
  readonly plural: string;
  readonly prefix: string;
}

async function kindsOf(folder: string): Promise<ServedKind[]> {
  const files = execFileSync("ls", [folder]).toString("utf8").trim().split("\n");
  return Promise.all(
    files.map(async (file) => {
      const { spec } = parse(await readFile(join(folder, file), "utf8"));
      return { kind: spec.application.kind, plural: spec.application.plural, prefix: spec.release.prefix };
    }),
  );
}

const kinds = await kindsOf(join(repository, "examples/platform/definitions"));
const collection = (plural: string): string => `/apis/apps.cozystack.io/v1alpha1/namespaces/tenant-root/${plural}`;
const releases = "/apis/helm.toolkit.fluxcd.io/v2/namespaces/tenant-root/helmreleases";
const nameOf = (plural: string): string => `${plural.slice(0, 12).replaceAll(/[^a-z]/g, "")}x`;

test("npm start in a fresh copy says where it is, and that 31 kinds are served", async () => {
  expect(kinds).toHaveLength(31);
  expect(controlPlane.output()).toContain("31 kinds in apps.cozystack.io/v1alpha1");
  expect(controlPlane.output()).not.toContain("not served:");
  expect((await stat(controlPlane.kubeconfig)).mode & 0o777).toBe(0o600);
});

test("the namespaces and definitions are there, and nothing else", async () => {
  const names = async (path: string): Promise<string[]> =>
    (await controlPlane.client.send("GET", path)).body.items.map(
      (item: { metadata: { name: string } }) => item.metadata.name,
    );
  expect(await names("/api/v1/namespaces")).toEqual(["cozy-system", "default", "kube-system", "tenant-root"]);
  expect(await names("/apis/cozystack.io/v1alpha1/applicationdefinitions")).toHaveLength(31);
  for (const plural of ["secrets", "configmaps", "services", "events"])
    expect(await names(`/api/v1/${plural}`)).toEqual([]);
  expect(await names("/apis/helm.toolkit.fluxcd.io/v2/helmreleases")).toEqual([]);
});

describe.each(kinds)("$kind over HTTPS", ({ kind, plural, prefix }) => {
  const name = nameOf(plural);

  test("is created, read, watched, changed and deleted, with a HelmRelease behind it", async () => {
    const { client } = controlPlane;
    const { body: list } = await client.send("GET", collection(plural));
    const body = { apiVersion: "apps.cozystack.io/v1alpha1", kind, metadata: { name }, spec: smallSpecs[kind] ?? {} };
    const created = await client.send("POST", collection(plural), body);
    expect(created.status, created.text).toBe(201);
    const read = await client.send("GET", `${collection(plural)}/${name}`);
    expect(read.body).toEqual(created.body);
    const release = await client.send("GET", `${releases}/${prefix}${name}`);
    expect(release.body).toMatchObject({ metadata: { uid: read.body.metadata.uid }, spec: { values: body.spec } });
    const labelled = await client.send(
      "PATCH",
      `${collection(plural)}/${name}`,
      { metadata: { labels: { team: "blue" } } },
      { "content-type": "application/merge-patch+json" },
    );
    expect(labelled.body.metadata.labels).toEqual({ team: "blue" });
    const deleted = await client.send("DELETE", `${collection(plural)}/${name}`);
    expect(deleted.status).toBe(200);
    expect((await client.send("GET", `${releases}/${prefix}${name}`)).status).toBe(404);

    const types: string[] = [];
    for await (const event of client.lines(
      `${collection(plural)}?watch=1&resourceVersion=${list.metadata.resourceVersion}`,
    )) {
      types.push((event as { type: string }).type);
      if (types.length === 3) break;
    }
    expect(types).toEqual(["ADDED", "MODIFIED", "DELETED"]);
  });
});

/** `kubectl` of the PATH, or the one that `SLIPWAY_KUBECTL` names. */
const kubectl = findKubectl();

function findKubectl(): string | undefined {
  const candidate = process.env.SLIPWAY_KUBECTL ?? "kubectl";
  try {
    execFileSync(candidate, ["version", "--client"], { stdio: "ignore" });
    return candidate;
  } catch {
    return undefined;
  }
}

// Without kubectl the same kinds are covered over HTTPS above.
describe.runIf(kubectl !== undefined)("kubectl", () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "slipway-kubectl-"));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  async function call(args: readonly string[], input?: string): Promise<string> {
    const env = { ...process.env, HOME: home, KUBECONFIG: controlPlane.kubeconfig };
    const running = run(kubectl ?? "", [...args], { env, maxBuffer: 64 * 1024 * 1024 });
    running.child.stdin?.end(input);
    return (await running).stdout;
  }

  test("lists the 31 kinds", async () => {
    const names = await call(["api-resources", "--api-group", "apps.cozystack.io", "-o", "name"]);
    expect(new Set(names.trim().split("\n"))).toEqual(
      new Set(kinds.map(({ plural }) => `${plural}.apps.cozystack.io`)),
    );
  });

  test.for(kinds)("explains, applies, gets, waits for, changes and deletes a $kind", async ({ kind, plural }) => {
    const name = nameOf(plural);
    const resource = `${plural}.apps.cozystack.io`;
    const at = ["-n", "tenant-root"];
    expect(await call(["explain", `${resource}.spec`])).toContain(`KIND:       ${kind}`);
    const manifest = JSON.stringify({
      apiVersion: "apps.cozystack.io/v1alpha1",
      kind,
      metadata: { name, namespace: "tenant-root" },
      spec: smallSpecs[kind] ?? {},
    });
    expect(await call(["apply", "--dry-run=server", "-f", "-"], manifest)).toContain("created (server dry run)");
    expect(await call(["get", resource, ...at, "-o", "name"])).toBe("");
    expect(await call(["apply", "-f", "-"], manifest)).toContain(`/${name} created`);
    // "configured": kubectl sends lists whose items were shown with defaults again; nothing is stored by that.
    const versionPath = ["get", resource, name, ...at, "-o", "jsonpath={.metadata.resourceVersion}"];
    const version = await call(versionPath);
    expect(await call(["apply", "-f", "-"], manifest)).toMatch(new RegExp(`/${name} (unchanged|configured)`));
    expect(await call(versionPath)).toBe(version);
    expect(await call(["get", resource, ...at])).toMatch(
      new RegExp(`NAME +READY +AGE +VERSION\n${name} +Unknown +\\S+ +<unknown>\n`),
    );
    expect(await call(["get", resource, "-A", "-o", "wide"])).toContain("tenant-root");
    await call(["label", resource, name, ...at, "team=blue"]);
    await call(["annotate", resource, name, ...at, "note=hello"]);
    expect(await call(["get", resource, ...at, "-l", "team=blue", "-o", "name"])).toBe(
      `${resource.replace(plural, singularOf(resource))}/${name}\n`,
    );
    expect(
      await call([
        "wait",
        `${resource}/${name}`,
        ...at,
        "--for=jsonpath={.metadata.labels.team}=blue",
        "--timeout=10s",
      ]),
    ).toContain("condition met");
    await call([
      "patch",
      resource,
      name,
      ...at,
      "--type",
      "json",
      "-p",
      '[{"op":"remove","path":"/metadata/labels/team"}]',
    ]);
    const whole = await call(["get", resource, name, ...at, "-o", "json"]);
    expect(await call(["replace", "-f", "-"], whole)).toContain("replaced");
    expect(await call(["delete", resource, name, ...at, "--timeout=10s"])).toContain("deleted");
  });

  function singularOf(resource: string): string {
    const plural = resource.split(".")[0] ?? "";
    return singulars.get(plural) ?? plural;
  }

  test("get -w follows changes", async () => {
    const env = { ...process.env, HOME: home, KUBECONFIG: controlPlane.kubeconfig };
    const child = spawn(kubectl ?? "", ["get", "redises", "-n", "tenant-root", "-w", "-o", "name"], { env });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
    const manifest = JSON.stringify({
      apiVersion: "apps.cozystack.io/v1alpha1",
      kind: "Redis",
      metadata: { name: "watched", namespace: "tenant-root" },
    });
    await call(["create", "-f", "-"], manifest);
    while (!output.includes("watched")) await once(child.stdout, "data");
    child.kill("SIGTERM");
    await once(child, "exit");
    await call(["delete", "redis", "watched", "-n", "tenant-root"]);
  });
});

const singulars = new Map(
  await Promise.all(
    execFileSync("ls", [join(repository, "examples/platform/definitions")])
      .toString("utf8")
      .trim()
      .split("\n")
      .map(async (file): Promise<[string, string]> => {
        const { spec } = parse(await readFile(join(repository, "examples/platform/definitions", file), "utf8"));
        return [spec.application.plural, spec.application.singular];
      }),
  ),
);

describe("the process", () => {
  test("refuses a second one on the same data, naming the pid of the first", async () => {
    const holder = (await readFile(join(copy, ".slipway/pid"), "utf8")).trim();
    const second = npmStart("--data", ".slipway");
    await expect(second).rejects.toThrow(`process ${holder} uses this data folder`);
  });

  test("says when a port is taken, and which flag chooses another", async () => {
    const taken = createServer();
    taken.listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const other = startProcess("npm", ["start", "--", "--port", String(port), "--data", join(copy, "other")], {
      cwd: copy,
    });
    await expect(other).rejects.toThrow(/--port/);
    taken.close();
  });

  test("ends cleanly when npm gets SIGTERM, and resumes with the same versions", async () => {
    const path = `${collection("redises")}/kept`;
    const created = await controlPlane.client.send("POST", collection("redises"), {
      apiVersion: "apps.cozystack.io/v1alpha1",
      kind: "Redis",
      metadata: { name: "kept" },
    });
    expect(created.status, created.text).toBe(201);
    expect(await controlPlane.stop("SIGTERM")).toBe(0);
    controlPlane = await npmStart();
    const read = await controlPlane.client.send("GET", path);
    expect(read.body).toEqual(created.body);
    const version = Number(created.body.metadata.resourceVersion) - 1;
    for await (const event of controlPlane.client.lines(
      `${collection("redises")}?watch=1&resourceVersion=${version}`,
    )) {
      expect(event).toMatchObject({ type: "ADDED", object: { metadata: { name: "kept" } } });
      break;
    }
  });

  test("ends cleanly on Ctrl-C, which reaches the process twice under npm", async () => {
    const holder = Number(await readFile(join(copy, ".slipway/pid"), "utf8"));
    process.kill(holder, "SIGINT");
    expect(await controlPlane.stop("SIGINT")).toBe(0);
    controlPlane = await npmStart();
  });
});
