import { X509Certificate } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCertificates } from "./certificates.ts";
import { issueAuthority, issueLeaf } from "./issue-certificate.ts";

const start = new Date("2030-01-01T00:00:00Z");
const day = 24 * 60 * 60 * 1000;

let folder: string;

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "slipway-certificates-")), "certificates");
});

afterEach(() => rm(join(folder, ".."), { recursive: true }));

const openAt = (time: Date) => openCertificates(folder, { now: () => time });
const after = (days: number): Date => new Date(start.getTime() + days * day);
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test("the first start makes an authority and a server certificate for every name of the server", async () => {
  const certificates = await openAt(start);
  const ca = new X509Certificate(certificates.ca);
  const server = new X509Certificate(certificates.certificate);

  expect(certificates.renewed).toEqual(["ca", "server"]);
  expect(ca.ca).toBe(true);
  expect(server.checkIssued(ca) && server.verify(ca.publicKey)).toBe(true);
  expect(server.ca).toBe(false);
  expect(server.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]); // server authentication, and nothing else
  for (const name of ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"]) {
    expect(server.checkHost(name, { subject: "never" })).toBe(name);
  }
  for (const address of ["127.0.0.1", "::1"]) expect(server.checkIP(address)).toBe(address);
});

test("keys are readable by their owner only, and no other file stays behind", async () => {
  await openAt(start);
  expect((await readdir(folder)).sort()).toEqual(["ca.crt", "ca.key", "server.crt", "server.key"]);
  expect(await modeOf(folder)).toBe(0o700);
  expect(await modeOf(join(folder, "ca.key"))).toBe(0o600);
  expect(await modeOf(join(folder, "server.key"))).toBe(0o600);
});

test("keys that others could read are closed to them at the next start", async () => {
  await openAt(start);
  await chmod(join(folder, "ca.key"), 0o644);
  await openAt(start);
  expect(await modeOf(join(folder, "ca.key"))).toBe(0o600);
});

test.for([
  { rule: "a later start uses what is there", days: 1, renewed: [] },
  { rule: "a server certificate with more than a third left stays", days: 240, renewed: [] },
  { rule: "a server certificate with less than a third left is renewed", days: 250, renewed: ["server"] },
  { rule: "an ended server certificate is renewed", days: 500, renewed: ["server"] },
  { rule: "an authority with less than a third left renews everything", days: 2500, renewed: ["ca", "server"] },
  { rule: "a clock before the first start renews everything", days: -10, renewed: ["ca", "server"] },
])("$rule", async ({ days, renewed }) => {
  const first = await openAt(start);
  const second = await openAt(after(days));
  const third = await openAt(after(days));

  expect(second.renewed).toEqual(renewed);
  expect(second.ca === first.ca).toBe(!(renewed as readonly string[]).includes("ca"));
  expect(second.certificate === first.certificate).toBe(renewed.length === 0);
  expect({ ...third, renewed: [], issueClientCertificate: 0 }).toEqual({
    ...second,
    renewed: [],
    issueClientCertificate: 0,
  });
});

test.for([
  { rule: "a missing key", file: "server.key", renewed: ["server"], damage: undefined },
  { rule: "a certificate that is none", file: "server.crt", renewed: ["server"], damage: "nonsense" },
  { rule: "a missing authority", file: "ca.crt", renewed: ["ca", "server"], damage: undefined },
  { rule: "an authority's key cut short", file: "ca.key", renewed: ["ca", "server"], damage: "-----BEGIN PRIV" },
])("$rule is made anew", async ({ file, renewed, damage }) => {
  await openAt(start);
  if (damage === undefined) await rm(join(folder, file));
  else await writeFile(join(folder, file), damage);

  const certificates = await openAt(start);
  expect(certificates.renewed).toEqual(renewed);
  expect((await openAt(start)).renewed).toEqual([]);
});

test("a key of another certificate, as a crash between two files leaves it, is made anew", async () => {
  await openAt(start);
  const other = await issueAuthority("slipway-ca", { notBefore: start, notAfter: after(3650) });
  await writeFile(join(folder, "ca.key"), other.key);
  expect((await openAt(start)).renewed).toEqual(["ca", "server"]);
});

test("a server certificate without all names of the server is made anew", async () => {
  const first = await openAt(start);
  const authority = { certificate: first.ca, key: await readFile(join(folder, "ca.key"), "utf8") };
  const leaf = await issueLeaf(authority, {
    notBefore: start,
    notAfter: after(365),
    usage: "server",
    subject: { commonName: "slipway" },
    dnsNames: ["localhost"],
    ipAddresses: ["127.0.0.1"],
  });
  await writeFile(join(folder, "server.crt"), leaf.certificate);
  await writeFile(join(folder, "server.key"), leaf.key);
  expect((await openAt(after(1))).renewed).toEqual(["server"]);
});

test("a client certificate carries the user's name and groups, for clients only", async () => {
  const certificates = await openAt(start);
  const pair = await certificates.issueClientCertificate({
    commonName: "slipway-admin",
    organizations: ["system:masters", "équipe"],
  });
  const certificate = new X509Certificate(pair.certificate);
  expect(certificate.subject.split("\n")).toEqual([
    "O=system:masters",
    expect.stringMatching(/^O=/),
    "CN=slipway-admin",
  ]);
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  expect(certificate.verify(new X509Certificate(certificates.ca).publicKey)).toBe(true);
  expect(pair.key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
});

test("a folder that cannot be made is named in the error", async () => {
  await writeFile(folder, "a file");
  await expect(openAt(start)).rejects.toMatchObject({
    code: "READ_FAILED",
    message: expect.stringContaining(folder),
  });
});
