/**
 * Looks for promises that nobody waits for, wherever they come from: Biome does not follow a call into another package of
 * the workspace. The planted file is checked first: a check that finds nothing there would find nothing anywhere.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ESLint } from "eslint";
import { parser, plugin } from "typescript-eslint";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const sources = ["packages/*/src/**/*.ts", "testbed/src/**/*.ts"];

process.exitCode = (await findsPlanted()) && (await isSound()) ? 0 : 1;

async function isSound() {
  const found = await lint(root, "tsconfig.test.json", sources);
  for (const { file, line, rule, message } of found) process.stdout.write(`${file}:${line} ${rule}: ${message}\n`);
  process.stdout.write(found.length === 0 ? "Every promise is waited for.\n" : `Found: ${found.length}.\n`);
  return found.length === 0;
}

/** The planted file is compiled with the settings of the repository, against the packages as their `exports` offer them. */
async function findsPlanted() {
  const cache = join(root, "node_modules", ".cache");
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "promises-"));
  try {
    const text = await readFile(new URL("planted-promises.ts", import.meta.url), "utf8");
    await writeFile(join(folder, "planted.ts"), text);
    const settings = { extends: join(root, "tsconfig.test.json"), include: ["planted.ts"] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings));
    const found = await lint(folder, "tsconfig.json", ["planted.ts"]);
    const wanted = plantedIn(text);
    const isFound = wanted.length > 0 && found.map(({ line, rule }) => `${line} ${rule}`).join() === wanted.join();
    const details = found.map(({ line, rule, message }) => `\n  ${line} ${rule}: ${message}`).join("");
    process.stdout.write(
      isFound
        ? `Each of the ${wanted.length} planted promises is found.\n`
        : `The check is broken. Planted: ${wanted.join(", ")}. Found:${details}\n`,
    );
    return isFound;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * What the comments at the ends of its lines say: line and rule.
 *
 * @param {string} text
 */
function plantedIn(text) {
  return text.split("\n").flatMap((code, index) => {
    const rule = / \/\/ (no-[a-z]+-promises)$/.exec(code)?.[1];
    return rule === undefined ? [] : [`${index + 1} ${rule}`];
  });
}

/**
 * @param {string} folder
 * @param {string} project The compiler settings; each linted file has to be in them.
 * @param {readonly string[]} patterns Each has to match something.
 */
async function lint(folder, project, patterns) {
  const eslint = new ESLint({
    cwd: folder,
    overrideConfigFile: true,
    overrideConfig: {
      files: ["**/*.ts"],
      languageOptions: { parser, parserOptions: { project, tsconfigRootDir: folder } },
      linterOptions: { noInlineConfig: true },
      plugins: { typescript: plugin },
      rules: { "typescript/no-floating-promises": "error", "typescript/no-misused-promises": "error" },
    },
  });
  const results = await eslint.lintFiles([...patterns]);
  return results.flatMap(({ filePath, messages }) =>
    messages.map(({ line = 0, ruleId, message }) => ({
      file: relative(root, filePath),
      line,
      rule: ruleId?.replace("typescript/", "") ?? "error",
      message,
    })),
  );
}
