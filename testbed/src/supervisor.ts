import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { TestbedError } from "./errors.ts";

/** A program of a cluster, as it is started. */
export interface ProgramStart {
  /** Names the program, and its log. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Beside that of this process. @default nothing */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface RunningProgram {
  readonly name: string;
  readonly pid: number;
}

/** A program ended although nobody had ended it. */
export interface ProgramExit {
  readonly name: string;
  /** A signal's name, or `exit code 1`. */
  readonly reason: string;
  readonly log: string;
}

const script = join(import.meta.dirname, "..", "supervisor.mjs");
const SHOWN_LINES = 30;

type SupervisorEvent =
  | { readonly started: RunningProgram }
  | { readonly exited: { readonly name: string; readonly reason: string } };

/**
 * A process that starts programs for this one and ends them all when this one closes the pipe between them, which the
 * kernel does even for a process that is killed. It is in a session of its own: Ctrl-C in a terminal, or a signal to a
 * whole process group, reaches only this process, and the programs end in order.
 */
export class Supervisor implements AsyncDisposable {
  /** Resolves with the first program that ends before the supervisor is told to end. */
  readonly firstExit: Promise<ProgramExit>;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #gone: Promise<unknown>;
  readonly #logFolder: string;
  readonly #programs: RunningProgram[] = [];
  readonly #waiting = new Map<string, (program: RunningProgram) => void>();
  #report: (exit: ProgramExit) => void = () => {};
  #folders: readonly string[] = [];
  #isEnding = false;

  private constructor(child: ChildProcess, pid: number, logFolder: string) {
    this.#child = child;
    this.pid = pid;
    this.#logFolder = logFolder;
    this.firstExit = new Promise((resolve) => {
      this.#report = resolve;
    });
    this.#gone = once(child, "exit").then(() => this.#onGone());
    child.stdin?.on("error", () => {}); // it is gone; `#gone` tells
    if (child.stdout !== null) {
      createInterface({ input: child.stdout }).on("line", (line) => this.#onEvent(JSON.parse(line)));
    }
  }

  /** @param logFolder Is there already. Every program gets a `<name>.log` in it. */
  static async start(logFolder: string): Promise<Supervisor> {
    const child = spawn(process.execPath, [script], { detached: true, stdio: ["pipe", "pipe", "ignore"] });
    await once(child, "spawn"); // rejects when it cannot be started
    return new Supervisor(child, child.pid ?? 0, logFolder);
  }

  get programs(): readonly RunningProgram[] {
    return this.#programs;
  }

  /** Resolves when the program runs, which says nothing of its being ready. */
  start(program: ProgramStart): Promise<RunningProgram> {
    const { name, command, args } = program;
    const started = new Promise<RunningProgram>((resolve) => this.#waiting.set(name, resolve));
    this.#send({ start: { name, command, args, env: { ...process.env, ...program.env }, log: this.#logOf(name) } });
    return this.race(started);
  }

  /** What is removed when all programs have ended; replaces what was said before. */
  removeAtEnd(folders: readonly string[]): void {
    this.#folders = folders;
    this.#send({ remove: folders });
  }

  /**
   * Settles as `work` does.
   *
   * @throws {ProgramExitError} when a program ends before.
   */
  async race<T>(work: Promise<T>): Promise<T> {
    const exit = this.firstExit.then(async (program) => {
      throw new ProgramExitError(program, await readTail(program.log));
    });
    return Promise.race([work, exit]);
  }

  /** The last lines of a program's log. */
  tail(name: string): Promise<string> {
    return readTail(this.#logOf(name));
  }

  /** Ends every program, removes what `removeAtEnd` named, and waits for both. A second call waits for the first. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    this.#child.stdin?.end();
    await this.#gone;
    // Done already, unless the supervisor was killed.
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #send(command: unknown): void {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
  }

  #onEvent(event: SupervisorEvent): void {
    if ("started" in event) {
      this.#programs.push(event.started);
      this.#waiting.get(event.started.name)?.(event.started);
    } else if (!this.#isEnding) {
      this.#report({ ...event.exited, log: this.#logOf(event.exited.name) });
    }
  }

  /** Whoever killed the supervisor has kept it from its work: it is done here. */
  #onGone(): void {
    if (this.#isEnding) return;
    for (const { pid } of this.#programs) endByPid(pid);
    this.#report({ name: "supervisor", reason: "from outside", log: this.#logOf("supervisor") });
  }

  #logOf(name: string): string {
    return join(this.#logFolder, `${name}.log`);
  }
}

/** A program of a cluster ended on its own. */
export class ProgramExitError extends TestbedError {
  override readonly name = "ProgramExitError";
  readonly program: ProgramExit;
  /** The last lines of its log. */
  readonly tail: string;

  constructor(program: ProgramExit, tail: string) {
    super(`${program.name} has ended (${program.reason}). The end of ${program.log}:\n${tail}`);
    this.program = program;
    this.tail = tail;
  }
}

async function readTail(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trimEnd().split("\n").slice(-SHOWN_LINES).join("\n");
  } catch {
    return "(there is no log)";
  }
}

function endByPid(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it is gone already
  }
}
