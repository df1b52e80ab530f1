import { readFileSync } from "node:fs";
import { systemHost } from "@slipway/apiserver";
import { main } from "@slipway/cli";
import { expect, test } from "vitest";

test("slipway version is that of its package", async () => {
  const manifest = new URL("../../packages/cli/package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, "utf8"));
  let output = "";
  const stream = {
    write: (text: string) => {
      output += text;
    },
  };
  const host = {
    cwd: "/",
    env: {},
    interrupted: new AbortController().signal,
    stdout: stream,
    stderr: stream,
    server: systemHost(() => {}),
  };
  expect(await main(["version"], host)).toBe(0);
  expect(output).toBe(`slipway ${version}\n`);
});
