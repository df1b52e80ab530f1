/** Planted: promises of other packages that nobody waits for. Never run. Each line with a rule in a comment has to be found. */
import { createMemoryStorage } from "@slipway/apiserver";
import { readKubeconfig } from "@slipway/deploy/node";
import type { KubeClient, ObjectRef } from "@slipway/objects";

export async function sound(client: KubeClient, ref: ObjectRef): Promise<void> {
  await readKubeconfig();
  await Promise.all([client.get(ref), createMemoryStorage().revision()]);
}

export function floating(client: KubeClient, ref: ObjectRef): void {
  readKubeconfig(); // no-floating-promises
  client.get(ref); // no-floating-promises
  createMemoryStorage().revision(); // no-floating-promises
  sound(client, ref); // no-floating-promises
}

export function misused(client: KubeClient, refs: readonly ObjectRef[]): string {
  refs.forEach((ref) => client.get(ref)); // no-misused-promises
  if (readKubeconfig()) return "always"; // no-misused-promises
  return "never";
}
