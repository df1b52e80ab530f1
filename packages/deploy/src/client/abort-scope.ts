/** An abort signal for one piece of work, and what ends it. */
export interface AbortScope {
  readonly signal: AbortSignal;
  /** Aborts the signal and lets go of its parent. Call it when the work is over, however it ended. */
  end(): void;
}

interface Following {
  readonly followers: Set<() => void>;
  readonly stop: () => void;
}

/**
 * Signals that abort with a parent, for the same reason, or when their work ends.
 *
 * `AbortSignal.any` would do it in one line, but Node 20 may collect such signals as garbage while somebody still waits
 * for them, and then they never abort. And however many scopes follow one parent, it gets one listener: at the eleventh
 * Node warns of a leak, and one signal for a whole program is usual.
 */
export class AbortScopes {
  readonly #followings = new WeakMap<AbortSignal, Following>();

  open(parent: AbortSignal | undefined): AbortScope {
    const controller = new AbortController();
    const { signal } = controller;
    if (parent === undefined) return { signal, end: () => controller.abort() };
    const follow = (): void => controller.abort(parent.reason);
    if (parent.aborted) follow();
    else this.#following(parent).followers.add(follow);
    return {
      signal,
      end: () => {
        this.#leave(parent, follow);
        controller.abort();
      },
    };
  }

  #following(parent: AbortSignal): Following {
    const known = this.#followings.get(parent);
    if (known !== undefined) return known;
    const followers = new Set<() => void>();
    const tell = (): void => {
      for (const follow of followers) follow();
    };
    parent.addEventListener("abort", tell, { once: true });
    const following = { followers, stop: () => parent.removeEventListener("abort", tell) };
    this.#followings.set(parent, following);
    return following;
  }

  #leave(parent: AbortSignal, follow: () => void): void {
    const following = this.#followings.get(parent);
    if (following?.followers.delete(follow) !== true || following.followers.size > 0) return;
    following.stop();
    this.#followings.delete(parent);
  }
}

/** As `work`, but rejects with the signal's reason when that comes first; the work itself goes on for others. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let refuse: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    refuse = () => reject(signal.reason);
    signal.addEventListener("abort", refuse, { once: true });
    if (signal.aborted) refuse();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", refuse);
  }
}
