import { readFileSync } from "node:fs";
import type { JsonValue, KubernetesObject } from "@slipway/objects";
import { isJsonArray, isJsonObject, parseJson } from "@slipway/objects";

/** One request to the real server and what came of it; see the README beside the recordings. */
export interface RecordedLine {
  readonly id: string;
  readonly about: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly to?: "aggregator" | "backend";
    readonly headers?: Readonly<Record<string, string | null>>;
    readonly body?: JsonValue;
  };
  readonly response: { readonly status: number; readonly body: JsonValue };
  readonly effect?: { readonly helmRelease?: KubernetesObject | null };
}

export function readRecording(name: string): RecordedLine[] {
  const text = readFileSync(new URL(`../recordings/cozystack/${name}.jsonl`, import.meta.url), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => parseJson(line) as unknown as RecordedLine);
}

const varying: ReadonlySet<string> = new Set(["uid", "resourceVersion", "creationTimestamp"]);

/**
 * `value` as text, in its member order, with what differs from run to run replaced. Ages count too: the column AGE of
 * a Table is the third.
 */
export function comparable(value: JsonValue): string {
  return JSON.stringify(value, (name, member) => {
    if (varying.has(name) && typeof member === "string") return "*";
    if (name === "cells" && Array.isArray(member)) return member.with(2, "*");
    return member;
  });
}

/** The member order of a HelmRelease is that of custom resources; managedFields are not recorded. */
export function comparableRelease(value: JsonValue | undefined): string {
  if (!isJsonObject(value)) return comparable(value ?? null);
  const { metadata, ...rest } = value;
  if (!isJsonObject(metadata) || isJsonArray(metadata)) return comparable(value);
  const { managedFields: _, ...shown } = metadata;
  return comparable({ apiVersion: rest.apiVersion, kind: rest.kind, metadata: shown, ...rest });
}
