import type { LogLine } from '../../../domain/task/log-line.js';

/** The current activity of each stage: what its agent reports, or else the last line of its output. */
export interface Activities {
  readonly current: ReadonlyMap<string, string>;
  tell(stage: string, activity: string): void;
  /** Ignores blank lines. */
  print(line: LogLine): void;
}

const NO_OUTPUT: ReadonlySet<LogLine['stream']> = new Set(['carrel', 'activity']);

export function createActivities(): Activities {
  const current = new Map<string, string>();
  /** Stages whose output is for programs. */
  const talkative = new Set<string>();
  return {
    current,
    tell: (stage, activity) => {
      talkative.add(stage);
      current.set(stage, activity);
    },
    print: ({ stage, stream, text }) => {
      if (stage === null || talkative.has(stage) || NO_OUTPUT.has(stream) || text.trim() === '') return;
      current.set(stage, text);
    },
  };
}
