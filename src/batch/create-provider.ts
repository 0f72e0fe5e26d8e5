import type { AttemptIsolation } from '../domain/attempt.js';
import type { Context } from '../operations/context.js';
import type { IsolationProvider } from './isolation-provider.js';
import { createNoneProvider } from './none-provider.js';
import { narrateOnce } from './provider-context.js';
import { createSandboxProvider } from './sandbox-provider.js';
import { createWorktreeProvider } from './worktree-provider.js';

export interface ProviderRequest {
  readonly context: Context;
  readonly isolation: AttemptIsolation;
  /** How many attempts are worked on at once. */
  readonly parallelism: number;
  /** What the agent has to reach from a sandbox. Its keys are in its own call, where no grader sees them. */
  readonly needs: { readonly hosts: readonly string[] };
}

export function createIsolationProvider(request: ProviderRequest): IsolationProvider {
  const { isolation, parallelism, needs } = request;
  const context = narrateOnce(request.context);
  switch (isolation) {
    case 'worktree':
      return createWorktreeProvider(context, parallelism);
    case 'none':
      return createNoneProvider(context);
    case 'full':
    case 'docker':
      return createSandboxProvider(context, { isolation, hosts: needs.hosts });
  }
}

/** What was asked for; otherwise attempts that run at once are kept apart by worktrees, and those in a row are not. */
export function chooseAttemptIsolation(
  asked: AttemptIsolation | undefined,
  parallelism: number,
): AttemptIsolation {
  return asked ?? (parallelism > 1 ? 'worktree' : 'none');
}
