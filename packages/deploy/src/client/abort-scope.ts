/** An abort signal for one piece of work, and what ends it. */
export interface AbortScope {
  readonly signal: AbortSignal;
  /** Aborts the signal and lets go of its parent. Call it when the work is over, however it ended. */
  end(): void;
}

/**
 * A signal that aborts with its parent, for the same reason, or when the work ends.
 *
 * `AbortSignal.any` would do it in one line, but Node 20 may collect such signals as garbage while somebody still waits
 * for them, and then they never abort.
 */
export function abortScope(parent: AbortSignal | undefined): AbortScope {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent?.reason);
  parent?.addEventListener("abort", follow, { once: true });
  if (parent?.aborted === true) follow();
  return {
    signal: controller.signal,
    end: () => {
      parent?.removeEventListener("abort", follow);
      controller.abort();
    },
  };
}

/** As `work`, but rejects with the signal's reason when that comes first; the work itself goes on for others. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const scope = abortScope(signal);
  const aborted = new Promise<never>((_, reject) => {
    const refuse = (): void => reject(scope.signal.reason);
    scope.signal.addEventListener("abort", refuse, { once: true });
    if (scope.signal.aborted) refuse();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    aborted.catch(() => {}); // ending the scope rejects it as well
    scope.end();
  }
}
