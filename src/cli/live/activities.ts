import type { LogLine } from '../../domain/log-line.js';

/** What each stage does at the moment: what its agent says that it does, or else the last line of its output. */
export interface Activities {
  readonly current: ReadonlyMap<string, string>;
  tell(stage: string, activity: string): void;
  /** Blank lines are no news. */
  print(line: LogLine): void;
}

const NO_OUTPUT: ReadonlySet<LogLine['stream']> = new Set(['carrel', 'activity']);

export function createActivities(): Activities {
  const current = new Map<string, string>();
  /** Those whose output is made for programs, not to be read. */
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
