import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { synthesisOfFolder } from "./from-files.ts";
import { synthesisOf } from "./from-run.ts";
import { receiveRuns } from "./receive-runs.ts";
import type { Synthesis, SynthRun } from "./synthesis.ts";

/** What an App of cdk8s and one of ours have. */
interface AnyApp {
  synth(): void;
  synthYaml(): string;
}

/** Receives what the Apps of a program make while it runs in this process. */
export class ProgramHost {
  readonly #wantsOrder: boolean;
  /** Nobody else looks into it, and Apps of cdk8s write to a folder in it. */
  readonly #temporary: string = mkdtempSync(join(tmpdir(), "slipway-synth-"));
  readonly #outdir: string = join(this.#temporary, "out");
  /** By App: one that is synthesised twice replaces what it made before, as it would its files. */
  readonly #runs: Map<object, Synthesis> = new Map();

  constructor(options: { readonly wantsOrder: boolean }) {
    this.#wantsOrder = options.wantsOrder;
    receiveRuns((run) => this.#receive(run));
    process.env.CDK8S_OUTDIR = this.#outdir;
  }

  #receive(run: SynthRun): void {
    const [document] = run.outputs.flatMap(({ documents }) => documents);
    const app = document?.construct.node.root ?? run;
    this.#runs.delete(app);
    this.#runs.set(app, synthesisOf(run, this.#outdir, this.#wantsOrder));
  }

  /**
   * What the program made. When that is nothing, the App among its exports is synthesised first.
   * @param exports Those of its file; `undefined` when they are not known.
   */
  collect(exports: unknown): Synthesis[] {
    const present = this.#present();
    if (present.length > 0) return present;
    for (const app of findApps(exports)) app.synth();
    return this.#present();
  }

  #present(): Synthesis[] {
    const written = synthesisOfFolder(this.#outdir);
    return written === undefined ? [...this.#runs.values()] : [...this.#runs.values(), written];
  }

  [Symbol.dispose](): void {
    rmSync(this.#temporary, { recursive: true, force: true });
  }
}

/** `export default app`, `export const app`, and what CommonJS makes of them. */
function findApps(exports: unknown): Set<AnyApp> {
  const places = [exports, member(exports, "default")];
  return new Set(
    [
      ...places,
      ...places.map((place) => member(place, "default")),
      ...places.map((place) => member(place, "app")),
    ].filter(isApp),
  );
}

function member(of: unknown, name: string): unknown {
  return typeof of === "object" && of !== null ? Reflect.get(of, name) : undefined;
}

function isApp(value: unknown): value is AnyApp {
  return typeof member(value, "synth") === "function" && typeof member(value, "synthYaml") === "function";
}
