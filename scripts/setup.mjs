/** What a clone needs before anything of it runs: a fitting Node, installed packages, and a build. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./run.mjs";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const modules = join(root, "node_modules");
const buildStamp = join(modules, ".slipway", "build");
const dropInScript = join(root, "scripts", "build-drop-in.mjs");
const dropInDeclarations = join(root, "scripts", "drop-in-declarations.mjs");

/** A failure that a person can do something about: its message is all there is to say. */
export class SetupError extends Error {
  name = "SetupError";
  /**
   * @param {string} message
   * @param {ErrorOptions & { readonly exitCode?: number }} [options]
   */
  constructor(message, { exitCode = 1, ...options } = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** @throws {SetupError} below Node 20.19. */
export function checkNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new SetupError(
    `Slipway needs Node 20.19 or newer, and this is ${version}. Install a newer one from nodejs.org.`,
  );
}

/**
 * Installs the packages of package-lock.json when there are none, or others. Progress goes to stderr.
 *
 * @param {string} [folder] Where package.json and package-lock.json are.
 * @throws {SetupError} when npm does not succeed.
 */
export async function ensureInstalled(folder = root) {
  const lockFile = join(folder, "package-lock.json");
  /** What npm itself notes about a finished install. */
  const installedFile = join(folder, "node_modules", ".package-lock.json");
  const stamp = join(folder, "node_modules", ".slipway", "install");
  const hasLock = existsSync(lockFile);
  const wanted = hasLock ? hashOf(await readFile(lockFile)) : "no lock file";
  if (existsSync(installedFile) && (await readStamp(stamp)) === wanted) return;
  if (hasLock && (await isInstalled(lockFile, installedFile))) return writeStamp(stamp, wanted);

  tell(folder === root ? "Installing packages" : `Installing packages of ${relative(root, folder)}`);
  // Development packages are the compiler and the test runner: needed wherever this runs, whatever NODE_ENV says.
  const args = [hasLock ? "ci" : "install", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  assertSuccess(
    await npm(args, folder),
    "The packages could not be installed; npm says why above. Check the network and the registry, then try again.",
  );
  await writeStamp(stamp, wanted);
}

/**
 * Compiles the packages, and bundles the drop-in, when a source, a package.json or a compiler setting is not the one of
 * the last build. Progress goes to stderr.
 *
 * @throws {SetupError} when the compiler or the bundler does not succeed.
 */
export async function ensureBuilt() {
  const packages = await builtFolders();
  const wanted = hashOf(await describeSources(packages));
  const isComplete = (await Promise.all(packages.map(entryFiles))).flat().every((file) => existsSync(file));
  if (isComplete && (await readStamp(buildStamp)) === wanted) return;

  tell("Building");
  // The compiler's own notes lie outside dist: without --force it would not see that dist is gone.
  const args = [join(modules, "typescript", "bin", "tsc"), "-b", ...(isComplete ? [] : ["--force"])];
  const code = await run(process.execPath, args, { cwd: root, stdio: ["ignore", 2, 2] });
  assertSuccess(code, "The sources do not compile; the errors are above.");
  const bundled = await run(process.execPath, [dropInScript], { cwd: root, stdio: ["ignore", 2, 2] });
  assertSuccess(bundled, "The drop-in cannot be bundled; the reason is above.");
  await writeStamp(buildStamp, wanted);
}

/** The packages that a build makes: those that `tsc -b` compiles, and the drop-in that is bundled from them. */
export async function builtFolders() {
  const { references } = await readJson(join(root, "tsconfig.json"));
  return [...references.map(({ path }) => join(root, path)), join(root, "packages", "cdk8s")];
}

/**
 * The built files that a package offers.
 *
 * @param {string} folder
 */
async function entryFiles(folder) {
  const { exports } = await readJson(join(folder, "package.json"));
  const targets = Object.values(exports).flatMap(targetsOf);
  return targets.filter((target) => /^\.\/(?:dist|lib)\/[^*]+$/.test(target)).map((target) => join(folder, target));
}

/**
 * What a value of `exports` leads to, under any conditions.
 *
 * @returns {string[]}
 */
function targetsOf(value) {
  return typeof value === "string" ? [value] : Object.values(value).flatMap(targetsOf);
}

/** @param {string} path */
async function readJson(path) {
  return JSON.parse(await readFile(path, "utf8"));
}

/**
 * Runs npm, its output on stderr.
 *
 * @param {readonly string[]} args
 * @param {string} folder
 * @returns {Promise<number>}
 */
async function npm(args, folder) {
  // The npm that runs this script, if one does: it need not be on the PATH.
  const path = process.env.npm_execpath ?? "";
  const [command, ...first] = basename(path) === "npm-cli.js" ? [process.execPath, path] : ["npm"];
  try {
    return await run(command, [...first, ...args], { cwd: folder, stdio: ["ignore", 2, 2] });
  } catch (cause) {
    throw new SetupError(`npm cannot be started (${cause.message}). It comes with Node; check the PATH.`, { cause });
  }
}

/**
 * Whether the packages are those of package-lock.json, whoever installed them.
 *
 * @param {string} lockFile @param {string} installedFile
 */
async function isInstalled(lockFile, installedFile) {
  const wanted = await readPackages(lockFile);
  const present = await readPackages(installedFile);
  if (wanted === undefined || present === undefined) return false;
  return Object.entries(wanted).every(
    ([path, { version, link, optional }]) =>
      !path.includes("node_modules/") ||
      (present[path] === undefined
        ? optional === true // for another platform
        : present[path].version === version && present[path].link === link),
  );
}

/** @param {string} path */
async function readPackages(path) {
  try {
    return (await readJson(path)).packages;
  } catch {
    return undefined; // missing or broken: npm makes it anew
  }
}

/**
 * Everything the build depends on, one file a line. Tests are left out: they are not built.
 *
 * @param {readonly string[]} packages
 */
async function describeSources(packages) {
  const files = [join(root, "tsconfig.json"), join(root, "tsconfig.base.json"), dropInScript, dropInDeclarations];
  for (const folder of packages) {
    files.push(...["package.json", "tsconfig.json"].map((name) => join(folder, name)).filter(existsSync));
    const entries = await readdir(join(folder, "src"), { recursive: true });
    files.push(...entries.filter((name) => /(?<!\.test)\.m?ts$/.test(name)).map((name) => join(folder, "src", name)));
  }
  const lines = await Promise.all(
    files.sort(byCodeUnit).map(async (file) => {
      const { mtimeMs, size } = await stat(file);
      return `${relative(root, file)} ${size} ${mtimeMs}\n`;
    }),
  );
  const tools = await Promise.all(
    ["rolldown", "typescript", "yaml"].map(async (name) => {
      const { version } = await readJson(join(modules, name, "package.json"));
      return `${name} ${version}\n`;
    }),
  );
  return [...tools, ...lines].join("");
}

/** @param {string} path */
async function readStamp(path) {
  try {
    return await readFile(path, "utf8");
  } catch {
    return undefined;
  }
}

/** @param {string} path @param {string} content */
async function writeStamp(path, content) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** @param {string} a @param {string} b */
function byCodeUnit(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @param {string | Buffer} content */
function hashOf(content) {
  return createHash("sha256").update(content).digest("hex");
}

/** @param {number} code @param {string} message */
function assertSuccess(code, message) {
  if (code === 0) return;
  throw new SetupError(code === 130 || code === 143 ? "Interrupted." : message, { exitCode: code });
}

/** @param {string} text */
function tell(text) {
  process.stderr.write(`  ${text} …\n`);
}

/**
 * Runs `work`; of a failure that a person can do something about, the message is shown and nothing else.
 *
 * @param {() => Promise<number>} work Resolves to the exit code.
 */
export async function runScript(work) {
  try {
    process.exitCode = await work();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
  }
}
