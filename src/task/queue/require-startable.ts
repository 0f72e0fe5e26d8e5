import type { Context } from '../../operations/context.js';
import { detectBackend } from '../../operations/repository/locate-repository.js';
import { applyTemplate } from '../../operations/settings/workspace-settings.js';
import { requireRoomFor } from '../../operations/space/require-capacity.js';
import type { TaskDefinition } from '../../operations/task/define-task.js';
import type { Repository } from '../../workspace/backend.js';

/**
 * What would make the task fail before its first stage is refused before the task exists, by the rules of `up`:
 * EMPTY_REPOSITORY, UNKNOWN_BASE, BRANCH_CHECKED_OUT, a limit of workspaces or disk space.
 */
export async function requireStartable(
  context: Pick<Context, 'store' | 'backends' | 'places' | 'environment' | 'loadConfig' | 'findFreeable'>,
  repository: Repository,
  { isolation }: TaskDefinition,
  { base, branch }: { readonly base?: string | undefined; readonly branch?: string | undefined },
): Promise<void> {
  if (isolation.strategy === 'none') return;
  const backend = isolation.strategy === 'directory' ? 'directory' : await detectBackend(repository.root);
  await context.backends.of(backend).resolve(repository, { base, branch, mayExist: true });
  await requireRoomFor(context, repository, await applyTemplate(context, repository, undefined));
}
