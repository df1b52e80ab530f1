/**
 * Where in `value` something stands that contains itself, as Kubernetes writes a path: `spec.a[0]`; `undefined` when
 * nothing does.
 */
export function findSelfReference(value: unknown): string | undefined {
  const around = new Set<unknown>();
  /** Each is entered with its members still to be looked at. */
  const stack: { readonly value: object; readonly path: string; readonly rest: [string, unknown][] }[] = [];
  const enter = (inner: unknown, path: string): boolean => {
    if (typeof inner !== "object" || inner === null) return false;
    if (around.has(inner)) return true;
    around.add(inner);
    stack.push({ value: inner, path, rest: Object.entries(inner) });
    return false;
  };
  enter(value, "");
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.rest.shift();
    if (next === undefined) {
      around.delete(top.value);
      stack.pop();
      continue;
    }
    const [name, member] = next;
    const step = Array.isArray(top.value) ? `[${name}]` : top.path === "" ? name : `.${name}`;
    if (enter(member, `${top.path}${step}`)) return `${top.path}${step}`;
  }
  return undefined;
}
