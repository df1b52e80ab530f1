/**
 * Makes `packages/cdk8s/lib`: the sources of core and objects as one CommonJS file, in front of it a file for each of
 * cdk8s's, and the declarations. Needs the compiled packages, for their declarations.
 *
 *   lib/index.js, lib/app.js, …    what `packages/cdk8s/src` lists: the names, no code
 *   lib/slipway/core.js            the code, once
 *   lib/slipway/yaml.js            the `yaml` package, loaded when something is read
 *   lib/slipway/core, …/objects    declarations
 */
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { namesOf, writeDeclarations } from "./drop-in-declarations.mjs";
import { root } from "./setup.mjs";

const folder = join(root, "packages", "cdk8s");
const lib = join(folder, "lib");

const areas = (await readdir(join(folder, "src"))).map((file) => file.replace(/\.mts$/, ""));

const commonJs = {
  dir: lib,
  format: "cjs",
  exports: "named",
  strict: true,
  generatedCode: { symbols: false },
  entryFileNames: "[name].js",
  chunkFileNames: "slipway/[name].js",
};

const yamlFile = "./yaml.js";

/** The library of core that is loaded on demand: a file beside the code, since the package has no dependencies. */
const yamlBeside = {
  name: "yaml-beside",
  resolveId: (id) => (id === yamlFile ? { id, external: true } : undefined),
  transform(code, id) {
    if (!id.endsWith(join("core", "src", "node", "yaml-library.ts"))) return undefined;
    const demand = 'createRequire(import.meta.url)("yaml")';
    if (!code.includes(demand)) this.error(`${id} does not load the library with ${demand}`);
    return code.replace(demand, `require("${yamlFile}")`);
  },
};

/** Where a file of core is, which a program that is bundled as an ES module in turn does not know. */
const ownAddress = {
  name: "own-address",
  transform: (code) =>
    code.replaceAll(
      "import.meta.url",
      '(typeof __filename === "undefined" ? "" : require("node:url").pathToFileURL(__filename).href)',
    ),
};

await rm(lib, { recursive: true, force: true });
await bundleCode();
await bundleYaml();
await writeDeclarations({ source: join(folder, "src"), lib });
await writeModuleEntry();

async function bundleCode() {
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(areas.map((area) => [area, join(folder, "src", `${area}.mts`)])),
    platform: "node",
    external: ["constructs"],
    resolve: { conditionNames: ["slipway-source"] },
    tsconfig: false,
    plugins: [yamlBeside, ownAddress],
    onLog: refuseWarning,
  });
  const { output } = await bundle.write({
    ...commonJs,
    esModule: true,
    codeSplitting: { groups: [{ name: "core", test: isOfCore }] },
  });
  await bundle.close();
  const strays = output.flatMap((chunk) =>
    chunk.moduleIds.filter((id) => !isOurs(id) && !id.startsWith("\0rolldown/")),
  );
  if (strays.length > 0) throw new Error(`More than our sources would be in the drop-in: ${strays.join(", ")}`);
}

async function bundleYaml() {
  const yaml = dirname(fileURLToPath(import.meta.resolve("yaml/package.json")));
  const bundle = await rolldown({
    cwd: root,
    input: { "slipway/yaml": join(yaml, "dist", "index.js") },
    platform: "node",
    tsconfig: false,
    onLog: refuseWarning,
  });
  await bundle.write(commonJs);
  await bundle.close();
  await cp(join(yaml, "LICENSE"), join(lib, "slipway", "yaml.LICENSE"));
}

/** For `import`: the same instance of everything, by name and as a whole, as Node gives it for cdk8s. */
async function writeModuleEntry() {
  const names = namesOf(await readFile(join(folder, "src", "index.mts"), "utf8")).values;
  const list = names.map((name) => `  ${name},\n`).join("");
  await writeFile(
    join(lib, "index.mjs"),
    `import cdk8s from "./index.js";\n\nexport default cdk8s;\nexport const {\n${list}} = cdk8s;\n`,
  );
  await writeFile(
    join(lib, "index.d.mts"),
    'import cdk8s from "./index.js";\nexport default cdk8s;\nexport * from "./index.js";\n',
  );
}

/** @param {string} id */
function isOfCore(id) {
  return isOurs(id) && !id.startsWith(folder + sep);
}

/** @param {string} id */
function isOurs(id) {
  return /^packages[\\/](?:cdk8s|core|objects)[\\/]src[\\/]/.test(relative(root, id));
}

/** A module that is not found is a warning. */
function refuseWarning(level, log) {
  if (level === "warn") throw new Error(log.message);
}
