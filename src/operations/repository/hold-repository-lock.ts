import { createId } from '../../domain/id.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { findOwnerState } from '../../exec/process/identify-process.js';
import { type RepositoryLockOptions, withRepositoryLock } from '../../store/lock-repository.js';
import type { Context } from '../context.js';

/** Runs `action` while no other Carrel process changes worktrees, branches or refs of the repository. */
export function inRepositoryLock<T>(
  context: Pick<Context, 'store' | 'ids' | 'now' | 'self'>,
  { repositoryId, repository }: Pick<WorkspaceRecord, 'repositoryId' | 'repository'>,
  action: () => Promise<T>,
  waiting: Pick<RepositoryLockOptions, 'signal' | 'timeoutMs'> = {},
): Promise<T> {
  const { store, self, now, ids } = context;
  const createToken = () => createId('lease', ids);
  return withRepositoryLock(
    {
      store,
      repositoryId,
      repositoryName: repository,
      owner: self,
      isAlive: findOwnerState,
      createToken,
      now,
      ...waiting,
    },
    action,
  );
}
