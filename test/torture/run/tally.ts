/** What was done in a run, for its last lines. */
export interface Tally {
  readonly operations: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  /** The latest undisturbed duration of each operation. */
  readonly durations: ReadonlyMap<string, number>;
  readonly steps: number;
  readonly missed: number;
  readonly skips: number;
  readonly restored: number;
  did(operation: string): void;
  took(operation: string, durationMs: number, measure: 'measure' | undefined): void;
  suffered(fault: string, inTime: boolean): void;
  skipped(): void;
  checkedSnapshot(): void;
}

export function createTally(): Tally {
  const operations: Record<string, number> = {};
  const faults: Record<string, number> = {};
  const durations = new Map<string, number>();
  const counts = { steps: 0, missed: 0, skips: 0, restored: 0 };
  const did = (operation: string) => {
    counts.steps++;
    operations[operation] = (operations[operation] ?? 0) + 1;
  };
  return {
    ...{ operations, faults, durations, did },
    get steps() {
      return counts.steps;
    },
    get missed() {
      return counts.missed;
    },
    get skips() {
      return counts.skips;
    },
    get restored() {
      return counts.restored;
    },
    took: (operation, durationMs, measure) => {
      did(operation);
      if (measure) durations.set(operation, durationMs);
    },
    suffered: (fault, inTime) => {
      if (inTime) faults[fault] = (faults[fault] ?? 0) + 1;
      else counts.missed++;
    },
    skipped: () => void counts.skips++,
    checkedSnapshot: () => void counts.restored++,
  };
}
