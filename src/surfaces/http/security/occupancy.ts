/** Limits how many of something exist at once. */
export interface Occupancy {
  readonly count: number;
  /** Undefined at the limit; otherwise a function to call at the end, once or more often. */
  enter(): (() => void) | undefined;
  /** Resolves when there are none left. */
  whenEmpty(): Promise<void>;
}

export function createOccupancy(most = Number.POSITIVE_INFINITY): Occupancy {
  const present = new Set<object>();
  let waiting: (() => void)[] = [];
  const leave = (one: object) => {
    present.delete(one);
    if (present.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  return {
    get count() {
      return present.size;
    },
    enter() {
      if (present.size >= most) return undefined;
      const one = {};
      present.add(one);
      return () => leave(one);
    },
    whenEmpty: () =>
      present.size === 0 ? Promise.resolve() : new Promise<void>(resolve => void waiting.push(resolve)),
  };
}
