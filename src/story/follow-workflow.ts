import type { CarrelClient } from '../surfaces/client/carrel-client.js';
import { pause } from '../surfaces/client/pause.js';
import { ProblemError } from '../surfaces/client/problem-error.js';
import { untilAnswered } from '../surfaces/client/until-answered.js';

export interface FollowOptions {
  /** Aborted at the time limit. */
  readonly deadline: AbortSignal;
  /** Also cancels the workflow. */
  readonly signal: AbortSignal;
}

/** `forsaken`: its process died, and the server did not resume it. */
export type WorkflowEnding = 'ended' | 'timed-out' | 'interrupted' | 'forsaken';

/** How long to wait for a cancel before the workflow is reported as it is. */
const CANCEL_MS = 60_000;

/**
 * Waits for the end of a workflow, even if the server restarts or its process dies. When waiting stops earlier, the
 * workflow is cancelled, so that it does not keep running unattended.
 */
export async function followWorkflow(
  client: CarrelClient,
  id: string,
  { deadline, signal }: FollowOptions,
): Promise<WorkflowEnding> {
  const either = AbortSignal.any([signal, deadline]);
  const isOver = await untilOver(client, id, either);
  if (isOver) return 'ended';
  // A conflict means that it has ended in the meantime, which is fine.
  await untilAnswered(() => client.tasks.cancel(id)).catch(ignoreConflict);
  await untilEnd(client, id, AbortSignal.timeout(CANCEL_MS));
  if (signal.aborted) return 'interrupted';
  return deadline.aborted ? 'timed-out' : 'forsaken';
}

/** False when it has not ended: because of the signal, or because no process works on it. */
async function untilOver(client: CarrelClient, id: string, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    await untilEnd(client, id, signal);
    if (signal.aborted) return false;
    if (!(await isInterrupted(client, id))) return true;
    if (!(await isResumed(client, id, signal))) return false;
  }
}

async function untilEnd(client: CarrelClient, taskId: string, signal: AbortSignal): Promise<void> {
  for await (const _ of client.events({ taskId, signal }));
}

async function isInterrupted(client: CarrelClient, id: string): Promise<boolean> {
  const { status } = await untilAnswered(() => client.developer.show(id));
  return status === 'interrupted';
}

/** Every ten seconds a server looks for accepted workflows that no process works on, and resumes them. */
const LOOKS = 30;
const LOOK_MS = 1_000;

async function isResumed(client: CarrelClient, id: string, signal: AbortSignal): Promise<boolean> {
  for (let look = 0; look < LOOKS && !signal.aborted; look++) {
    await pause(LOOK_MS, signal);
    if (!(await isInterrupted(client, id))) return true;
  }
  return false;
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof ProblemError && error.status === 409)) throw error;
}
