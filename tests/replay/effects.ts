import { formatJson, isJsonObject, type JsonObject, type JsonValue, parseJson } from "@slipway/objects";
import type { HttpStep, RecordedRequest } from "./recording.ts";
import { tryJson } from "./response-comparison.ts";
import { readBytes, type Sender } from "./sender.ts";

/**
 * Reads the object that a step left behind the server. `null`: there is none; `undefined`: not known where to look.
 */
export type EffectReader = (
  name: string,
  recorded: JsonObject | null,
  request: RecordedRequest,
) => Promise<JsonValue | undefined>;

export const noEffects: EffectReader = async () => undefined;

const collections: Readonly<Record<string, string>> = {
  helmRelease: "/apis/helm.toolkit.fluxcd.io/v2/namespaces/NAMESPACE/helmreleases",
  secret: "/api/v1/namespaces/NAMESPACE/secrets",
  ciliumNetworkPolicy: "/apis/cilium.io/v2/namespaces/NAMESPACE/ciliumnetworkpolicies",
};

/** `prefixes`: what the name of a release begins with, by the plural of its kind. */
export function effectReader(backend: Sender, prefixes: ReadonlyMap<string, string>): EffectReader {
  return async (name, recorded, request) => {
    const collection = collections[name];
    const place =
      recorded === null ? namedIn(request, name === "helmRelease" ? prefixes : new Map()) : placeOf(recorded);
    if (collection === undefined || place === undefined) return undefined;
    const path = `${collection.replace("NAMESPACE", place.namespace)}/${place.name}`;
    const response = await backend.send({ method: "GET", path, headers: {} });
    const text = Buffer.from(await readBytes(response)).toString("utf8");
    return response.status === 200 ? tryJson(text) : null;
  };
}

/** Creates the objects that a refused create would have left behind the server. */
export function effectRepair(backend: Sender): (step: HttpStep) => Promise<void> {
  return async ({ request, effects }) => {
    if (request.method !== "POST") return;
    for (const { name, object } of effects) {
      const collection = collections[name];
      const place = object === null ? undefined : placeOf(object);
      if (object === null || collection === undefined || place === undefined) continue;
      const { resourceVersion: _v, uid: _u, creationTimestamp: _t, ...metadata } = asObject(object.metadata);
      const response = await backend.send({
        method: "POST",
        path: collection.replace("NAMESPACE", place.namespace),
        headers: { "Content-Type": "application/json" },
        body: formatJson({ ...object, metadata }),
      });
      await readBytes(response);
    }
  };
}

const asObject = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});

interface Place {
  readonly namespace: string;
  readonly name: string;
}

function placeOf({ metadata }: JsonObject): Place | undefined {
  if (!isJsonObject(metadata)) return undefined;
  return { namespace: String(metadata.namespace), name: String(metadata.name) };
}

/** The object that a request is about, by its address or else by its body. */
function namedIn({ path, body }: RecordedRequest, prefixes: ReadonlyMap<string, string>): Place | undefined {
  const [, namespace, plural, name] = /\/namespaces\/([^/]+)\/([^/?]+)(?:\/([^/?]+))?/.exec(path) ?? [];
  const inBody = name ?? nameInBody(body);
  if (namespace === undefined || plural === undefined || inBody === undefined) return undefined;
  return { namespace, name: `${prefixes.get(plural) ?? ""}${inBody}` };
}

function nameInBody(body: string | undefined): string | undefined {
  try {
    const value = parseJson(body ?? "");
    const metadata = isJsonObject(value) ? value.metadata : undefined;
    return isJsonObject(metadata) && typeof metadata.name === "string" ? metadata.name : undefined;
  } catch {
    return undefined;
  }
}
