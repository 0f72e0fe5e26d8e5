import type { LogLine } from '../../../../src/domain/task/log-line.js';

/** A log line as shown; a line that is not from a task has no time and no stage. */
export interface ShownLine extends Pick<LogLine, 'stage' | 'attempt' | 'stream' | 'isForPrograms'> {
  readonly at: string | null;
  readonly text: string;
}
