import { readFileSync } from "node:fs";
import type { ClientRequest, IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { dirname, resolve } from "node:path";
import { formatKubeconfig } from "@slipway/apiserver/node";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "@slipway/objects";
import { readYamlDocuments } from "@slipway/objects/yaml";
import type { ListeningServer } from "./kubectl-sequence.ts";
import { type IncomingResponse, NoAnswer, type OutgoingRequest, type Sender } from "./sender.ts";

/** Where a kubeconfig leads, and as whom. */
export interface ServerAccess {
  readonly server: string;
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly token?: string | undefined;
}

/** The current context of a kubeconfig with certificates or a token. Plugins are not known. */
export function readKubeconfig(file: string): ServerAccess {
  const [document] = readYamlDocuments(readFileSync(file, "utf8"), { source: file });
  const config = asObject(document?.value);
  const named = (list: string, name: JsonValue | undefined, member: string): JsonObject => {
    const entries = config[list];
    const entry = (isJsonArray(entries) ? entries : []).find((other) => isJsonObject(other) && other.name === name);
    return asObject(asObject(entry)[member]);
  };
  const context = named("contexts", config["current-context"], "context");
  const cluster = named("clusters", context.cluster, "cluster");
  const user = named("users", context.user, "user");
  const inlineOrFile = (holder: JsonObject, name: string): string | undefined => {
    const [inline, path] = [holder[`${name}-data`], holder[name]];
    if (typeof inline === "string") return Buffer.from(inline, "base64").toString("utf8");
    return typeof path === "string" ? readFileSync(resolve(dirname(file), path), "utf8") : undefined;
  };
  return {
    server: String(cluster.server),
    ca: inlineOrFile(cluster, "certificate-authority"),
    cert: inlineOrFile(user, "client-certificate"),
    key: inlineOrFile(user, "client-key"),
    token: typeof user.token === "string" ? user.token : undefined,
  };
}

/** The server of a kubeconfig, for requests and for kubectl, which needs a client certificate in it. */
export function liveServer(kubeconfig: string): LiveServer {
  const access = readKubeconfig(kubeconfig);
  const { server, ca = "", cert = "", key = "" } = access;
  const sender = httpsSender(access);
  return {
    url: server,
    kubeconfig: formatKubeconfig({ server, ca, clientCertificate: cert, clientKey: key }),
    sender,
    close: () => sender.close(),
  };
}

export interface LiveServer extends ListeningServer {
  close(): void;
}

/** A server at the other end of a TLS connection, spoken to in HTTP/1.1 as the recorders did. */
export function httpsSender(access: ServerAccess): Sender & { close(): void } {
  const { server, ca, cert, key, token } = access;
  const known = new Agent({ ca, cert, key, keepAlive: true });
  const anonymous = new Agent({ ca, keepAlive: true });
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        const isAnonymous = request.anonymous === true;
        const credentials = token === undefined || isAnonymous ? {} : { Authorization: `Bearer ${token}` };
        const sent: ClientRequest = httpsRequest(
          new URL(server).origin + request.path,
          {
            method: request.method,
            headers: { ...credentials, ...lengthOf(request), ...request.headers },
            agent: isAnonymous ? anonymous : known,
            signal: request.signal,
          },
          (message) => resolve(toResponse(message)),
        );
        sent.on("error", (error) => reject(new NoAnswer(error.message, { cause: error })));
        sent.end(request.body);
      }),
    close() {
      known.destroy();
      anonymous.destroy();
    },
  };
}

function lengthOf({ body }: OutgoingRequest): Record<string, string> {
  return body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
}

function toResponse(message: IncomingMessage): IncomingResponse {
  const headers: Record<string, string[]> = {};
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    const name = String(message.rawHeaders[index]).toLowerCase();
    headers[name] = [...(headers[name] ?? []), String(message.rawHeaders[index + 1])];
  }
  return { status: message.statusCode ?? 0, headers, body: message };
}

const asObject = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
