import { createPrivateKey, X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { connect, createServer } from "node:tls";
import { expect, test } from "vitest";
import { createAuthority, createSigningKey, type KeyPair } from "./certificates.ts";

const authority = createAuthority("test-ca");
const server = authority.issue({
  usage: "server",
  commonName: "server",
  dnsNames: ["localhost", "kubernetes.default.svc"],
  ipAddresses: ["127.0.0.1"],
});
const client = authority.issue({ usage: "client", commonName: "Zoë", organizations: ["system:masters", "ops"] });

const issued = new X509Certificate(authority.certificate);

test("an authority signs itself and is one", () => {
  expect(issued.ca).toBe(true);
  expect(issued.subject).toBe("CN=test-ca");
  expect(issued.verify(issued.publicKey)).toBe(true);
});

test("a server's certificate holds for its names and addresses and no others", () => {
  const certificate = new X509Certificate(server.certificate);
  expect(certificate.ca).toBe(false);
  expect(certificate.checkIssued(issued)).toBe(true);
  expect(certificate.verify(issued.publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(server.key))).toBe(true);
  expect(certificate.subjectAltName).toBe("DNS:localhost, DNS:kubernetes.default.svc, IP Address:127.0.0.1");
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
});

test("a client's certificate carries the user's name and groups", () => {
  const certificate = new X509Certificate(client.certificate);
  expect(certificate.toLegacyObject().subject).toEqual({ CN: "Zoë", O: ["system:masters", "ops"] });
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  expect(certificate.subjectAltName).toBeUndefined();
});

test("certificates are good from now on for a year, and their serial numbers differ", () => {
  const certificates = [authority.certificate, server.certificate, client.certificate].map(
    (pem) => new X509Certificate(pem),
  );
  for (const { validFrom, validTo } of certificates) {
    expect(Date.parse(validFrom)).toBeLessThan(Date.now());
    expect(Date.parse(validTo) - Date.now()).toBeGreaterThan(364 * 24 * 60 * 60 * 1000);
  }
  expect(new Set(certificates.map(({ serialNumber }) => serialNumber)).size).toBe(3);
});

test("two sides that trust the authority talk to each other; a client of another authority is not trusted", async () => {
  const listener = createServer(
    {
      cert: server.certificate,
      key: server.key,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
    },
    (socket) => {
      socket.on("error", () => {});
      socket.end(`${socket.getPeerCertificate().subject.CN} ${socket.authorized}`);
    },
  );
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const answerTo = async ({ certificate: cert, key }: KeyPair): Promise<string> =>
    text(connect({ host: "127.0.0.1", port, ca: authority.certificate, cert, key }));
  try {
    expect(await answerTo(client)).toBe("Zoë true");
    const stranger = createAuthority("test-ca").issue({ usage: "client", commonName: "Zoë" });
    expect(await answerTo(stranger)).toBe("Zoë false");
  } finally {
    listener.close();
  }
});

test("a signing key's halves belong together", () => {
  const { publicKey, key } = createSigningKey();
  expect(publicKey).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
  expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
});
