import { isJsonObject, type JsonObject, JsonSyntaxError, type JsonValue, parseJson } from "@slipway/objects";
import { noUsableAnswer } from "./errors.ts";

/** One line of a watch, not looked into yet. */
export interface RawEvent {
  readonly type: string;
  readonly object: JsonObject;
}

export interface DecodeOptions {
  /** A longer line ends the watch. */
  readonly maxLineBytes: number;
}

/**
 * The events in the bytes of a watch, however they are cut into chunks. A line is a JSON object and ends with `\n` and
 * nothing else: U+2028 is an ordinary character of a string. Text after the last `\n` is a line too, if it is whole.
 *
 * @throws {SlipwayError} `READ_FAILED` for a line that is too long, is no event, or is cut off.
 */
export async function* decodeEvents(
  chunks: AsyncIterable<Uint8Array>,
  { maxLineBytes }: DecodeOptions,
): AsyncGenerator<RawEvent> {
  const lines = new LineSplitter(maxLineBytes);
  for await (const chunk of chunks) {
    for (const line of lines.push(chunk)) {
      if (!isBlank(line)) yield parseEvent(line);
    }
  }
  const rest = lines.rest();
  if (!isBlank(rest)) yield parseEvent(rest);
}

const NEWLINE = 0x0a;

/** Splits at the byte of `\n`, which is in no character of UTF-8 but itself, so that no character is ever cut. */
class LineSplitter {
  readonly #maxBytes: number;
  /** What has come of the present line. */
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *push(chunk: Uint8Array): Generator<Uint8Array> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      this.#keep(chunk.subarray(start, end === -1 ? chunk.length : end));
      if (end === -1) return;
      yield this.rest();
      start = end + 1;
    }
  }

  /** What is left of the present line; the next one begins. */
  rest(): Uint8Array {
    const [only = new Uint8Array(), ...others] = this.#parts;
    const line = others.length === 0 ? only : joined(this.#parts, this.#bytes);
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }

  #keep(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) {
      throw noUsableAnswer(`an event of the watch is larger than ${this.#maxBytes} bytes. Raise the client's limit.`);
    }
    if (part.length > 0) this.#parts.push(part);
  }
}

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** Spaces, tabs and carriage returns only. */
function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

function parseEvent(line: Uint8Array): RawEvent {
  const value = parseLine(line);
  if (isJsonObject(value) && typeof value.type === "string" && isJsonObject(value.object)) {
    return { type: value.type, object: value.object };
  }
  throw noUsableAnswer("a line of the watch is no event. Check that the server is a Kubernetes API server.");
}

function parseLine(line: Uint8Array): JsonValue {
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(line));
  } catch (cause) {
    const reason = cause instanceof JsonSyntaxError ? cause.message : "not UTF-8";
    throw noUsableAnswer(`a line of the watch cannot be read, or was cut off: ${reason}. Watch again.`, { cause });
  }
}
