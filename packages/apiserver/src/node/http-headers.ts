import type { ApiResponse } from "../request.ts";

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** Control characters other than tab: they would end the line, or the message. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what is looked for
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is a range that begins with them
const NOT_ASCII = /[^\x00-\x7f]/;

/** They speak about one HTTP/1.1 connection, and HTTP/2 forbids them. @see RFC 9113, section 8.2.2 */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

export type WireHeaders = Record<string, string | string[]>;

/**
 * Node's raw list of names and values as a map without prototype: lower-case names, lines of one name joined with `, `,
 * pseudo headers left out (`:authority` stands in for a missing `host`), and values read as UTF-8 where they are UTF-8.
 */
export function readHeaders(raw: readonly string[]): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = Object.create(null);
  let authority: string | undefined;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] as string).toLowerCase();
    const value = decodeHeaderValue(raw[index + 1] as string);
    if (name === ":authority") authority = value;
    if (name.startsWith(":")) continue;
    const earlier = headers[name];
    headers[name] = earlier === undefined ? value : `${earlier}, ${value}`;
  }
  if (authority !== undefined) headers.host ??= authority;
  return headers;
}

/**
 * The headers of an answer as Node writes them: one character for each byte, text outside ASCII as UTF-8. What is about
 * the connection and the length of the body is left out: the listener decides it.
 *
 * @throws {TypeError} when a name is no token or a value holds a control character.
 */
export function formatHeaders(headers: ApiResponse["headers"]): WireHeaders {
  const result: WireHeaders = Object.create(null);
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase();
    if (!TOKEN.test(name)) throw new TypeError(`header ${JSON.stringify(given)}: the name is not a token`);
    if (CONNECTION_HEADERS.has(name) || name === "content-length") continue;
    result[name] =
      typeof value === "string" ? encodeHeaderValue(name, value) : value.map((v) => encodeHeaderValue(name, v));
  }
  return result;
}

function encodeHeaderValue(name: string, value: string): string {
  if (CONTROL.test(value)) throw new TypeError(`header ${name}: the value has a control character`);
  return NOT_ASCII.test(value) ? Buffer.from(value, "utf8").toString("latin1") : value;
}

function decodeHeaderValue(value: string): string {
  if (!NOT_ASCII.test(value)) return value;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}
