import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing, isCarrelError } from '../../domain/error.js';
import { type JoinedEnds, joinProcesses } from '../../exec/join-processes.js';
import type { ProgramEnds } from '../../exec/run.js';
import type { Git } from '../../git/git.js';
import { INSIDE } from '../../runtime/policy.js';
import type { Sandbox, SandboxResult } from '../../runtime/runtime.js';
import { readGitComplaints } from './git-complaints.js';
import type { IncomingRepository } from './incoming-repository.js';

export interface PushRequest {
  readonly git: Git;
  readonly exec: Sandbox['exec'];
  /** What is pushed, as git inside calls it. */
  readonly source: string;
  readonly signal: AbortSignal;
}

/** What stands in the incoming repository afterwards, and what was said about it. */
export interface PushResult {
  /** Undefined when the ref is not there. */
  readonly tip: string | undefined;
  readonly problems: readonly string[];
}

/**
 * Has git inside push into the incoming repository. Whether it did, and what, is read from the repository alone: nothing
 * that comes from inside is believed.
 */
export async function receivePush(request: PushRequest, incoming: IncomingRepository): Promise<PushResult> {
  const [isReceived, pushed] = await joinProcesses(
    (onEnds, signal) => receive(request, incoming, onEnds, signal),
    (ends, signal) => push(request, incoming.ref, ends, signal),
  );
  const tip = (await readFile(join(incoming.gitDir, incoming.ref), 'utf8').catch(ignoreMissing))?.trim();
  return { tip, problems: await describeProblems(incoming, isReceived, pushed) };
}

/** False when git refused what it got, or got nothing that makes sense to it. */
async function receive(
  { git, signal }: PushRequest,
  { gitDir, options, traceFile }: IncomingRepository,
  onEnds: (ends: ProgramEnds) => void,
  given: AbortSignal,
): Promise<boolean> {
  const env = { ...options.env, GIT_TRACE2_EVENT: traceFile };
  const limit = AbortSignal.any([signal, given]);
  try {
    await git.run(['receive-pack', gitDir], { ...options, env, join: onEnds, signal: limit });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (given.aborted || isCarrelError(error, 'GIT_FAILED')) return false;
    throw error;
  }
}

/**
 * The pipes are moved to other numbers, because git and its helpers write to the usual ones. Hooks of the agent's have
 * no say in this; whatever else it has set up for pushing harms itself alone.
 */
const SCRIPT = `exec 3<&0 4>&1 0</dev/null 1>&2
exec git -c protocol.fd.allow=always -c core.hooksPath=/dev/null -c core.bigFileThreshold=1m \
-c push.recurseSubmodules=no -c push.followTags=false -c push.gpgSign=false \
push --quiet fd::3,4 "+$1:$2"`;

function push(
  { exec, source, signal }: PushRequest,
  ref: string,
  { stdin, output }: JoinedEnds,
  given: AbortSignal,
): Promise<SandboxResult> {
  return exec({
    command: ['sh', '-c', SCRIPT, 'carrel', source, ref],
    environment: { GIT_DIR: INSIDE.git, GIT_TERMINAL_PROMPT: '0' },
    stdin,
    output,
    signal: AbortSignal.any([signal, given]),
    maxOutputBytes: 64 * 1024,
  });
}

async function describeProblems(
  incoming: IncomingRepository,
  isReceived: boolean,
  pushed: SandboxResult | undefined,
): Promise<string[]> {
  const complaints = await readGitComplaints(incoming.traceFile);
  if (complaints.length > 0) return [`git refused them: ${complaints.join(', ')}`];
  if (!isReceived) return ['git could make no sense of what came from inside'];
  if (pushed?.exitCode === 0) return [];
  return [`git push inside ended with ${pushed?.signal ?? `status ${pushed?.exitCode}`}`];
}
