import { afterAll, beforeAll, expect, test } from "vitest";
import { ProgramFailedError, type RealCluster, startRealCluster } from "../../testbed/src/index.ts";

let cluster: RealCluster;
beforeAll(async () => {
  cluster = await startRealCluster();
});
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

test("client and server say the version that go.mod names", async () => {
  const { clientVersion, serverVersion } = JSON.parse(await cluster.run(["version", "-o", "json"]));
  expect(clientVersion).toMatchObject({ major: "1", minor: "36", gitVersion: expect.stringMatching(/^v1\.36\.\d+$/) });
  expect(serverVersion.gitVersion).toBe(clientVersion.gitVersion);
});

test("the administrator may do everything", async () => {
  expect(await cluster.run(["auth", "can-i", "*", "*", "--all-namespaces"])).toBe("yes\n");
});

test("an object is applied twice, read and deleted", async () => {
  const manifest = (mode: string): string =>
    JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { mode } });
  const apply = (mode: string): Promise<string> => cluster.run(["apply", "-f", "-"], { input: manifest(mode) });
  expect(await apply("slow")).toBe("configmap/settings created\n");
  expect(await apply("fast")).toBe("configmap/settings configured\n");
  expect(await cluster.run(["get", "configmap", "settings", "-o", "jsonpath={.data.mode}"])).toBe("fast");
  expect(await cluster.run(["delete", "configmap", "settings"])).toContain('"settings" deleted');
});

test("controllers run: a deleted namespace goes away with its contents", async () => {
  await cluster.run(["create", "namespace", "short"]);
  await cluster.run(["create", "configmap", "inside", "-n", "short"]);
  await cluster.run(["delete", "namespace", "short", "--timeout=60s"]);
  const failure = await cluster.run(["get", "namespace", "short"]).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ProgramFailedError);
  expect(failure).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('namespaces "short" not found') });
});

test("service account tokens are signed by the cluster and accepted by it", async () => {
  const token = (await cluster.run(["create", "token", "default"])).trim();
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } };
  const answer = await cluster.run(["create", "-f", "-", "-o", "json"], { input: JSON.stringify(review) });
  expect(JSON.parse(answer).status).toMatchObject({
    authenticated: true,
    user: { username: "system:serviceaccount:default:default" },
  });
});
