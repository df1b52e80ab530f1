import { formatApiVersion } from "./gvk.ts";
import {
  formatObjectKey,
  groupOf,
  type Identity,
  identityOf,
  type ObjectKey,
  type ObjectKeyParts,
} from "./identity.ts";
import type { JsonObject } from "./json.ts";

/** An object that a set owns, with the version to reach it by. */
export interface InventoryEntry extends ObjectKeyParts {
  readonly version: string;
}

/** What a set owns. One object has one entry, whatever its version. */
export type Inventory = ReadonlyMap<ObjectKey, InventoryEntry>;

/** Of two entries for one object the later counts, in the place of the first. */
export function createInventory(entries: Iterable<InventoryEntry>): Inventory {
  const inventory = new Map<ObjectKey, InventoryEntry>();
  for (const entry of entries) inventory.set(formatObjectKey(entry), entry);
  return inventory;
}

/** Of the objects that have a kind and a name, in their order. */
export function inventoryOf(objects: Iterable<JsonObject>): Inventory {
  const entries: InventoryEntry[] = [];
  for (const object of objects) {
    const identity = identityOf(object);
    if (identity !== undefined) entries.push(toEntry(identity));
  }
  return createInventory(entries);
}

function toEntry({ apiVersion, kind, namespace, name }: Identity): InventoryEntry {
  const group = groupOf(apiVersion);
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  return { group, version, kind, namespace, name };
}

/** How the API is asked for the entry: `apps/v1`. */
export function apiVersionOf({ group, version }: InventoryEntry): string {
  return formatApiVersion(group, version);
}

/** What is owned and no longer desired, in the order of `owned`. */
export function subtractInventory(owned: Inventory, desired: Inventory): Inventory {
  return filterInventory(owned, (key) => !desired.has(key));
}

/** What is in both, as `a` has it. */
export function intersectInventories(a: Inventory, b: Inventory): Inventory {
  return filterInventory(a, (key) => b.has(key));
}

/** What is in either: first what `a` has, then the rest of `b`. For what is in both, the entry of `b`. */
export function uniteInventories(a: Inventory, b: Inventory): Inventory {
  return new Map([...a, ...b]);
}

/** Whether the same objects are in both; neither order nor version counts. */
export function inventoriesEqual(a: Inventory, b: Inventory): boolean {
  return a.size === b.size && [...a.keys()].every((key) => b.has(key));
}

function filterInventory(inventory: Inventory, keep: (key: ObjectKey) => boolean): Inventory {
  return new Map([...inventory].filter(([key]) => keep(key)));
}
