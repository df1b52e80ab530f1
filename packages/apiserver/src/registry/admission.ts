import { forbidden, isJsonObject, type KubernetesObject, notFound } from "@slipway/objects";
import type { Resource } from "../resource.ts";
import type { RequestContext } from "./rest.ts";

export interface AdmissionAttributes {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly resource: Resource;
  /** `""` for the object itself. The objects are those of the subresource: for `scale` they are Scales. */
  readonly subresource: string;
  readonly namespace: string;
  /** Falls back to generateName. */
  readonly name: string;
  /** `undefined` for DELETE. */
  readonly object: KubernetesObject | undefined;
  /** `undefined` for CREATE. */
  readonly oldObject: KubernetesObject | undefined;
  readonly dryRun: boolean;
}

/** One step that every write passes; it rejects with `ApiStatusError` to refuse. */
export type AdmissionStep = (context: RequestContext, attributes: AdmissionAttributes) => Promise<void>;

/** The namespace as it is now, or `undefined` when there is none. */
export type FindNamespace = (context: RequestContext, name: string) => Promise<KubernetesObject | undefined>;

/**
 * Nothing is created in a namespace that does not exist or is going away; deletes are never blocked.
 * @see Kubernetes, the NamespaceLifecycle admission plugin
 */
export function namespaceLifecycle(findNamespace: FindNamespace): AdmissionStep {
  return async (context, { operation, resource, namespace, name }) => {
    if (operation === "DELETE" || !resource.namespaced) return;
    const found = await findNamespace(context, namespace);
    if (found === undefined) throw notFound({ group: "", resource: "namespaces" }, namespace);
    if (operation === "UPDATE" || !isTerminating(found)) return;
    throw forbidden(
      { group: resource.group, resource: resource.names.plural },
      name === "" ? "Unknown" : name,
      `unable to create new content in namespace ${namespace} because it is being terminated`,
      [
        {
          reason: "NamespaceTerminating",
          message: `namespace ${namespace} is being terminated`,
          field: "metadata.namespace",
        },
      ],
    );
  };
}

function isTerminating({ metadata, status }: KubernetesObject): boolean {
  return metadata.deletionTimestamp !== undefined || (isJsonObject(status) && status.phase === "Terminating");
}

/** The namespaces that Kubernetes keeps whatever happens. */
const immortal: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"]);

export function refuseImmortalNamespaces(): AdmissionStep {
  return async (_context, { operation, resource, name }) => {
    if (operation !== "DELETE" || resource.group !== "" || resource.names.plural !== "namespaces") return;
    if (immortal.has(name)) {
      throw forbidden({ group: "", resource: "namespaces" }, name, "this namespace may not be deleted");
    }
  };
}
