import type { Context } from '../operations/context.js';
import type { TaskDefinition } from '../operations/define-task.js';
import { type ResolvedIsolation, resolveIsolation } from '../operations/resolve-isolation.js';
import { applyTemplate } from '../operations/settings.js';
import { listAgentChoices, listTaskCommands } from '../operations/task-commands.js';
import { isTaskTrusted, requireTaskTrust, requireTrust } from '../operations/trust.js';
import type { Repository } from '../workspace/backend.js';
import { trustDigest } from '../workspace/setup.js';

export interface Approval {
  /** The isolation that the task would have now. */
  readonly effective: ResolvedIsolation['isolation']['effective'];
  /** Whether less than what was asked for is refused. */
  readonly strict: boolean;
  /** Digest of the setup commands that the caller approves for this task alone; null when none are. */
  readonly trust: string | null;
}

/**
 * SETUP_NOT_TRUSTED or TASK_COMMANDS_NOT_TRUSTED when the repository's files would run what the user has not approved: to
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
  }: { readonly trust?: boolean | undefined; readonly strict?: boolean | undefined },
): Promise<Approval> {
  const settings = await applyTemplate(context, repository, undefined);
  const wish = { isolation: defined.isolation.mode, strict };
  const { effective } = (await resolveIsolation(context, wish, settings, 'git')).isolation;
  if (trust) return { effective, strict, trust: trustDigest(settings.repositoryCommands) };
  await requireTrust(context, repository, settings);
  const commands = listTaskCommands(defined);
  const all = [...commands, ...listAgentChoices(defined)];
  await requireTaskTrust(context, repository, effective === 'full' ? commands : all);
  const mayLoseSandbox = await isTaskTrusted(context, repository, all);
  return { effective, strict: strict || !mayLoseSandbox, trust: null };
}
