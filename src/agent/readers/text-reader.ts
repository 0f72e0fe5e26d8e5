import { NO_USAGE } from '../../domain/agent/add-usage.js';
import type { ResultReader } from '../result-reader.js';
import { boundMessage } from '../stream/shown-text.js';

const MOST_LINES = 200;
const MOST_LINE_CHARACTERS = 4096;

/** For a program without machine-readable output: its last message is the end of its standard output. */
export function createTextReader(): ResultReader {
  let lines: string[] = [];
  return {
    readLine: line => {
      lines.push(line.slice(-MOST_LINE_CHARACTERS));
      // Cut at twice the number, so that each line is moved at most once.
      if (lines.length >= 2 * MOST_LINES) lines = lines.slice(-MOST_LINES);
    },
    readErrorLine: () => undefined,
    usage: () => NO_USAGE,
    activity: () => undefined,
    message: () => boundMessage(lines.slice(-MOST_LINES).join('\n')),
    problem: () => undefined,
  };
}
