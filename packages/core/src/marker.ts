/**
 * What tells our constructs from others. cdk8s marks its instances with registered symbols; we put the same ones on
 * ours, so that two copies of either library in one process recognise each other's charts and objects.
 */
export const API_OBJECT: unique symbol = Symbol.for("cdk8s.ApiObject");
export const CHART: unique symbol = Symbol.for("cdk8s.Chart");

/** Marks `instance` for good, and so that nobody who lists its properties sees it. */
export function mark(instance: object, marker: symbol): void {
  Object.defineProperty(instance, marker, { value: true });
}

export function isMarked(value: unknown, marker: symbol): boolean {
  return typeof value === "object" && value !== null && marker in value;
}
