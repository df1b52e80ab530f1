/**
 * Packs every package as npm would publish it, and looks at what is inside: its licence and its README, publint for
 * package.json and files, attw for the types as other people's compilers resolve them. Needs a build.
 *
 *   node scripts/check-packages.mjs [FOLDER…]   other packages than those of this repository
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { run } from "./run.mjs";
import { builtFolders, root, runScript } from "./setup.mjs";

const attw = join(
  dirname(fileURLToPath(import.meta.resolve("@arethetypeswrong/cli/package.json"))),
  "dist",
  "index.js",
);

const shown = { cwd: root, stdio: ["ignore", "inherit", "inherit"] };

await runScript(async () => {
  const folder = await mkdtemp(join(tmpdir(), "slipway-packages-"));
  const named = process.argv.slice(2).map((path) => resolve(path));
  let failed = 0;
  try {
    for (const path of named.length > 0 ? named : await builtFolders())
      failed += await check(path, join(folder, basename(path)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  process.stdout.write(failed === 0 ? "Every package is sound.\n" : `${failed} checks have failed.\n`);
  return failed === 0 ? 0 : 1;
});

/**
 * @param {string} path The package.
 * @param {string} destination Where its tarball goes; nothing is there yet.
 * @returns {Promise<number>} How many checks have failed.
 */
async function check(path, destination) {
  const manifest = JSON.parse(await readFile(join(path, "package.json"), "utf8"));
  process.stdout.write(`\n${manifest.name}\n`);
  const packed = await pack(path, destination);
  if (packed === undefined) return report("npm pack", false);
  const { tarball, files } = packed;
  const profile = manifest.type === "commonjs" ? "strict" : "esm-only";
  return (
    report("licence and README", hasPapers(files)) +
    report("publint", await isPublishable(manifest, tarball)) +
    report("attw", (await runAttw(tarball, profile, "--quiet")) || (await runAttw(tarball, profile)))
  );
}

/**
 * Its table is long: it is shown for what has failed only.
 *
 * @param {string} tarball
 * @param {"esm-only" | "strict"} profile Which compilers count: those that know `import` only, or all, down to those that
 *   look at `main` and `types`.
 * @param {readonly string[]} args
 */
async function runAttw(tarball, profile, ...args) {
  return (await run(process.execPath, [attw, tarball, "--profile", profile, ...args], shown)) === 0;
}

/** @param {string} name @param {boolean} isSound */
function report(name, isSound) {
  process.stdout.write(`${name}: ${isSound ? "no problems" : "failed"}\n`);
  return isSound ? 0 : 1;
}

/** @param {string} path @param {string} destination */
async function pack(path, destination) {
  await mkdir(destination, { recursive: true });
  try {
    const args = ["pack", "--json", "--silent", "--pack-destination", destination];
    const { stdout } = await promisify(execFile)("npm", args, { cwd: path, maxBuffer: 64 * 1024 * 1024 });
    const [{ filename, files }] = JSON.parse(stdout);
    return { tarball: join(destination, filename), files: files.map((file) => file.path) };
  } catch (error) {
    process.stdout.write(`${error.message}\n`);
    return undefined;
  }
}

/** @param {readonly string[]} files */
function hasPapers(files) {
  const missing = ["LICENSE", "README.md"].filter((name) => !files.includes(name));
  for (const name of missing) process.stdout.write(`  ${name} is not in the package\n`);
  return missing.length === 0;
}

/** Suggestions count as well: there is no reason to leave one open. */
async function isPublishable(manifest, tarball) {
  const { buffer, byteOffset, byteLength } = await readFile(tarball);
  const { messages } = await publint({
    pack: { tarball: buffer.slice(byteOffset, byteOffset + byteLength) },
    strict: true,
  });
  for (const message of messages) process.stdout.write(`  ${message.type}: ${formatMessage(message, manifest)}\n`);
  return messages.length === 0;
}
