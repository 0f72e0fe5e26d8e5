import type { Context } from '../../operations/context.js';
import { type ResolvedIsolation, resolveIsolation } from '../../operations/settings/resolve-isolation.js';
import { applyTemplate } from '../../operations/settings/workspace-settings.js';
import type { TaskDefinition } from '../../operations/task/define-task.js';
import { listAgentChoices, listTaskCommands } from '../../operations/task/task-commands.js';
import {
  digestSetup,
  findBaseCommit,
  isTaskTrusted,
  pinTaskCommands,
  requireTaskTrust,
  requireTrust,
} from '../../operations/trust/trust.js';
import type { Repository } from '../../workspace/backend.js';

export interface Approval {
  /** The isolation that the task would have now. */
  readonly effective: ResolvedIsolation['isolation']['effective'];
  /** Whether less isolation than requested is refused. */
  readonly strict: boolean;
  /** Digest of the setup commands that the caller approves only for this task; null for none. */
  readonly trust: string | null;
}

/**
 * SETUP_NOT_TRUSTED or TASK_COMMANDS_NOT_TRUSTED when the repository's files would run commands that the user has not approved: to
 * set the workspace up, and in the stages. Which of the user's agents they choose needs no approval inside a sandbox; the
 * task must not lose that sandbox then. ISOLATION_UNAVAILABLE.
 */
export async function approveTask(
  context: Context,
  repository: Repository,
  defined: TaskDefinition,
  {
    trust = false,
    strict = false,
    base: ref,
    fleet,
  }: {
    readonly trust?: boolean | undefined;
    readonly strict?: boolean | undefined;
    readonly base?: string | undefined;
    /** A worker has the requested isolation, or does not begin. */
    readonly fleet?: object | undefined;
  },
): Promise<Approval> {
  const settings = await applyTemplate(context, repository, undefined);
  const { mode: isolation, askedBy } = defined.isolation;
  const request = { isolation, askedBy, strict };
  const effective = fleet
    ? isolation
    : (await resolveIsolation(context, request, settings, 'git')).isolation.effective;
  const commit = await findBaseCommit(context, repository, ref);
  const place = { ref, commit, isSandboxed: effective === 'full' };
  if (trust) return { effective, strict, trust: await digestSetup(context, repository, settings, place) };
  await requireTrust(context, repository, settings, place);
  const pin = (lines: readonly string[]) => pinTaskCommands(context, repository, lines, commit);
  const commands = await pin(listTaskCommands(defined));
  const all = [...commands, ...(await pin(listAgentChoices(defined)))];
  await requireTaskTrust(context, repository, effective === 'full' ? commands : all);
  const mayLoseSandbox = await isTaskTrusted(context, repository, all);
  return { effective, strict: strict || !mayLoseSandbox, trust: null };
}
