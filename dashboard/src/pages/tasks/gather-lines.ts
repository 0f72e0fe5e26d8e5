import type { LogLine } from '../../../../src/domain/log-line.js';

/** The page is drawn once for all lines that come in this time. */
const GATHER_MS = 100;

/** Lines that come one by one, handed on in bunches. */
export interface GatheredLines {
  add(line: LogLine): void;
  /** How many wait to be handed on. */
  count(): number;
  deliver(): void;
  /** What waits is dropped. */
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
