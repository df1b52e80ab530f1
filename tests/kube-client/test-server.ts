import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RequestHandler } from "@slipway/apiserver";
import { type Certificates, type Listener, listen, openCertificates, writeKubeconfig } from "@slipway/apiserver/node";

/** A handler behind a real socket, and an administrator's kubeconfig for it. */
export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly folder: string;
  readonly kubeconfig: string;
  readonly certificates: Certificates;
  /** How many answers are streams that have not ended. */
  readonly openStreams: () => number;
  close(): Promise<void>;
}

export async function serve(handler: RequestHandler): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-client-"));
  const certificates = await openCertificates(join(folder, "pki"), { now: () => new Date() });
  const streams = new Set<object>();
  const listener: Listener = await listen(
    async (request) => {
      const response = await handler(request);
      if (typeof response.body !== "object" || response.body instanceof Uint8Array) return response;
      const { body } = response;
      streams.add(request);
      request.signal.addEventListener("abort", () => streams.delete(request));
      return {
        ...response,
        body: (async function* () {
          try {
            yield* body;
          } finally {
            streams.delete(request);
          }
        })(),
      };
    },
    {
      port: 0,
      certificate: certificates.certificate,
      key: certificates.key,
      clientCa: certificates.ca,
      drainTimeoutMs: 200,
    },
  );
  const kubeconfig = join(folder, "kubeconfig");
  const admin = await certificates.issueClientCertificate({
    commonName: "admin",
    organizations: ["system:masters"],
  });
  await writeKubeconfig(kubeconfig, {
    server: listener.url,
    ca: certificates.ca,
    clientCertificate: admin.certificate,
    clientKey: admin.key,
  });
  return {
    url: listener.url,
    folder,
    kubeconfig,
    certificates,
    openStreams: () => streams.size,
    close: () => listener.close(),
    async [Symbol.asyncDispose]() {
      await listener.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
