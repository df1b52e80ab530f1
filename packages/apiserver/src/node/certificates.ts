import { createPrivateKey, X509Certificate } from "node:crypto";
import { chmod, mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { SlipwayError } from "@slipway/objects";
import { type CertificateSubject, issueAuthority, issueLeaf, type KeyPair } from "./issue-certificate.ts";
import { writeFileAtomically } from "./write-file.ts";

export interface CertificatesOptions {
  /** The clock that validity is counted with. */
  readonly now: () => Date;
}

/** What a server on loopback needs to speak TLS and to know its clients. */
export interface Certificates {
  /** PEM: signs the server's certificate and those of its clients. */
  readonly ca: string;
  /** PEM: the server's certificate. */
  readonly certificate: string;
  /** PEM: the server's key. */
  readonly key: string;
  /** Files made anew by this start. After `ca`, copies of older kubeconfigs are of no use any more. */
  readonly renewed: readonly ("ca" | "server")[];
  /** A new client certificate, good for a year; it is kept nowhere. Organizations are the client's groups. */
  issueClientCertificate(subject: CertificateSubject): Promise<KeyPair>;
}

const SERVER_DNS_NAMES = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];
const SERVER_IP_ADDRESSES = ["127.0.0.1", "::1"];

const DAY_MS = 24 * 60 * 60 * 1000;
/** A leaf is renewed while its authority has more than three years left, so it never outlives it. */
const AUTHORITY_LIFETIME_MS = 3650 * DAY_MS;
const LEAF_LIFETIME_MS = 365 * DAY_MS;
/** Clocks of one machine and its containers differ a little. */
const BACKDATED_MS = 5 * 60 * 1000;

/**
 * The certificates kept in `folder` (`ca.crt`, `ca.key`, `server.crt`, `server.key`; keys have mode 0600), made when they
 * are missing, cannot be used, or have less than a third of their lifetime left. A new authority renews everything.
 *
 * @throws {SlipwayError} `READ_FAILED` when a file is there and cannot be read, or the folder cannot be written.
 */
export async function openCertificates(folder: string, options: CertificatesOptions): Promise<Certificates> {
  const now = options.now();
  const renewed: ("ca" | "server")[] = [];
  await ensureFolder(folder);

  const keep = async (name: "ca" | "server", isUsable: (pair: KeyPair) => boolean, issue: () => Promise<KeyPair>) => {
    const kept = await readPair(folder, name);
    if (kept !== undefined && isUsable(kept)) return kept;
    renewed.push(name);
    return writePair(folder, name, await issue());
  };

  const authority = await keep(
    "ca",
    (pair) => isUsableAuthority(pair, now),
    () => issueAuthority("slipway-ca", validity(now, AUTHORITY_LIFETIME_MS)),
  );
  const server = await keep(
    "server",
    (pair) => isUsableServer(pair, authority, now),
    () =>
      issueLeaf(authority, {
        ...validity(now, LEAF_LIFETIME_MS),
        usage: "server",
        subject: { commonName: "slipway" },
        dnsNames: SERVER_DNS_NAMES,
        ipAddresses: SERVER_IP_ADDRESSES,
      }),
  );

  return {
    ca: authority.certificate,
    certificate: server.certificate,
    key: server.key,
    renewed,
    issueClientCertificate: (subject) =>
      issueLeaf(authority, { ...validity(options.now(), LEAF_LIFETIME_MS), usage: "client", subject }),
  };
}

function validity(now: Date, lifetimeMs: number): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(now.getTime() - BACKDATED_MS), notAfter: new Date(now.getTime() + lifetimeMs) };
}

function isUsableAuthority(pair: KeyPair, now: Date): boolean {
  const certificate = parsePair(pair);
  return certificate?.ca === true && isFresh(certificate, now) && certificate.verify(certificate.publicKey);
}

function isUsableServer(pair: KeyPair, authority: KeyPair, now: Date): boolean {
  const certificate = parsePair(pair);
  if (certificate === undefined || !isFresh(certificate, now)) return false;
  return (
    certificate.verify(new X509Certificate(authority.certificate).publicKey) &&
    SERVER_DNS_NAMES.every((name) => certificate.checkHost(name, { subject: "never" }) !== undefined) &&
    SERVER_IP_ADDRESSES.every((address) => certificate.checkIP(address) !== undefined)
  );
}

/** `undefined` when the text is no certificate or the key is not the certificate's, as after a crash between the files. */
function parsePair(pair: KeyPair): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(pair.certificate);
    return certificate.checkPrivateKey(createPrivateKey(pair.key)) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

function isFresh(certificate: X509Certificate, now: Date): boolean {
  const from = Date.parse(certificate.validFrom);
  const to = Date.parse(certificate.validTo);
  return from <= now.getTime() && to - now.getTime() >= (to - from) / 3;
}

async function readPair(folder: string, name: string): Promise<KeyPair | undefined> {
  const [certificate, key] = await Promise.all([
    readIfPresent(join(folder, `${name}.crt`)),
    readIfPresent(join(folder, `${name}.key`)),
  ]);
  if (certificate === undefined || key === undefined) return undefined;
  await closeToOthers(join(folder, `${name}.key`));
  return { certificate, key };
}

async function writePair(folder: string, name: string, pair: KeyPair): Promise<KeyPair> {
  try {
    await writeFileAtomically(join(folder, `${name}.key`), pair.key, 0o600);
    await writeFileAtomically(join(folder, `${name}.crt`), pair.certificate, 0o644);
  } catch (cause) {
    throw unusable(folder, cause);
  }
  return pair;
}

async function ensureFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw unusable(folder, cause);
  }
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (isNotFound(cause)) return undefined;
    throw unusable(path, cause);
  }
}

/** A copied or restored folder may have lost the modes. */
async function closeToOthers(path: string): Promise<void> {
  try {
    if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600);
  } catch (cause) {
    throw unusable(path, cause);
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function unusable(path: string, cause: unknown): SlipwayError {
  const reason = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new SlipwayError(
    `${path}: certificates cannot be read or written there${reason}. Check the path and its permissions.`,
    { code: "READ_FAILED", cause },
  );
}
