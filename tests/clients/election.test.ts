import { CoordinationV1Api, KubeConfig } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runElection } from "./leader-election.ts";
import { type ServedCluster, serveCluster } from "./served-cluster.ts";

let served: ServedCluster;
let client: CoordinationV1Api;
beforeAll(async () => {
  served = await serveCluster({});
  const config = new KubeConfig();
  config.loadFromFile(served.kubeconfig);
  client = config.makeApiClient(CoordinationV1Api);
});
afterAll(() => served[Symbol.asyncDispose]());

interface Contest extends AsyncDisposable {
  /** Who leads, as each believes. */
  readonly leaders: ReadonlySet<string>;
  /** More than one led at some moment. */
  readonly clashes: readonly string[];
  leave(identity: string): Promise<void>;
}

function contest(name: string, identities: readonly string[], crash: boolean): Contest {
  const leaders = new Set<string>();
  const clashes: string[] = [];
  const candidates = new Map(
    identities.map((identity) => {
      const end = new AbortController();
      const running = runElection({
        client,
        namespace: "default",
        name,
        identity,
        leaseMs: 600,
        renewMs: 300,
        retryMs: 20,
        signal: end.signal,
        crash,
        onLead: () => {
          leaders.add(identity);
          if (leaders.size > 1) clashes.push([...leaders].join(" and "));
        },
        onStop: () => leaders.delete(identity),
      });
      return [identity, { end, running }];
    }),
  );
  const leave = async (identity: string): Promise<void> => {
    candidates.get(identity)?.end.abort();
    await candidates.get(identity)?.running;
  };
  return {
    leaders,
    clashes,
    leave,
    async [Symbol.asyncDispose]() {
      await Promise.all(identities.map(leave));
    },
  };
}

const settled = { timeout: 20_000, interval: 5 };

test.for([
  ["released", false],
  ["left to run out", true],
] as const)("one of two leads, and the other after it, when its lease is %s", async ([how, crash]) => {
  const name = `lease-${how.replaceAll(" ", "-")}`;
  await using contenders = contest(name, ["a", "b"], crash);
  await expect.poll(() => [...contenders.leaders], settled).toHaveLength(1);
  const [first = ""] = contenders.leaders;
  const { spec } = await client.readNamespacedLease({ namespace: "default", name });
  expect(spec).toMatchObject({ holderIdentity: first, leaseTransitions: 1 });
  await contenders.leave(first);
  const second = first === "a" ? "b" : "a";
  await expect.poll(() => [...contenders.leaders], settled).toEqual([second]);
  expect((await client.readNamespacedLease({ namespace: "default", name })).spec?.holderIdentity).toBe(second);
  expect(contenders.clashes).toEqual([]);
});

test("a leader that cannot write steps down, and one leads again when the disk has room", async () => {
  await using contenders = contest("full", ["a", "b"], false);
  await expect.poll(() => [...contenders.leaders], settled).toHaveLength(1);
  served.cluster.faults.fillDisk(1_000_000);
  await expect.poll(() => [...contenders.leaders], settled).toEqual([]);
  served.cluster.faults.clear();
  await expect.poll(() => [...contenders.leaders], settled).toHaveLength(1);
  expect(contenders.clashes).toEqual([]);
});

test("a server that restarts leaves one leader", async () => {
  await using contenders = contest("restart", ["a", "b"], false);
  await expect.poll(() => [...contenders.leaders], settled).toHaveLength(1);
  await served.stop();
  await expect.poll(() => [...contenders.leaders], settled).toEqual([]);
  await served.start();
  await expect.poll(() => [...contenders.leaders], settled).toHaveLength(1);
  expect(contenders.clashes).toEqual([]);
});
