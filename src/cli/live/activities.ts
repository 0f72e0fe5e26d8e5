import type { LogLine } from '../../task/log-line.js';

/** What each stage does at the moment: what its agent says that it does, or else the last line of its output. */
export interface Activities {
  readonly current: ReadonlyMap<string, string>;
  tell(stage: string, activity: string): void;
  /** Blank lines are no news. */
  print(line: LogLine): void;
}

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
      if (stage === null || talkative.has(stage) || stream === 'carrel' || text.trim() === '') return;
      current.set(stage, text);
    },
  };
}
