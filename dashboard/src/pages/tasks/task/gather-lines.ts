import type { LogLine } from '../../../../../src/domain/task/log-line.js';

/** The page renders once for all lines that arrive in this time. */
const GATHER_MS = 100;

/** Collects single lines and passes them on in batches. */
export interface GatheredLines {
  add(line: LogLine): void;
  /** How many lines are waiting. */
  count(): number;
  deliver(): void;
  /** Drops the waiting lines. */
  close(): void;
}

export function gatherLines(handOn: (lines: readonly LogLine[]) => void): GatheredLines {
  let waiting: LogLine[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deliver = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length > 0) handOn(waiting);
    waiting = [];
  };
  return {
    add(line) {
      waiting.push(line);
      timer ??= setTimeout(deliver, GATHER_MS);
    },
    count: () => waiting.length,
    deliver,
    close: () => clearTimeout(timer),
  };
}
