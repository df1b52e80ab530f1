/** What `import` gives for a CommonJS module: as the compiler does it with `esModuleInterop`, and named members as well. */
export function namespaceOf(exports: unknown, importedNames: readonly string[] | undefined): unknown {
  if (isObject(exports) && Reflect.get(exports, "__esModule")) return exports;
  if (importedNames === undefined) return isObject(exports) ? withDefault(exports) : { default: exports };
  const namespace: object = {};
  for (const name of importedNames) {
    const get =
      name === "default" ? () => exports : () => (exports as Readonly<Record<string, unknown>> | null)?.[name];
    Object.defineProperty(namespace, name, { get, enumerable: true, configurable: true });
  }
  return namespace;
}

/** For `import * as x`: x may be called when what is exported may be. */
function withDefault(exports: object): object {
  return new Proxy(exports, {
    get: (target, name) => (name === "default" && !("default" in target) ? target : Reflect.get(target, name)),
  });
}

/** Of an ES module of a package: what it has, or else what its default has, for names that Node does not find. */
export function nativeNamespace(namespace: object, importedNames: readonly string[] = []): object {
  const missing = importedNames.filter((name) => !(name in namespace));
  const fallback = Reflect.get(namespace, "default");
  if (missing.length === 0 || !isObject(fallback)) return namespace;
  const merged = Object.create(namespace);
  for (const name of missing) Object.defineProperty(merged, name, { get: () => Reflect.get(fallback, name) });
  return merged;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
