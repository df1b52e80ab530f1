/** Numbers that a seed decides. */
export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  /** An integer from 0 to below `limit`. */
  below(limit: number): number;
  /** True once in `times`. */
  once(times: number): boolean;
  pick<T>(values: readonly [T, ...T[]]): T;
}

/** Mulberry32: small, and good enough to choose what happens next. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    once: (times) => below(times) === 0,
    pick: (values) => values[below(values.length)] ?? values[0],
  };
}
