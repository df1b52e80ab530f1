import { formatGoDuration } from "./go-duration.ts";
import type { RequestLogEntry } from "./request-log.ts";

export type LogFormat = "text" | "json";

export interface LogLineOptions {
  readonly format: LogFormat;
  readonly time: Date;
  /** Stands where klog has the number of the thread. */
  readonly processId: number;
}

/** The verbosity from which on requests are logged (kube-apiserver's httplog). */
export const requestLogLevel = 3;

/**
 * A request as one line, with its newline: as klog writes it, `I0102 15:04:05.000000    1234 httplog:0] "HTTP" verb=…`, or
 * as an object in the JSON format of Kubernetes' components.
 */
export function requestLogLine(entry: RequestLogEntry, options: LogLineOptions): string {
  const values: readonly (readonly [string, string | number])[] = [
    ["verb", entry.verb],
    ["URI", entry.uri],
    ["latency", formatGoDuration(entry.latencyMs)],
    ["userAgent", entry.userAgent],
    ["audit-ID", entry.auditId],
    ["srcIP", entry.sourceAddress],
    ["resp", entry.status],
  ];
  if (options.format === "json") {
    return json({ ts: options.time.getTime(), caller: caller("httplog"), msg: "HTTP", v: requestLogLevel }, values);
  }
  const pairs = values.map(([key, value]) => `${key}=${typeof value === "number" ? value : quote(value)}`);
  return `${header("I", "httplog", options)} "HTTP" ${pairs.join(" ")}\n`;
}

/** A failure of the server as one line in the JSON format, or as a klog line with the stack under it. */
export function errorLogLine(message: string, error: unknown, options: LogLineOptions): string {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (options.format === "json") {
    return json({ ts: options.time.getTime(), caller: caller("server"), msg: message }, [["err", detail]]);
  }
  return `${header("E", "server", options)} ${quote(message)} err=${detail}\n`;
}

/** Readers of klog lines expect a file and a line; there is none to name. */
function caller(part: string): string {
  return `${part}:0`;
}

function header(severity: "E" | "I", part: string, { time, processId }: LogLineOptions): string {
  // 2026-01-02T03:04:05.678Z, of which klog shows no year, six digits of the second, and no zone.
  const text = time.toISOString();
  const date = text.slice(5, 7) + text.slice(8, 10);
  return `${severity}${date} ${text.slice(11, 23)}000 ${String(processId).padStart(7)} ${caller(part)}]`;
}

function json(
  head: Readonly<Record<string, string | number>>,
  values: readonly (readonly [string, string | number])[],
): string {
  return `${escaped(JSON.stringify({ ...head, ...Object.fromEntries(values) }))}\n`;
}

/** What JSON leaves as it is, and a terminal or a reader of lines may obey. */
const unsafe = /[\u007f-\u009f\u2028\u2029]/g;

/** In double quotes; a value can neither end its line nor look like another key. */
function quote(text: string): string {
  return escaped(JSON.stringify(text));
}

function escaped(text: string): string {
  return text.replace(unsafe, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
