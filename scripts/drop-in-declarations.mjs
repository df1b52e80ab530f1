/** The declarations of the drop-in: those of core and objects, in a form that compilers from TypeScript 4.9 on read. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, posix } from "node:path";
import { root } from "./setup.mjs";

/** `import` or `export`, `type` or not, names, and from where: all that the compiler writes into our declarations. */
const STATEMENT = /^(import|export)( type)? \{([^}]*)\} from "([^"]+)";$/gm;

const OURS = "@slipway/";

/**
 * Writes a declaration beside each file of the drop-in, and below `slipway/` a copy of everything that it refers to.
 *
 * @param {{ readonly source: string, readonly lib: string }} folders The files that list the names, and where to write.
 */
export async function writeDeclarations({ source, lib }) {
  const exported = new Exported();
  /** Below `lib`, without extension. @type {Set<string>} */
  const wanted = new Set();
  for (const file of await readdir(source)) {
    const text = await readFile(join(source, file), "utf8");
    await write(basename(file, ".mts"), text.replaceAll(/^\/\/.*\n/gm, ""));
  }
  for (const path of wanted) await write(path, plainEnums(await readCompiled(path))); // grows while it is walked

  /** @param {string} path @param {string} text */
  async function write(path, text) {
    const plain = await replaceAsync(text, STATEMENT, async ([, keyword, type = "", names, from]) => {
      const targets = await resolve(path, from, itemsOf(names));
      return [...targets]
        .map(([target, items]) => `${keyword}${type} { ${items.join(", ")} } from "${target}";`)
        .join("\n");
    });
    const leftover = /["'](?:@slipway\/[^"']*|\.[^"']*\.ts)["']/.exec(plain)?.[0];
    if (leftover !== undefined) throw new Error(`${path}.d.ts: ${leftover} is in no form that is known here`);
    await mkdir(dirname(join(lib, path)), { recursive: true });
    await writeFile(join(lib, `${path}.d.ts`), plain);
  }

  /** Where the file at `path` finds what it takes from `from`: the items by module. */
  async function resolve(path, from, items) {
    if (!from.startsWith(".") && !from.startsWith(OURS)) return new Map([[from, items]]);
    const found = new Map();
    for (const item of items) {
      const module = from.startsWith(".")
        ? posix.join(posix.dirname(path), from.replace(/\.ts$/, ""))
        : await exported.moduleOf(from, nameOf(item));
      wanted.add(module);
      const steps = posix.relative(posix.dirname(path), module);
      const target = steps.startsWith(".") ? steps : `./${steps}`;
      found.set(target, [...(found.get(target) ?? []), item]);
    }
    return found;
  }
}

/** Where the names that our packages export are declared: paths like `slipway/objects/compiled`. */
class Exported {
  /** By entry (`@slipway/objects`). @type {Map<string, Map<string, string>>} */
  #modules = new Map();

  /** @param {string} entry @param {string} name */
  async moduleOf(entry, name) {
    let modules = this.#modules.get(entry);
    if (modules === undefined) {
      modules = await this.#read(entry);
      this.#modules.set(entry, modules);
    }
    const module = modules.get(name);
    if (module === undefined) throw new Error(`${entry} does not export ${name}`);
    return module;
  }

  async #read(entry) {
    const [, name, subpath = ""] = /^@slipway\/([^/]+)(\/.*)?$/.exec(entry);
    const { exports } = JSON.parse(await readFile(join(root, "packages", name, "package.json"), "utf8"));
    const text = await readFile(join(root, "packages", name, exports[`.${subpath}`].types), "utf8");
    return new Map(
      [...text.matchAll(STATEMENT)].flatMap(([, , , names, from]) =>
        itemsOf(names).map((item) => [nameOf(item), posix.join("slipway", name, from.replace(/\.ts$/, ""))]),
      ),
    );
  }
}

/** @param {string} path */
async function readCompiled(path) {
  const [, name, ...file] = path.split("/");
  const text = await readFile(join(root, "packages", name, "dist", `${file.join("/")}.d.ts`), "utf8");
  return text.replace(/^\/\/# sourceMappingURL=.*\n?/m, "");
}

/**
 * Frozen objects with both directions, which stand for enums in our sources, as the enums that they are for a program:
 * only an enum can be used as in `let type: YamlOutputType.FILE_PER_APP`.
 *
 * @param {string} text
 */
function plainEnums(text) {
  const object =
    /^export declare const (\w+): \{\n((?: {4}.*\n)+)\};\nexport type \1 = .*;\n|^export type (\w+) = .*;\nexport declare const \3: \{\n((?: {4}.*\n)+)\};\n/gm;
  return text.replace(
    object,
    (_, ...[first, members, second, others]) =>
      `export declare enum ${first ?? second} {\n${enumMembers(members ?? others)}}\n`,
  );
}

/** @param {string} members */
function enumMembers(members) {
  return members
    .replace(/^ +readonly \d+: "\w+";\n/gm, "")
    .replace(/^( +)readonly (\w+): (\d+);$/gm, (_, indent, name, value) => `${indent}${name} = ${value},`);
}

/**
 * The names that a file passes on.
 *
 * @param {string} text
 */
export function namesOf(text) {
  const statements = [...text.matchAll(STATEMENT)];
  const named = (isType) =>
    statements.filter(([, , type]) => (type !== undefined) === isType).flatMap(([, , , names]) => itemsOf(names));
  return { types: named(true), values: named(false) };
}

/** @param {string} names */
function itemsOf(names) {
  return names
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** @param {string} item `Name` or `type Name`. */
function nameOf(item) {
  const name = item.replace(/^type /, "");
  if (!/^\w+$/.test(name)) throw new Error(`${item} is renamed, which is not expected here`);
  return name;
}

/** @param {string} text @param {RegExp} pattern @param {(match: RegExpMatchArray) => Promise<string>} replace */
async function replaceAsync(text, pattern, replace) {
  const replaced = await Promise.all([...text.matchAll(pattern)].map(replace));
  return text.replace(pattern, () => replaced.shift());
}
