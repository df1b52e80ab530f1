import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import * as der from "./der.ts";

/** A certificate with its private key, both PEM (the key PKCS #8). */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateRequest {
  readonly usage: "server" | "client";
  /** Kubernetes' user name. */
  readonly commonName: string;
  /** Kubernetes' groups. @default none */
  readonly organizations?: readonly string[] | undefined;
  /** @default none */
  readonly dnsNames?: readonly string[] | undefined;
  /** IPv4. @default none */
  readonly ipAddresses?: readonly string[] | undefined;
}

export interface CertificateAuthority {
  /** PEM. */
  readonly certificate: string;
  /** A new key pair, its certificate signed by this authority and good for a year. */
  issue(request: CertificateRequest): KeyPair;
}

const OID = {
  authorityKeyIdentifier: "2.5.29.35",
  basicConstraints: "2.5.29.19",
  clientAuth: "1.3.6.1.5.5.7.3.2",
  commonName: "2.5.4.3",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  extKeyUsage: "2.5.29.37",
  keyUsage: "2.5.29.15",
  organization: "2.5.4.10",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  subjectAltName: "2.5.29.17",
  subjectKeyIdentifier: "2.5.29.14",
} as const;

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
/** Clocks of one machine and its containers differ a little. */
const BACKDATED_MS = 5 * 60 * 1000;

/** A new authority (EC P-256) for one cluster; its key never leaves this value. */
export function createAuthority(commonName: string): CertificateAuthority {
  const keys = generateKeys();
  const name = encodeName(commonName, []);
  const keyIdentifier = identifierOf(keys.publicKey);
  const certify = (subject: Buffer, publicKey: KeyObject, extensions: readonly Buffer[]): string =>
    signCertificate({ issuer: name, subject, publicKey, extensions, signer: keys.privateKey });
  const certificate = certify(name, keys.publicKey, [
    extension(OID.basicConstraints, der.sequence(der.boolean(true)), { critical: true }),
    extension(OID.keyUsage, der.bitString(Buffer.from([0b0000_0110]), 1), { critical: true }), // certificates, lists
    extension(OID.subjectKeyIdentifier, der.octetString(keyIdentifier)),
  ]);
  return {
    certificate,
    issue(request) {
      const leaf = generateKeys();
      const subject = encodeName(request.commonName, request.organizations ?? []);
      return {
        certificate: certify(subject, leaf.publicKey, leafExtensions(request, leaf.publicKey, keyIdentifier)),
        key: exportKey(leaf.privateKey),
      };
    },
  };
}

/** A key pair that is not in any certificate, both halves PEM: signs service account tokens. */
export function createSigningKey(): { readonly publicKey: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeys();
  return { publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(), key: exportKey(privateKey) };
}

function generateKeys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function exportKey(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function leafExtensions(request: CertificateRequest, publicKey: KeyObject, issuerIdentifier: Buffer): Buffer[] {
  const purpose = der.objectIdentifier(request.usage === "server" ? OID.serverAuth : OID.clientAuth);
  const names = [
    ...(request.dnsNames ?? []).map((name) => der.implicit(2, Buffer.from(name, "ascii"))),
    ...(request.ipAddresses ?? []).map((address) => der.implicit(7, Buffer.from(address.split(".").map(Number)))),
  ];
  return [
    extension(OID.basicConstraints, der.sequence(), { critical: true }),
    extension(OID.keyUsage, der.bitString(Buffer.from([0b1000_0000]), 7), { critical: true }), // signatures
    extension(OID.extKeyUsage, der.sequence(purpose)),
    extension(OID.subjectKeyIdentifier, der.octetString(identifierOf(publicKey))),
    extension(OID.authorityKeyIdentifier, der.sequence(der.implicit(0, issuerIdentifier))),
    ...(names.length > 0 ? [extension(OID.subjectAltName, der.sequence(...names))] : []),
  ];
}

interface Unsigned {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly signer: KeyObject;
}

/** @see RFC 5280, section 4.1 */
function signCertificate({ issuer, subject, publicKey, extensions, signer }: Unsigned): string {
  const now = Date.now();
  const algorithm = der.sequence(der.objectIdentifier(OID.ecdsaWithSha256));
  const body = der.sequence(
    der.explicit(0, der.integer(Buffer.from([2]))), // version 3
    der.integer(serialNumber()),
    algorithm,
    issuer,
    der.sequence(der.time(new Date(now - BACKDATED_MS)), der.time(new Date(now + YEAR_MS))),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der.explicit(3, der.sequence(...extensions)),
  );
  const certificate = der.sequence(body, algorithm, der.bitString(sign("sha256", body, signer)));
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function extension(id: string, value: Buffer, { critical = false } = {}): Buffer {
  return der.sequence(der.objectIdentifier(id), ...(critical ? [der.boolean(true)] : []), der.octetString(value));
}

/** One relative name per value: a server reads several organizations as several groups. */
function encodeName(commonName: string, organizations: readonly string[]): Buffer {
  const attribute = (id: string, value: string): Buffer =>
    der.set(der.sequence(der.objectIdentifier(id), der.utf8String(value)));
  return der.sequence(
    ...organizations.map((organization) => attribute(OID.organization, organization)),
    attribute(OID.commonName, commonName),
  );
}

function identifierOf(publicKey: KeyObject): Buffer {
  return createHash("sha1")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest();
}

/** 16 bytes, positive and without leading zero. @see RFC 5280, section 4.1.2.2 */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes;
}
