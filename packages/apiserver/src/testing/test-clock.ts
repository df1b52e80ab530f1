/** A clock that stands until a test moves it. Timers (deadlines, bookmarks) keep the time of the machine. */
export interface TestClock {
  now(): Date;
  /** Moves on by so many milliseconds. */
  advance(ms: number): void;
  /** Jumps to a time, also backwards. */
  set(time: Date): void;
}

/** @param start the time that it shows first */
export function createTestClock(start: Date): TestClock {
  let time = start.getTime();
  return {
    now: () => new Date(time),
    advance: (ms) => {
      time += ms;
    },
    set: (to) => {
      time = to.getTime();
    },
  };
}
