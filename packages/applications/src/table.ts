import { humanDuration, type TableColumn, type TableColumns } from "@slipway/apiserver";
import { getMember, isJsonArray, isJsonObject, type KubernetesObject } from "@slipway/objects";

const column = (name: string, description: string): TableColumn => ({
  name,
  type: "string",
  format: "",
  description,
  priority: 0,
});

/** What `kubectl get` prints of an application. Ages are texts here, so clients do not compute them. */
export const applicationColumns: TableColumns = {
  columns: [
    column("NAME", "Name of the Application"),
    column("READY", "Ready status of the Application"),
    column("AGE", "Age of the Application"),
    column("VERSION", "Version of the Application"),
  ],
  cells: (application, now) => [
    application.metadata.name ?? "",
    readiness(application),
    age(application, now),
    shownVersion(application),
  ],
};

function readiness(application: KubernetesObject): string {
  const status = getMember(application, "status");
  const conditions = isJsonObject(status) ? getMember(status, "conditions") : undefined;
  const ready = isJsonArray(conditions)
    ? conditions.filter(isJsonObject).find(({ type }) => type === "Ready")
    : undefined;
  const value = ready?.status;
  return value === "True" || value === "False" ? value : "Unknown";
}

function age({ metadata: { creationTimestamp } }: KubernetesObject, now: Date): string {
  const created = Date.parse(creationTimestamp ?? "");
  return Number.isNaN(created) ? "<unknown>" : humanDuration((now.getTime() - created) / 1000);
}

/** Charts are versioned `0.1.4+abcdef`, of which only what follows the last plus tells builds apart. */
function shownVersion(application: KubernetesObject): string {
  const status = getMember(application, "status");
  const version = isJsonObject(status) ? getMember(status, "version") : undefined;
  if (typeof version !== "string" || version === "") return "<unknown>";
  const build = version.slice(version.lastIndexOf("+") + 1);
  return build === "" ? version : build;
}
