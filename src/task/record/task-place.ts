import { join } from 'node:path';

/** Paths of a task's files in Carrel's state; they stay until the task is forgotten. */
export interface TaskPlace {
  readonly directory: string;
  /** JSON Lines; see log-line.ts. */
  readonly logFile: string;
  /** Outputs of stages: `outputs/STAGE/FILE`. */
  readonly outputsDir: string;
  /** Prompts, inputs and outputs of attempts that run outside a sandbox. */
  readonly handoffsDir: string;
}

export function taskPlace(stateDir: string, taskId: string): TaskPlace {
  const directory = join(stateDir, 'tasks', taskId);
  return {
    directory,
    logFile: join(directory, 'log.jsonl'),
    outputsDir: join(directory, 'outputs'),
    handoffsDir: join(directory, 'desks'),
  };
}
