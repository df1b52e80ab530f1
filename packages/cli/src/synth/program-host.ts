import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { synthesisOfFolder } from "./from-files.ts";
import { appOf, synthesisOf } from "./from-run.ts";
import { receiveRuns } from "./receive-runs.ts";
import type { Synthesis, SynthRun } from "./synthesis.ts";

/** What an App of cdk8s and one of ours have. */
interface AnyApp {
  outdir: string;
  synth(): void;
}

/** Receives what the Apps of a program make while it runs in this process. */
export class ProgramHost {
  readonly #wantsOrder: boolean;
  /** Nobody else looks into it. Apps of cdk8s write to folders in it. */
  readonly #temporary: string = mkdtempSync(join(tmpdir(), "slipway-synth-"));
  /** Those folders, each with the one that the App names itself. */
  readonly #folders: Map<string, string | undefined> = new Map();
  /** By App: one that is synthesised twice replaces what it made before, as it would its files. */
  readonly #runs: Map<object, Synthesis> = new Map();

  constructor(options: { readonly wantsOrder: boolean }) {
    this.#wantsOrder = options.wantsOrder;
    receiveRuns((run) => this.#receive(run));
    process.env.CDK8S_OUTDIR = this.#addFolder(undefined);
  }

  #addFolder(named: string | undefined): string {
    const folder = join(this.#temporary, `out-${this.#folders.size}`);
    this.#folders.set(folder, named);
    return folder;
  }

  #receive(run: SynthRun): void {
    const app = appOf(run);
    const outdir = this.#folders.has(run.outdir) ? this.#folders.get(run.outdir) : resolve(run.outdir);
    this.#runs.delete(app);
    this.#runs.set(app, synthesisOf(run, outdir, this.#wantsOrder));
  }

  /**
   * What the program made. An App among its exports that it has not synthesised is synthesised first.
   * @param exports Those of its file; `undefined` when they are not known.
   */
  collect(exports: unknown): Synthesis[] {
    const written = this.#written();
    if (written.length > 0) return [...this.#runs.values(), ...written];
    for (const app of this.#pendingApps(exports)) {
      if (!this.#folders.has(app.outdir)) app.outdir = this.#addFolder(resolve(app.outdir));
      app.synth();
    }
    return [...this.#runs.values(), ...this.#written()];
  }

  /** An App that made no object cannot be recognised. */
  #pendingApps(exports: unknown): AnyApp[] {
    const apps = [...findApps(exports)];
    const isUnknown = [...this.#runs.keys()].some((app) => !isApp(app));
    return isUnknown ? [] : apps.filter((app) => !this.#runs.has(app));
  }

  #written(): Synthesis[] {
    const syntheses: Synthesis[] = [];
    for (const [folder, outdir] of this.#folders) {
      const synthesis = synthesisOfFolder(folder);
      if (synthesis !== undefined) syntheses.push({ ...synthesis, outdir });
    }
    return syntheses;
  }

  [Symbol.dispose](): void {
    rmSync(this.#temporary, { recursive: true, force: true });
  }
}

/** `export default app`, `export const app`, and what CommonJS makes of them. */
function findApps(exports: unknown): Set<AnyApp> {
  const places = [exports, member(exports, "default")];
  const inside = places.flatMap((place) => [member(place, "default"), member(place, "app")]);
  return new Set([...places, ...inside].filter(isApp));
}

function member(of: unknown, name: string): unknown {
  return typeof of === "object" && of !== null ? Reflect.get(of, name) : undefined;
}

function isApp(value: unknown): value is AnyApp {
  return ["synth", "synthYaml"].every((name) => typeof member(value, name) === "function");
}
