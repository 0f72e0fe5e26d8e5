import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandResult } from '../../domain/command/command.js';
import { ignoreMissing, isCarrelError } from '../../domain/error/error.js';
import { type JoinedEnds, joinProcesses } from '../../exec/child/join-processes.js';
import type { ProgramEnds } from '../../exec/run-process.js';
import type { Git } from '../../git/git.js';
import { INSIDE } from '../../runtime/policy.js';
import type { Sandbox } from '../../runtime/runtime.js';
import { readGitComplaints } from './git-complaints.js';
import type { IncomingRepository } from './incoming-repository.js';

export interface PushRequest {
  readonly git: Git;
  readonly run: Sandbox['run'];
  /** What is pushed, as git inside calls it. */
  readonly source: string;
  readonly signal: AbortSignal;
}

/** The result in the incoming repository, and the problems. */
export interface PushResult {
  /** Undefined when the ref does not exist. */
  readonly tip: string | undefined;
  readonly problems: readonly string[];
}

/**
 * Makes git inside push into the incoming repository. The result is read from the repository alone: nothing that the
 * sandbox reports is trusted.
 */
export async function receivePush(request: PushRequest, incoming: IncomingRepository): Promise<PushResult> {
  const [isReceived, pushed] = await joinProcesses(
    (onEnds, signal) => receive(request, incoming, onEnds, signal),
    (ends, signal) => push(request, incoming.ref, ends, signal),
  );
  const tip = (await readFile(join(incoming.gitDir, incoming.ref), 'utf8').catch(ignoreMissing))?.trim();
  return { tip, problems: await describeProblems(incoming, isReceived, pushed) };
}

/** False when git refused the input or could not parse it. */
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
 * The pipes are moved to other descriptors, because git and its helpers write to the usual ones. The agent's hooks don't
 * run; its other push settings harm only itself.
 */
const SCRIPT = `exec 3<&0 4>&1 0</dev/null 1>&2
exec git -c protocol.fd.allow=always -c core.hooksPath=/dev/null -c core.bigFileThreshold=1m \
-c push.recurseSubmodules=no -c push.followTags=false -c push.gpgSign=false \
push --quiet fd::3,4 "+$1:$2"`;

function push(
  { run, source, signal }: PushRequest,
  ref: string,
  { stdin, output }: JoinedEnds,
  given: AbortSignal,
): Promise<CommandResult> {
  return run({
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
  pushed: CommandResult | undefined,
): Promise<string[]> {
  const complaints = await readGitComplaints(incoming.traceFile);
  if (complaints.length > 0) return [`git refused them: ${complaints.join(', ')}`];
  if (!isReceived) return ['git could not read what the sandbox sent'];
  if (pushed?.exitCode === 0) return [];
  return [`git push inside ended with ${pushed?.signal ?? `status ${pushed?.exitCode}`}`];
}
