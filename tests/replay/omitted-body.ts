/**
 * A body too long to be kept, made again from its description, with the length that was recorded.
 * @throws {TypeError} for a description that is not known.
 */
export function omittedBody(description: string, length: number, path: string): string {
  const operations = /^(\d+) times (\{.*\})$/.exec(description);
  if (operations !== null) return `[${Array.from({ length: Number(operations[1]) }, () => operations[2]).join(",")}]`;
  const letters = /spec\.x is (\d+) times (\w)/.exec(description);
  if (letters !== null) return redisBody(path, JSON.stringify(String(letters[2]).repeat(Number(letters[1]))), length);
  const lists = /spec\.x is (\d+) nested lists/.exec(description);
  if (lists !== null) {
    const depth = Number(lists[1]);
    return redisBody(path, `${"[".repeat(depth)}${"]".repeat(depth)}`, length);
  }
  throw new TypeError(`a body described as "${description}": not known how it is made`);
}

/** The name fills up to the length. */
function redisBody(path: string, x: string, length: number): string {
  const namespace = /\/namespaces\/([^/]+)/.exec(path)?.[1] ?? "";
  const body = (name: string): string =>
    `{"apiVersion":"apps.cozystack.io/v1alpha1","kind":"Redis","metadata":{"name":"${name}","namespace":"${namespace}"},"spec":{"x":${x}}}`;
  return body("x".repeat(Math.max(1, length - body("").length)));
}
