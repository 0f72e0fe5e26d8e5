/** One line of a task's log, as it is kept on disk (JSON Lines) and shown. */
export interface LogLine {
  readonly at: string;
  /** Null for what is about the task as a whole. */
  readonly stage: string | null;
  /** From 1 on; 0 for what is about no attempt. */
  readonly attempt: number;
  /** `carrel` tells what Carrel does; the others are what a command printed. */
  readonly stream: 'stdout' | 'stderr' | 'carrel';
  /** Without the line's end. May hold control characters: whoever shows it takes them out. */
  readonly text: string;
}
