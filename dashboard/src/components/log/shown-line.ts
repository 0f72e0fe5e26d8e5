import type { LogLine } from '../../../../src/domain/log-line.js';

/** A line of a log as it is shown; one that is no line of a task has no time and no stage. */
export interface ShownLine extends Pick<LogLine, 'stage' | 'attempt' | 'stream' | 'isForPrograms'> {
  readonly at: string | null;
  readonly text: string;
}
