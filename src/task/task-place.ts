import { join } from 'node:path';

/** Where the files of a task are, in Carrel's state; they stay until the task is forgotten. */
export interface TaskPlace {
  readonly directory: string;
  /** JSON Lines; see log-line.ts. */
  readonly logFile: string;
  /** What stages have handed on: `outputs/STAGE/FILE`. */
  readonly outputsDir: string;
  /** Prompts, inputs and outputs of attempts that run outside of a sandbox. */
  readonly desksDir: string;
}

export function taskPlace(stateDir: string, taskId: string): TaskPlace {
  const directory = join(stateDir, 'tasks', taskId);
  return {
    directory,
    logFile: join(directory, 'log.jsonl'),
    outputsDir: join(directory, 'outputs'),
    desksDir: join(directory, 'desks'),
  };
}
