import { createPrivateKey, KeyObject, randomBytes, webcrypto } from "node:crypto";
import type * as X509 from "@peculiar/x509";

/** A certificate with its private key, both PEM (the key PKCS #8). */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations?: readonly string[] | undefined;
}

interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export interface LeafRequest extends Validity {
  readonly subject: CertificateSubject;
  readonly usage: "server" | "client";
  readonly dnsNames?: readonly string[] | undefined;
  readonly ipAddresses?: readonly string[] | undefined;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A new certificate authority that may sign leaves and nothing else. */
export async function issueAuthority(commonName: string, validity: Validity): Promise<KeyPair> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: randomSerialNumber(),
    name: formatSubject({ commonName }),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return exportPair(certificate, keys.privateKey);
}

/** A new key pair, its certificate signed by `authority`. */
export async function issueLeaf(authority: KeyPair, request: LeafRequest): Promise<KeyPair> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  const issuer = new x509.X509Certificate(authority.certificate);
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
  const extensions: X509.Extension[] = [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([request.usage === "server" ? serverAuth : clientAuth]),
    await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
  ];
  const names = [
    ...(request.dnsNames ?? []).map((value) => ({ type: "dns" as const, value })),
    ...(request.ipAddresses ?? []).map((value) => ({ type: "ip" as const, value })),
  ];
  if (names.length > 0) extensions.push(new x509.SubjectAlternativeNameExtension(names));
  const certificate = await x509.X509CertificateGenerator.create({
    notBefore: request.notBefore,
    notAfter: request.notAfter,
    serialNumber: randomSerialNumber(),
    subject: formatSubject(request.subject),
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await importPrivateKey(authority.key),
    signingAlgorithm: algorithm,
    extensions,
  });
  return exportPair(certificate, keys.privateKey);
}

/**
 * Loaded on first use: most starts of a server issue one client certificate, and some none at all.
 *
 * The library's container (tsyringe) refuses to load without the metadata functions on `Reflect`. It asks them for
 * decorator metadata, and none of the library's classes has any.
 */
async function loadX509(): Promise<typeof X509> {
  const target = Reflect as { getMetadata?: unknown };
  if (target.getMetadata === undefined) {
    for (const name of ["getMetadata", "getOwnMetadata", "defineMetadata"]) {
      Object.defineProperty(target, name, { value: () => undefined, configurable: true, writable: true });
    }
  }
  return import("@peculiar/x509");
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

function importPrivateKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: "pkcs8", format: "der" });
  return webcrypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]);
}

function exportPair(certificate: X509.X509Certificate, privateKey: webcrypto.CryptoKey): KeyPair {
  return {
    certificate: `${certificate.toString("pem").trimEnd()}\n`,
    key: KeyObject.from(privateKey).export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** One relative name per value: a client reads several organizations as several groups. */
function formatSubject({ commonName, organizations = [] }: CertificateSubject): X509.JsonName {
  return [...organizations.map((organization) => ({ O: [organization] })), { CN: [commonName] }];
}

/** 16 bytes, positive and without leading zero. @see RFC 5280, section 4.1.2.2 */
function randomSerialNumber(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes.toString("hex");
}
