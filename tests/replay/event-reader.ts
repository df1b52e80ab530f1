import { type JsonValue, parseJson } from "@slipway/objects";
import type { IncomingResponse } from "./sender.ts";

/** Reads the events of an open watch in the background. */
export class EventReader {
  readonly events: JsonValue[] = [];
  /** Resolves when the stream is over, however it ended. */
  readonly ended: Promise<void>;
  #isOver = false;
  #waiting: (() => void)[] = [];

  constructor(response: IncomingResponse) {
    this.ended = this.#read(response).finally(() => {
      this.#isOver = true;
      this.#wake();
    });
  }

  /** Resolves to whether `isEnough` holds; `false` when the stream ends or nothing comes for `quietMs`. */
  async until(isEnough: (events: readonly JsonValue[]) => boolean, quietMs: number): Promise<boolean> {
    while (!isEnough(this.events)) {
      if (this.#isOver || !(await this.#more(quietMs))) return isEnough(this.events);
    }
    return true;
  }

  async #more(quietMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), quietMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  async #read({ body }: IncomingResponse): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for await (const chunk of body) {
        rest += decoder.decode(chunk, { stream: true });
        const lines = rest.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line.trim() !== "") this.#add(line);
      }
      if (rest.trim() !== "") this.#add(rest);
    } catch {
      // A closed connection ends the stream; what came is compared.
    }
  }

  #add(line: string): void {
    try {
      this.events.push(parseJson(line));
    } catch {
      this.events.push({ type: "(no JSON)", object: line });
    }
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
