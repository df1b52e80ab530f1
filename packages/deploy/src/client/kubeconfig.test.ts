import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { type ConnectionSettings, mergeKubeconfigs, parseKubeconfig, selectConnection } from "./kubeconfig.ts";

const file = "/home/me/.kube/config";
const files: Readonly<Record<string, string>> = {
  "/home/me/.kube/ca.pem": "CA of a file",
  "/etc/ca.pem": "CA of another file",
  "/home/me/.kube/pki/me.crt": "certificate",
  "/home/me/.kube/pki/me.key": "key",
};

async function readFile(path: string): Promise<string> {
  const text = files[path];
  if (text === undefined) throw new Error(`${path} is not there`);
  return text;
}

/** A kubeconfig with one cluster, user and context, of the fields given in YAML's flow style. */
function config(cluster: string, user = "{}", context = "{cluster: c, user: u}"): string {
  return [
    "apiVersion: v1",
    "kind: Config",
    "current-context: x",
    `clusters: [{name: c, cluster: ${cluster}}]`,
    `users: [{name: u, user: ${user}}]`,
    `contexts: [{name: x, context: ${context}}]`,
  ].join("\n");
}

function select(text: string, context?: string): Promise<ConnectionSettings> {
  return selectConnection(parseKubeconfig(text, file), { context, readFile });
}

const server = "server: 'https://host:6443'";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

const plain = {
  server: "https://host:6443",
  namespace: "default",
  tls: { insecureSkipVerify: false },
};

describe("connection settings:", () => {
  test.for([
    ["a server and nothing else", config(`{${server}}`), plain],
    ["a slash at the end", config("{server: 'https://host:6443/'}"), plain],
    ["a path", config("{server: 'https://host/k8s/c-1/'}"), { ...plain, server: "https://host/k8s/c-1" }],
    ["without TLS", config("{server: 'http://[::1]:8080'}"), { ...plain, server: "http://[::1]:8080" }],
    [
      "a namespace",
      config(`{${server}}`, "{}", "{cluster: c, user: u, namespace: shop}"),
      { ...plain, namespace: "shop" },
    ],
    ["no user", config(`{${server}}`, "{}", "{cluster: c}"), plain],
    ["a token", config(`{${server}}`, "{token: abc}"), { ...plain, token: "abc" }],
    [
      "a token file beside the kubeconfig",
      config(`{${server}}`, "{tokenFile: t}"),
      { ...plain, tokenFile: "/home/me/.kube/t" },
    ],
    ["a token file elsewhere", config(`{${server}}`, "{tokenFile: /run/t}"), { ...plain, tokenFile: "/run/t" }],
    [
      "a CA inside",
      config(`{${server}, certificate-authority-data: ${base64("CA inside")}}`),
      { ...plain, tls: { insecureSkipVerify: false, ca: "CA inside" } },
    ],
    [
      "a CA in a file, relative to the kubeconfig",
      config(`{${server}, certificate-authority: ca.pem}`),
      { ...plain, tls: { insecureSkipVerify: false, ca: "CA of a file" } },
    ],
    [
      "a CA in a file, absolute",
      config(`{${server}, certificate-authority: /etc/ca.pem}`),
      { ...plain, tls: { insecureSkipVerify: false, ca: "CA of another file" } },
    ],
    [
      "a client certificate in files",
      config(`{${server}}`, "{client-certificate: pki/me.crt, client-key: pki/me.key}"),
      { ...plain, tls: { insecureSkipVerify: false, clientCertificate: "certificate", clientKey: "key" } },
    ],
    [
      "a client certificate inside, its key in a file",
      config(`{${server}}`, `{client-certificate-data: ${base64("inside")}, client-key: pki/me.key}`),
      { ...plain, tls: { insecureSkipVerify: false, clientCertificate: "inside", clientKey: "key" } },
    ],
    [
      "no verification, and a name",
      config(`{${server}, insecure-skip-tls-verify: true, tls-server-name: kubernetes}`),
      { ...plain, tls: { insecureSkipVerify: true, serverName: "kubernetes" } },
    ],
    [
      "empty and null fields are absent",
      config(`{${server}, certificate-authority-data: '', proxy-url: ''}`, "{token: '', exec: null, as-groups: null}"),
      plain,
    ],
    ["what changes nothing for us", config(`{${server}, disable-compression: true, extensions: []}`), plain],
  ] as const)("%s", async ([, text, expected]) => {
    expect(await select(text)).toEqual(expected);
  });

  test("another context than the current one", async () => {
    const text = `${config(`{${server}}`)}\n`.replace(
      "contexts: [",
      "contexts: [{name: other, context: {cluster: c, namespace: other}}, ",
    );
    expect((await select(text, "other")).namespace).toBe("other");
    expect((await select(text)).namespace).toBe("default");
  });
});

describe("refused, with file and field:", () => {
  test.for([
    [
      "a credential plugin",
      config(`{${server}}`, "{exec: {command: aws-iam-authenticator}}"),
      "USAGE",
      /^\/home\/me\/\.kube\/config: users\[0\]\.user\.exec \(aws-iam-authenticator\): credential plugins.*kubectl create token/,
    ],
    [
      "an auth provider",
      config(`{${server}}`, "{auth-provider: {name: oidc}}"),
      "USAGE",
      /users\[0\]\.user\.auth-provider \(oidc\): /,
    ],
    ["a password", config(`{${server}}`, "{username: a, password: b}"), "USAGE", /\.username: .*\n.*\.password: /],
    ["impersonation", config(`{${server}}`, "{as: someone}"), "USAGE", /users\[0\]\.user\.as: impersonation/],
    ["a proxy", config(`{${server}, proxy-url: 'http://p'}`), "USAGE", /clusters\[0\]\.cluster\.proxy-url: prox/],
    ["no server", config("{}"), "INVALID_OBJECT", /clusters\[0\]\.cluster\.server: is missing/],
    [
      "a server without scheme",
      config("{server: 'host:6443'}"),
      "INVALID_OBJECT",
      /clusters\[0\]\.cluster\.server: "host:6443"/,
    ],
    [
      "a server with a password",
      config("{server: 'https://a:b@host'}"),
      "INVALID_OBJECT",
      /server: "https:\/\/host\/" has more/,
    ],
    [
      "everything wrong at once",
      config("{server: 1, certificate-authority-data: '*', insecure-skip-tls-verify: 'yes'}", "{token: 5}"),
      "INVALID_OBJECT",
      /server: is no string\.\n.*server: is missing.*\n.*certificate-authority-data: is no base64.*\n.*insecure-skip-tls-verify: is neither.*\n.*token: is no string/,
    ],
    [
      "data and file",
      config(`{${server}, certificate-authority: ca.pem, certificate-authority-data: AAAA}`),
      "INVALID_OBJECT",
      /certificate-authority: is there beside certificate-authority-data/,
    ],
    [
      "a CA that is not to be used",
      config(`{${server}, certificate-authority: ca.pem, insecure-skip-tls-verify: true}`),
      "INVALID_OBJECT",
      /insecure-skip-tls-verify: makes no sense/,
    ],
    [
      "a certificate without key",
      config(`{${server}}`, "{client-certificate: pki/me.crt}"),
      "INVALID_OBJECT",
      /client-certificate: needs its client-key/,
    ],
    [
      "a key without certificate",
      config(`{${server}}`, "{client-key: pki/me.key}"),
      "INVALID_OBJECT",
      /client-key: needs its client-certificate/,
    ],
    [
      "an unknown cluster",
      config(`{${server}}`, "{}", "{cluster: z, user: u}"),
      "INVALID_OBJECT",
      /contexts\[0\]\.context: names the cluster "z"/,
    ],
    ["an unknown user", config(`{${server}}`, "{}", "{cluster: c, user: z}"), "INVALID_OBJECT", /names the user "z"/],
    ["another kind of file", "apiVersion: v1\nkind: Pod", "INVALID_OBJECT", /"Pod" in "v1"/],
    ["a list", "- a", "INVALID_OBJECT", /is no mapping/],
    ["two documents", `${config(`{${server}}`)}\n---\na: 1`, "INVALID_OBJECT", /several documents/],
    ["entries that are no list", "clusters: {}", "INVALID_OBJECT", /: clusters: is no list/],
    ["an entry without name", "users: [{user: {}}]", "INVALID_OBJECT", /users\[0\]\.name: is missing/],
    ["a name twice", "users: [{name: a}, {name: a}]", "INVALID_OBJECT", /users\[1\]\.name: "a" is there twice/],
    ["YAML that is none", "a: [", "INVALID_YAML", /^\/home\/me\/\.kube\/config:1/],
    [
      "no current-context",
      config(`{${server}}`).replace("current-context: x", ""),
      "USAGE",
      /no current-context.*There are "x"\./,
    ],
    [
      "a current-context that is not there",
      config(`{${server}}`).replace("current-context: x", "current-context: z"),
      "USAGE",
      /"z", which current-context says\. There are "x"\./,
    ],
    ["an empty file", "", "USAGE", /no current-context is set.*There is none\./],
  ] as const)("%s", async ([, text, code, message]) => {
    const attempt = async (): Promise<unknown> => select(text);
    await expect(attempt()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test("a context that is not there", async () => {
    await expect(select(config(`{${server}}`), "nope")).rejects.toMatchObject({
      code: "USAGE",
      message: `${file}: no context is named "nope". There are "x".`,
    });
  });

  test("a file that cannot be read: what the reader throws passes", async () => {
    await expect(select(config(`{${server}, certificate-authority: missing.pem}`))).rejects.toThrow(
      "/home/me/.kube/missing.pem is not there",
    );
  });

  test.for([
    ["fields that are wrong", config("{server: 1}", "{token: secret-token, client-key-data: '*secret-key*'}")],
    ["a line that is no YAML", "users:\n- name: a\n  user:\n    token: 'secret-token\n"],
    ["indentation that is none", "users:\n- name: a\n  user:\n\ttoken: secret-token\n"],
  ] as const)("what is secret is not told: %s", async ([, text]) => {
    const attempt = async (): Promise<unknown> => select(text);
    const error = await attempt().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringContaining(file) });
    expect(inspect(error)).not.toContain("secret");
  });
});

describe("several files", () => {
  const first = parseKubeconfig(
    "users: [{name: red, user: {token: first}}]\nclusters: [{name: c, cluster: {server: 'https://one', certificate-authority: ca}}]",
    "/one/config",
  );
  const second = parseKubeconfig(
    [
      "current-context: x",
      "users: [{name: red, user: {token: second, tokenFile: f}}, {name: blue, user: {token: b}}]",
      "clusters: [{name: c, cluster: {server: 'https://two'}}]",
      "contexts: [{name: x, context: {cluster: c, user: red}}, {name: z, context: {cluster: c, user: blue}}]",
    ].join("\n"),
    "/two/config",
  );
  const third = parseKubeconfig("current-context: z", "/three/config");

  test("the first that has an entry decides all of it; its paths are relative to its own folder", async () => {
    const merged = mergeKubeconfigs([first, second, third]);
    expect(merged.sources).toEqual(["/one/config", "/two/config", "/three/config"]);
    const read: string[] = [];
    const settings = await selectConnection(merged, {
      readFile: async (path) => {
        read.push(path);
        return "CA";
      },
    });
    expect(settings).toMatchObject({ server: "https://one", token: "first", tokenFile: undefined });
    expect(read).toEqual(["/one/ca"]);
  });

  test("the first current-context counts", () => {
    expect(mergeKubeconfigs([first, third, second]).currentContext).toBe("z");
    expect(mergeKubeconfigs([]).currentContext).toBeUndefined();
  });
});
