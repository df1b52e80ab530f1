import type { JsonValue } from "@slipway/objects";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "./testing.ts";

/**
 * Revisions: 1 the namespace; 2 to 4 create a, b and c; then the history is forgotten; 5 deletes a, 6 creates d.
 * So 4 can be shown, 3 is no longer kept, 6 is the newest.
 */
const base = "/api/v1/namespaces/default/configmaps";
let cluster: TestCluster;
/** The second page of the state at 4, and of one that is no longer kept. */
const tokens: Record<string, string> = {};

beforeAll(async () => {
  cluster = await startTestCluster();
  const create = (name: string) => cluster.request("POST", base, { body: { metadata: { name } } });
  const firstPage = async (): Promise<string> =>
    JSON.parse((await cluster.request("GET", `${base}?limit=1`)).text).metadata.continue;
  await create("a");
  await create("b");
  tokens.OLD = await firstPage();
  await create("c");
  tokens.TOKEN = await firstPage();
  await cluster.expireHistory();
  await cluster.request("DELETE", `${base}/a`);
  await create("d");
});
afterAll(() => cluster[Symbol.asyncDispose]());

const latest = { status: 200, names: "b c d", version: "6" };
const past = { status: 200, names: "a b c", version: "4" };
const page = (names: string, version: string) => ({ status: 200, names, version, more: true });
const expiredList = { status: 410, message: "The resourceVersion for the provided list is too old." };
const future = { status: 504, message: "Timeout: Too large resource version: 99, current: 6" };
const forbidden = (why: string) => ({
  status: 422,
  message: `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: ${why}`,
});
const needsVersion = forbidden("resourceVersionMatch is forbidden unless resourceVersion is provided");
const notWithContinue = forbidden("resourceVersionMatch is forbidden when continue is provided");
const notExactly0 = forbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
const notBoth = { status: 400, message: "specifying resource version is not allowed when using continue" };

describe("a list", () => {
  test.for<[query: string, answer: object]>([
    ["", latest],
    ["resourceVersion=0", latest],
    ["resourceVersion=3", latest],
    ["resourceVersion=4", latest],
    ["resourceVersion=6", latest],
    ["resourceVersion=99", future],

    ["limit=2", page("b c", "6")],
    ["limit=2&resourceVersion=0", latest],
    ["limit=2&resourceVersion=3", expiredList],
    ["limit=2&resourceVersion=4", page("a b", "4")],
    ["limit=2&resourceVersion=6", page("b c", "6")],
    ["limit=2&resourceVersion=99", future],

    ["continue=TOKEN", { status: 200, names: "b c", version: "4" }],
    ["limit=1&continue=TOKEN", page("b", "4")],
    ["limit=1&continue=TOKEN&resourceVersion=0", { status: 200, names: "b c", version: "4" }],
    ["continue=TOKEN&resourceVersion=4", notBoth],
    ["continue=OLD", { status: 410, message: expect.stringMatching(/^The provided continue parameter is too old/) }],

    ["resourceVersionMatch=Exact", needsVersion],
    ["resourceVersionMatch=Exact&resourceVersion=0", notExactly0],
    ["resourceVersionMatch=Exact&resourceVersion=3", expiredList],
    ["resourceVersionMatch=Exact&resourceVersion=4", past],
    ["resourceVersionMatch=Exact&resourceVersion=4&limit=2", page("a b", "4")],
    ["resourceVersionMatch=Exact&resourceVersion=6", latest],
    ["resourceVersionMatch=Exact&resourceVersion=99", future],
    ["resourceVersionMatch=Exact&resourceVersion=4&continue=TOKEN", notWithContinue],

    ["resourceVersionMatch=NotOlderThan", needsVersion],
    ["resourceVersionMatch=NotOlderThan&resourceVersion=0", latest],
    ["resourceVersionMatch=NotOlderThan&resourceVersion=0&limit=2", latest],
    ["resourceVersionMatch=NotOlderThan&resourceVersion=3", latest],
    ["resourceVersionMatch=NotOlderThan&resourceVersion=4&limit=2", page("b c", "6")],
    ["resourceVersionMatch=NotOlderThan&resourceVersion=99", future],
    ["resourceVersionMatch=NotOlderThan&resourceVersion=4&continue=TOKEN", notWithContinue],
  ])("?%s", async ([query, answer]) => {
    const asked = query.replace(/TOKEN|OLD/, (name) => tokens[name] ?? "");
    const { status, text } = await cluster.request("GET", `${base}?${asked}`);
    const { items, metadata, message } = JSON.parse(text);
    const shown =
      status === 200
        ? {
            status,
            names: items.map((item: { metadata: { name: string } }) => item.metadata.name).join(" "),
            version: metadata.resourceVersion,
            ...((metadata.continue ?? "") === "" ? {} : { more: true }),
          }
        : { status, message };
    expect(shown).toEqual(answer);
  });

  test("of a state that is not kept any more offers to go on with the present one", async () => {
    const { text } = await cluster.request("GET", `${base}?limit=1&continue=${tokens.OLD}`);
    const { metadata } = JSON.parse(text);
    const rest = JSON.parse((await cluster.request("GET", `${base}?continue=${metadata.continue}`)).text);
    expect(rest.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(["b", "c", "d"]);
    expect(rest.metadata.resourceVersion).toBe("6");
  });
});

describe("a watch", () => {
  const initial = ["ADDED b", "ADDED c", "ADDED d"];
  const changes = ["DELETED a", "ADDED d"];
  const end = "BOOKMARK 6 end";
  const tooOld = ["ERROR 410 Expired"];
  const sending = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
  const notSending = "sendInitialEvents=false&resourceVersionMatch=NotOlderThan";

  test.for<[query: string, events: readonly string[]]>([
    ["", initial],
    ["resourceVersion=0", initial],
    ["resourceVersion=3", tooOld],
    ["resourceVersion=4", changes],
    ["resourceVersion=6", []],
    ["resourceVersion=99", []],
    ["allowWatchBookmarks=true", [...initial, end]],
    ["resourceVersion=0&allowWatchBookmarks=true", [...initial, end]],
    [`${sending}`, initial],
    [`${sending}&allowWatchBookmarks=true`, [...initial, end]],
    [`${sending}&allowWatchBookmarks=true&resourceVersion=0`, [...initial, end]],
    [`${sending}&allowWatchBookmarks=true&resourceVersion=3`, [...initial, end]],
    [`${sending}&allowWatchBookmarks=true&resourceVersion=6`, [...initial, end]],
    [`${sending}&allowWatchBookmarks=true&resourceVersion=99`, ["ERROR 504 Timeout"]],
    [`${sending}&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dnone`, [end]],
    [`${notSending}`, []],
    [`${notSending}&resourceVersion=0`, []],
    [`${notSending}&resourceVersion=4`, changes],
    [`${notSending}&resourceVersion=3`, tooOld],
  ])("?%s", async ([query, expected]) => {
    const events: string[] = [];
    const abort = new AbortController();
    const stream = cluster.stream(`${base}?watch=1&${query}`, { signal: abort.signal });
    // What a watch has to say at its start, it says without waiting; a turn later there is nothing more.
    const iterator = stream[Symbol.asyncIterator]();
    for (;;) {
      const next = await Promise.race([iterator.next(), quiet()]);
      if (next === undefined || next.done === true) break;
      events.push(shape(next.value));
    }
    abort.abort();
    expect(events).toEqual(expected);
  });

  test.for<[query: string, code: number, message: string]>([
    ["limit=few", 400, 'strconv.ParseInt: parsing "few": invalid syntax'],
    ["fieldSelector=nope%3D1", 400, '"nope" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    ["continue=x", 422, notWithContinue.message],
    [
      "resourceVersion=4&resourceVersionMatch=Exact",
      422,
      'ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch ' +
        'unless sendInitialEvents is provided, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
    ],
  ])("?%s is refused before it begins", async ([query, code, message]) => {
    expect((await cluster.request("GET", `${base}?watch=1&${query}`)).json()).toMatchObject({ code, message });
  });

  const quiet = async (): Promise<undefined> => {
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  };

  function shape(event: JsonValue): string {
    // biome-ignore lint/suspicious/noExplicitAny: an event, whatever it is
    const { type, object } = event as any;
    if (type === "ERROR") return `ERROR ${object.code} ${object.reason}`;
    if (type !== "BOOKMARK") return `${type} ${object.metadata.name}`;
    const isEnd = object.metadata.annotations?.["k8s.io/initial-events-end"] === "true";
    return `BOOKMARK ${object.metadata.resourceVersion}${isEnd ? " end" : ""}`;
  }

  test.for([
    [
      "resourceVersionMatch=NotOlderThan",
      "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    ],
    ["sendInitialEvents=true", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"],
    ["sendInitialEvents=false", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"],
    [`${sending}&continue=x`, "resourceVersionMatch is forbidden when continue is provided"],
  ])("?%s is refused", async ([query, why]) => {
    const { status, text } = await cluster.request("GET", `${base}?watch=1&${query}`);
    expect([status, JSON.parse(text).message]).toEqual([422, forbidden(why ?? "").message]);
  });

  test("?sendInitialEvents=true&resourceVersionMatch=Exact is refused for both reasons", async () => {
    const { status, text } = await cluster.request(
      "GET",
      `${base}?watch=1&sendInitialEvents=true&resourceVersionMatch=Exact`,
    );
    expect([status, JSON.parse(text).details.causes.map(({ reason }: { reason: string }) => reason)]).toEqual([
      422,
      ["FieldValueForbidden", "FieldValueNotSupported"],
    ]);
  });
});
