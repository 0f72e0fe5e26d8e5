import { carrelError } from '../../domain/error/error.js';

/** Budget for inspecting files that an agent has written. */
export interface InspectionBudget {
  /** Files and directories. */
  readonly entries: number;
  readonly milliseconds: number;
}

/** Ten times the largest repositories that are worked on; a tree of that many files takes half a minute. */
export const INSPECTION_BUDGET: InspectionBudget = { entries: 5_000_000, milliseconds: 60_000 };

/** Counts the cost of an inspection. LOOK_TOO_LARGE above its budget. */
export interface InspectionMeter {
  count(entries: number): void;
}

/** `now` returns milliseconds. */
export function createInspectionMeter(
  path: string,
  budget: InspectionBudget,
  now = () => performance.now(),
): InspectionMeter {
  const deadline = now() + budget.milliseconds;
  let left = budget.entries;
  return {
    count: entries => {
      left -= entries;
      if (left < 0) throw giveUp(path, `it has more than ${budget.entries} files and directories`);
      if (now() > deadline) throw giveUp(path, `it took more than ${budget.milliseconds / 1000} seconds`);
    },
  };
}

const giveUp = (path: string, problem: string) => carrelError('LOOK_TOO_LARGE', { path, problem });
