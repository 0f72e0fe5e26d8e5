import type { CarrelClient } from '../client/carrel-client.js';
import { pause } from '../client/pause.js';
import { ProblemError } from '../client/problem-error.js';
import { untilAnswered } from '../client/until-answered.js';

export interface FollowOptions {
  /** Aborted when it has taken too long. */
  readonly deadline: AbortSignal;
  /** Cancels it, too. */
  readonly signal: AbortSignal;
}

/** `forsaken`: its process died, and the server did not go on with it. */
export type WorkflowEnding = 'ended' | 'timed-out' | 'interrupted' | 'forsaken';

/** What a cancel takes at most, before the workflow is taken as it is. */
const CANCEL_MS = 60_000;

/**
 * Waits for the end of a workflow, over a server that is started again and over a process that dies, too. Whatever ends
 * the waiting before is the end of the workflow as well: it is cancelled, so that it does not go on for nobody.
 */
export async function followWorkflow(
  client: CarrelClient,
  id: string,
  { deadline, signal }: FollowOptions,
): Promise<WorkflowEnding> {
  const either = AbortSignal.any([signal, deadline]);
  const isOver = await untilOver(client, id, either);
  if (isOver) return 'ended';
  // One that has ended in the meantime is a conflict, and as good.
  await untilAnswered(() => client.tasks.cancel(id)).catch(forgiveConflict);
  await untilEnd(client, id, AbortSignal.timeout(CANCEL_MS));
  if (signal.aborted) return 'interrupted';
  return deadline.aborted ? 'timed-out' : 'forsaken';
}

/** False when it is not over: because of the signal, or because nobody works on it. */
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

/** A server looks every ten seconds for what it has accepted and nobody works on any more, and goes on with it. */
const LOOKS = 30;
const LOOK_MS = 1_000;

async function isResumed(client: CarrelClient, id: string, signal: AbortSignal): Promise<boolean> {
  for (let look = 0; look < LOOKS && !signal.aborted; look++) {
    await pause(LOOK_MS, signal);
    if (!(await isInterrupted(client, id))) return true;
  }
  return false;
}

function forgiveConflict(error: unknown): void {
  if (!(error instanceof ProblemError && error.status === 409)) throw error;
}
