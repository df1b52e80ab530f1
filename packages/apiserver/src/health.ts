import { byCodeUnit } from "@slipway/objects";
import type { ApiResponse } from "./request.ts";

/** Rejects when the check fails; the reason goes to the log, never to the client. */
export interface HealthCheck {
  readonly name: string;
  readonly check: () => Promise<void>;
  /** Where it counts. @default everywhere */
  readonly endpoints?: readonly HealthEndpoint[] | undefined;
  /** A failure is no news: it is not logged. @default false */
  readonly isQuiet?: boolean | undefined;
}

export type HealthEndpoint = "healthz" | "livez" | "readyz";

const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };

/**
 * `ok`, or a line per check when one fails or `?verbose` asks. `exclude` leaves checks out.
 * @see Kubernetes, apiserver's healthz handlers
 */
export async function healthResponse(
  endpoint: HealthEndpoint,
  checks: readonly HealthCheck[],
  query: URLSearchParams,
  logError: (message: string, error: unknown) => void,
): Promise<ApiResponse> {
  const excluded = new Set(query.getAll("exclude"));
  const lines: string[] = [];
  let failed = false;
  for (const { name, check, isQuiet = false } of checks) {
    if (excluded.delete(name)) {
      lines.push(`[+]${name} excluded: ok`);
      continue;
    }
    try {
      await check();
      lines.push(`[+]${name} ok`);
    } catch (error) {
      failed = true;
      lines.push(`[-]${name} failed: reason withheld`);
      if (!isQuiet) logError(`${endpoint} check ${name}`, error);
    }
  }
  if (excluded.size > 0) {
    const names = [...excluded].sort(byCodeUnit).map((name) => JSON.stringify(name));
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names.join(",")}`);
  }
  if (failed) return { status: 500, headers, body: `${lines.join("\n")}\n${endpoint} check failed\n` };
  const body = query.has("verbose") ? `${lines.join("\n")}\n${endpoint} check passed\n` : "ok";
  return { status: 200, headers, body };
}

/** One check by its path, such as `/readyz/storage`. */
export async function singleHealthResponse(
  { name, check, isQuiet = false }: HealthCheck,
  logError: (message: string, error: unknown) => void,
): Promise<ApiResponse> {
  try {
    await check();
    return { status: 200, headers: { "content-type": headers["content-type"] }, body: "ok" };
  } catch (error) {
    if (!isQuiet) logError(`health check ${name}`, error);
    return { status: 500, headers, body: "internal server error: reason withheld\n" };
  }
}
