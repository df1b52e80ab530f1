import type { ListRequest } from "@slipway/apiserver";
import {
  badRequest,
  formatLabelRequirement,
  type KubernetesObject,
  type LabelRequirement,
  type ListOptions,
  parseLabelSelector,
  qualifiedName,
} from "@slipway/objects";
import type { Definition } from "./definition.ts";
import { applicationGroup, applicationLabels, releaseName, storedKeyPrefix } from "./derived-names.ts";

/** Which applications a list or a watch is about. */
export interface ApplicationSelector {
  /** The same for the releases behind them; it may let through more. */
  readonly releases: Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector">;
  /** Whether an application of that name can be meant at all. */
  matchesKey(namespace: string, name: string): boolean;
  matches(application: KubernetesObject): boolean;
}

const knownFields = ["metadata.name", "metadata.namespace"];

/** @throws {ApiStatusError} `BadRequest` for a field that cannot be selected by */
export function applicationSelector(
  definition: Definition,
  { namespace, labels, fields }: Pick<ListRequest, "namespace" | "labels" | "fields">,
): ApplicationSelector {
  const unknown = fields.find(({ field }) => !knownFields.includes(field));
  if (unknown !== undefined) {
    const known = knownFields.map((field) => JSON.stringify(field)).join(", ");
    throw badRequest(`${JSON.stringify(unknown.field)} is not a known field selector: only ${known}`);
  }
  const wanted = (field: string): string | undefined =>
    fields.find((requirement) => requirement.field === field && requirement.operator === "=")?.value;
  const name = wanted("metadata.name");
  const matchesKey = (inNamespace: string, named: string): boolean =>
    (namespace === "" || namespace === inNamespace) &&
    fields.every(({ field, operator, value }) => {
      const actual = field === "metadata.name" ? named : inNamespace;
      return (actual === value) === (operator === "=");
    });
  return {
    releases: {
      namespace: namespace === "" ? (wanted("metadata.namespace") ?? "") : namespace,
      labelSelector: releaseLabels(definition, parseLabelSelector(labels.text).requirements),
      // Of an odd name no release exists, and its text would have to be escaped.
      ...(name !== undefined && /^[-a-z0-9.]+$/.test(name)
        ? { fieldSelector: `metadata.name=${releaseName(definition.release.prefix, name)}` }
        : {}),
    },
    matchesKey,
    matches: ({ metadata }) =>
      matchesKey(metadata.namespace ?? "", metadata.name ?? "") && labels.matches(metadata.labels ?? {}),
  };
}

/** Selects what belongs to applications of one kind: releases and workload monitors alike. */
export function kindLabels({ kind }: Pick<Definition, "kind">): string {
  return `${applicationLabels.kind}=${kind},${applicationLabels.group}=${applicationGroup}`;
}

/**
 * The selector over releases: users' labels are there under longer keys. A key that would be too long is on no release,
 * so what asks for it is left to {@link ApplicationSelector.matches}.
 */
function releaseLabels(definition: Definition, requirements: readonly LabelRequirement[]): string {
  const rewritten = requirements
    .map((requirement) => ({ ...requirement, key: `${storedKeyPrefix}${requirement.key}` }))
    .filter(({ key }) => qualifiedName(key).length === 0)
    .map(formatLabelRequirement);
  return [kindLabels(definition), ...rewritten].join(",");
}
