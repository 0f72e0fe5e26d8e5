import { join } from 'node:path';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Context } from '../operations/context.js';
import { INSIDE } from '../runtime/policy.js';
import { createHostDesk } from './host-desk.js';
import { createInsideDesk } from './inside-desk.js';
import { safeFileName } from './safe-file-name.js';
import { taskPlace } from './task-place.js';

/**
 * What one attempt is handed and hands back, outside of the working tree. On the host it lies in Carrel's state; in a
 * sandbox in the private home, where only commands that run inside touch it: what the agent can write, the host does not.
 */
export interface Desk {
  /** Absolute paths as the agent sees them. */
  readonly seen: SeenDesk;
  /**
   * Makes the desk anew with these files, by path relative to it: `prompt.md`, `inputs/plan.md`, `files/settings.json`.
   * Whatever lay there is gone. UNSAFE_PATH, DISK_FULL, SANDBOX_REFUSED.
   */
  place(files: ReadonlyMap<string, Buffer>): Promise<void>;
  /** What the agent has left in the output directory, within limits (see output-allowance.ts). */
  collect(): Promise<Collected>;
  /** Idempotent; what can't be removed stays until the task is forgotten. */
  clear(): Promise<void>;
}

export interface SeenDesk {
  readonly promptFile: string;
  readonly inputDir: string;
  readonly outputDir: string;
  readonly filesDir: string;
}

export interface Collected {
  readonly files: readonly CollectedFile[];
  /** What was left out, and why. */
  readonly warnings: readonly string[];
}

export interface CollectedFile {
  /** Relative, with `/`, of plain names only. */
  readonly path: string;
  readonly content: Buffer;
}

export interface DeskAttempt {
  readonly taskId: string;
  readonly stage: string;
  /** From 1 on; never used twice for one stage of one task. */
  readonly attempt: number;
}

export function openDesk(
  context: Context,
  record: WorkspaceRecord,
  { taskId, stage, attempt }: DeskAttempt,
): Desk {
  const name = `${safeFileName(stage)}-${attempt}`;
  return record.sandbox
    ? createInsideDesk(context, record, join(INSIDE.home, '.carrel-task', taskId, name))
    : createHostDesk(join(taskPlace(context.places.stateDir, taskId).desksDir, name));
}
