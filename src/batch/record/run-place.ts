import { join } from 'node:path';

/** Where a batch run keeps its results. */
export interface RunPlace {
  readonly directory: string;
  /** The plan: domain/batch/batch-run.ts. */
  readonly planFile: string;
  /** One attempt per line, appended when it has finished. */
  readonly indexFile: string;
  /** Identity of the process that works on it, if any. */
  readonly ownerFile: string;
  /** The HTML report, when one was written. */
  readonly reportFile: string;
  readonly attemptsDirectory: string;
  attempt(taskId: string, attempt: number): AttemptPlace;
}

export interface AttemptPlace {
  /** Relative to the run's directory. */
  readonly relative: string;
  readonly directory: string;
  readonly patchFile: string;
  readonly logFile: string;
  readonly gradeLogFile: string;
  readonly recordFile: string;
}

const ATTEMPTS = 'attempts';

export function runPlace(directory: string): RunPlace {
  return {
    directory,
    planFile: join(directory, 'run.json'),
    indexFile: join(directory, 'index.jsonl'),
    ownerFile: join(directory, 'owner.json'),
    reportFile: join(directory, 'report.html'),
    attemptsDirectory: join(directory, ATTEMPTS),
    attempt: (taskId, attempt) => {
      const relative = join(ATTEMPTS, taskId, String(attempt));
      const own = join(directory, relative);
      return {
        relative,
        directory: own,
        patchFile: join(own, 'patch.diff'),
        logFile: join(own, 'agent.log'),
        gradeLogFile: join(own, 'grade.log'),
        recordFile: join(own, 'attempt.json'),
      };
    },
  };
}
