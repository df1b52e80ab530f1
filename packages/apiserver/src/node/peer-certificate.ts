import type { TLSSocket } from "node:tls";
import type { VerifiedCertificate } from "../request.ts";

/** A verified client certificate and when it ends: a connection may live longer than the certificate it began with. */
export interface PeerCertificate {
  readonly certificate: VerifiedCertificate;
  readonly validToMs: number;
}

/** The parts of a TLS socket that are read; the socket of an HTTP/2 session is a proxy that has them. */
export type PeerSocket = Pick<TLSSocket, "authorized" | "getPeerCertificate">;

/**
 * The client certificate of a connection, `undefined` when there is none or its chain did not verify against the
 * server's client CA (signature, dates, and use for client authentication).
 *
 * `authorized` alone proves nothing: it is also true of a resumed session without any certificate.
 */
export function readPeerCertificate(socket: PeerSocket): PeerCertificate | undefined {
  if (!socket.authorized) return undefined;
  const peer = socket.getPeerCertificate();
  // Several common names: the last one, as Go reads it.
  const commonName = valuesOf(peer.subject?.CN).at(-1);
  const validToMs = Date.parse(peer.valid_to);
  if (commonName === undefined || commonName === "" || Number.isNaN(validToMs)) return undefined;
  return {
    certificate: {
      commonName,
      organizations: valuesOf(peer.subject.O),
      sha256: peer.fingerprint256.replaceAll(":", "").toLowerCase(),
    },
    validToMs,
  };
}

export function certificateAt(peer: PeerCertificate | undefined, now: Date): VerifiedCertificate | undefined {
  return peer !== undefined && now.getTime() <= peer.validToMs ? peer.certificate : undefined;
}

/** Node gives a list where a name has several values of one type; its types know of one only. */
function valuesOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}
