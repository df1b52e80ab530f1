import { styleText } from "node:util";
import {
  formatObjectKey,
  formatYamlStream,
  getMember,
  groupOf,
  identityOf,
  isJsonArray,
  isJsonObject,
  isSecret,
  type JsonObject,
  type JsonValue,
  maskSecretPair,
  maskSecrets,
  SlipwayError,
} from "@slipway/objects";
import { loadDiff, loadYaml } from "./load-now.ts";
import type { FolderChange } from "./output-folder.ts";

/** Two texts that have less in common than this many lines are not compared line by line. */
const MAX_EDITS = 20_000;

/**
 * `change` as a unified diff, of a file that people know as `path`. Values of Secrets are hidden: those that changed are
 * `*** (before)` and `*** (after)`.
 */
export function formatDiff(change: FolderChange, path: string): string {
  const from = change.before === undefined ? "/dev/null" : path;
  const to = change.after === undefined ? "/dev/null" : path;
  const head = `--- ${from}\n+++ ${to}\n`;
  const texts = hideSecrets(change.before ?? "", change.after ?? "", path);
  if (texts === undefined) return `${head}# It holds a Secret and is not YAML, so it is not shown.\n`;
  const [before, after] = texts;
  if (before === after) return `${head}# Only the layout differs.\n`;
  const options = { context: 3, maxEditLength: MAX_EDITS };
  const patch = loadDiff().structuredPatch(from, to, before, after, "", "", options);
  if (patch === undefined) return `${head}# They have too little in common to be shown line by line.\n`;
  const hunks = patch.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@\n${lines.join("\n")}\n`;
  });
  return head + hunks.join("");
}

/** A range of no lines begins at the line before it. */
function range(start: number, lines: number): string {
  const first = lines === 0 ? start - 1 : start;
  return lines === 1 ? `${first}` : `${first},${lines}`;
}

/** Where a text may hold a Secret, both are written anew with its values hidden; `undefined` when one cannot be read. */
function hideSecrets(before: string, after: string, path: string): readonly [string, string] | undefined {
  if (!mayHoldSecret(before) && !mayHoldSecret(after)) return [before, after];
  const [old, fresh] = [readDocuments(before, path), readDocuments(after, path)];
  if (old === undefined || fresh === undefined) return undefined;
  const others = new Map(fresh.flatMap(objectsIn).map((object) => [keyOf(object), object]));
  const mine = new Map(old.flatMap(objectsIn).map((object) => [keyOf(object), object]));
  return [
    formatYamlStream(old.map((document) => maskDocument(document, others, 0))),
    formatYamlStream(fresh.map((document) => maskDocument(document, mine, 1))),
  ];
}

/** The word stands in every Secret, and in little else. */
function mayHoldSecret(text: string): boolean {
  return text.includes("Secret");
}

function readDocuments(text: string, source: string): JsonValue[] | undefined {
  try {
    return loadYaml()
      .readYamlDocuments(text, { source })
      .map(({ value }) => value);
  } catch (error) {
    if (SlipwayError.isSlipwayError(error)) return undefined;
    throw error;
  }
}

/** Those of a List one by one. */
function objectsIn(document: JsonValue): JsonObject[] {
  if (!isJsonObject(document)) return [];
  const items = getMember(document, "items");
  return isJsonArray(items) ? [document, ...items.flatMap(objectsIn)] : [document];
}

function keyOf(object: JsonObject): string {
  const identity = identityOf(object);
  if (identity === undefined) return "";
  const { apiVersion, kind, namespace, name } = identity;
  return formatObjectKey({ group: groupOf(apiVersion), kind, namespace, name });
}

/** `side` says whether `document` is the earlier (0) or the later (1) of a pair. */
function maskDocument(document: JsonValue, others: ReadonlyMap<string, JsonObject>, side: 0 | 1): JsonValue {
  if (!isJsonObject(document)) return document;
  const items = getMember(document, "items");
  if (isJsonArray(items)) return { ...document, items: items.map((item) => maskDocument(item, others, side)) };
  const other = isSecret(document) ? others.get(keyOf(document)) : undefined;
  if (other === undefined) return maskSecrets(document);
  return (side === 0 ? maskSecretPair(document, other) : maskSecretPair(other, document))[side];
}

/** As `git diff` shows it on a terminal. */
export function colorDiff(diff: string): string {
  return diff.replace(/^(?:(---|\+\+\+)|(@@)|(\+)|(-)).*$/gm, (line, head, hunk, plus) => {
    if (head !== undefined) return styleText("bold", line);
    return styleText(hunk !== undefined ? "cyan" : plus !== undefined ? "green" : "red", line);
  });
}
