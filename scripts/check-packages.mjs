/**
 * Packs every package as npm would publish it, and looks at what is inside: publint for package.json and files, attw for
 * the types as other people's compilers resolve them. Needs a build.
 */
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
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
  let failed = 0;
  try {
    for (const path of await builtFolders()) failed += await check(path, join(folder, basename(path)));
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
  const tarball = await pack(path, destination);
  if (tarball === undefined) return report("npm pack", false);
  return (
    report("publint", await isPublishable(manifest, tarball)) +
    report("attw", (await runAttw(tarball, "--quiet")) || (await runAttw(tarball)))
  );
}

/**
 * Its table is long: it is shown for what has failed only.
 *
 * @param {string} tarball @param {readonly string[]} args
 */
async function runAttw(tarball, ...args) {
  return (await run(process.execPath, [attw, tarball, "--profile", "esm-only", ...args], shown)) === 0;
}

/** @param {string} name @param {boolean} isSound */
function report(name, isSound) {
  process.stdout.write(`${name}: ${isSound ? "no problems" : "failed"}\n`);
  return isSound ? 0 : 1;
}

/** @param {string} path @param {string} destination */
async function pack(path, destination) {
  await mkdir(destination, { recursive: true });
  const code = await run("npm", ["pack", "--silent", "--pack-destination", destination], {
    cwd: path,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [tarball] = await readdir(destination);
  return code === 0 && tarball !== undefined ? join(destination, tarball) : undefined;
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
