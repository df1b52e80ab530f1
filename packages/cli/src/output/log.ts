import {
  errorLogLine,
  type LogFormat,
  type RequestLog,
  requestLogLevel,
  requestLogLine,
  type ServerHost,
} from "@slipway/apiserver";
import type { CliHost } from "../host.ts";

export interface LogSettings {
  /** As `-v` of Kubernetes' components: from 3 on there is a line for each request. */
  readonly verbosity: number;
  readonly format: LogFormat;
}

export interface ServerLog {
  /** The host of the server, whose failures go to the log. */
  readonly server: ServerHost;
  /** `undefined`: requests are not logged. */
  readonly requestLog: RequestLog | undefined;
}

/** The log of a server on stderr. Unless somebody asks for a log, failures stay as the host shows them to people. */
export function serverLog({ server, stderr }: CliHost, { verbosity, format }: LogSettings): ServerLog {
  const options = () => ({ format, time: server.now(), processId: process.pid });
  const isAskedFor = verbosity > 0 || format === "json";
  return {
    server: isAskedFor
      ? { ...server, logError: (message, error) => stderr.write(errorLogLine(message, error, options())) }
      : server,
    requestLog: verbosity >= requestLogLevel ? (entry) => stderr.write(requestLogLine(entry, options())) : undefined,
  };
}
