import { join } from 'node:path';
import type { Handoff } from '../../../attempt/handoff/handoff.js';
import { createHostHandoff } from '../../../attempt/handoff/host-handoff.js';
import { createSandboxHandoff } from '../../../attempt/handoff/sandbox-handoff.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import { openEnvironment } from '../../../operations/command/workspace-environment.js';
import type { Context } from '../../../operations/context.js';
import { taskPlace } from '../../record/task-place.js';
import { safeFileName } from './safe-file-name.js';

export interface HandoffAttempt {
  readonly taskId: string;
  readonly stage: string;
  /** From 1 on; never used twice for one stage of one task. */
  readonly attempt: number;
}

/** The handoff directory of an attempt at a stage: in the state of the task, or in the home inside a sandbox. */
export async function openHandoff(
  context: Context,
  record: WorkspaceRecord,
  { taskId, stage, attempt }: HandoffAttempt,
): Promise<Handoff> {
  const name = `${safeFileName(stage)}-${attempt}`;
  if (!record.sandbox)
    return createHostHandoff(join(taskPlace(context.places.stateDir, taskId).handoffsDir, name));
  const sandboxes = await context.sandboxes();
  const root = join(sandboxes.insideOf(record).home, '.carrel-task');
  return createSandboxHandoff(openEnvironment(context, record), {
    directory: join(root, taskId, name),
    root,
    outside: sandboxes.placeOf(record.id).home,
  });
}
