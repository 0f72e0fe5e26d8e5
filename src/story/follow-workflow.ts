import type { CarrelClient } from '../client/carrel-client.js';
import { ProblemError } from '../client/problem-error.js';

export interface FollowOptions {
  /** Aborted when it has taken too long. */
  readonly deadline: AbortSignal;
  /** Cancels it, too. */
  readonly signal: AbortSignal;
}

/** What a cancel takes at most, before the workflow is taken as it is. */
const CANCEL_MS = 60_000;

/** Waits for the end of a workflow, over a server that is started again, too; one that takes too long is cancelled. */
export async function followWorkflow(
  client: CarrelClient,
  id: string,
  { deadline, signal }: FollowOptions,
): Promise<'ended' | 'timed-out' | 'interrupted'> {
  const either = AbortSignal.any([signal, deadline]);
  await untilEnd(client, id, either);
  if (!either.aborted) return 'ended';
  // One that has ended in the meantime is a conflict, and as good.
  await client.tasks.cancel(id).catch(forgiveConflict);
  await untilEnd(client, id, AbortSignal.timeout(CANCEL_MS));
  return signal.aborted ? 'interrupted' : 'timed-out';
}

async function untilEnd(client: CarrelClient, taskId: string, signal: AbortSignal): Promise<void> {
  for await (const _ of client.events({ taskId, signal }));
}

function forgiveConflict(error: unknown): void {
  if (!(error instanceof ProblemError && error.status === 409)) throw error;
}
