#!/usr/bin/env node
import process from "node:process";
import { keepHeapSmall } from "./small-heap.ts";

const [name, ...args] = process.argv.slice(2);

// A program that is synthesised often should not wait for what other commands need.
process.exitCode = name === "synth" ? await runSynth() : await runMain();

async function runSynth(): Promise<number> {
  const { synthAlone } = await import("./synth/synth-alone.ts");
  return synthAlone(args);
}

async function runMain(): Promise<number> {
  if (name === "dev") keepHeapSmall();
  const [{ processHost }, { main }] = await Promise.all([import("./host.ts"), import("./main.ts")]);
  return main(process.argv.slice(2), processHost());
}
