/**
 * Why work ends that nobody waits for any more: what `AbortController.abort()` gives by itself, but made once. A new one
 * collects a stack trace, and where a thousand watches end at once that is most of the work.
 */
export const noLongerNeeded: DOMException = new DOMException("This operation was aborted", "AbortError");

/** An abort signal for one piece of work, and what ends it. */
export interface AbortScope {
  readonly signal: AbortSignal;
  /** Aborts the signal and lets go of its parent and its timer. Call it when the work is over, however it ended. */
  end(): void;
}

/**
 * A signal that aborts with its parent, or after `timeoutMs`, or when the work ends.
 *
 * `AbortSignal.any` and `AbortSignal.timeout` would do it in one line, but Node 20 may collect such signals as garbage
 * while somebody still waits for them, and then they never abort.
 */
export function abortScope(parent: AbortSignal | undefined, timeoutMs?: number): AbortScope {
  const controller = new AbortController();
  const end = (): void => {
    clearTimeout(timer);
    parent?.removeEventListener("abort", end);
    controller.abort(noLongerNeeded);
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs);
  parent?.addEventListener("abort", end, { once: true });
  if (parent?.aborted === true) end();
  return { signal: controller.signal, end };
}

/** Resolves after so many milliseconds, or at once when the signal aborts; it never rejects. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const scope = abortScope(signal, ms);
    scope.signal.addEventListener("abort", () => resolve(), { once: true });
    if (scope.signal.aborted) resolve();
  });
}
