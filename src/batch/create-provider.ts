import type { AttemptIsolation } from '../domain/batch/attempt.js';
import type { Context } from '../operations/context.js';
import type { SealBase } from './base/provider-bases.js';
import type { IsolationProvider } from './isolation-provider.js';
import { openNoneKind } from './provider/none-provider.js';
import { narrateOnce } from './provider/provider-context.js';
import { ProviderLifecycle } from './provider/provider-lifecycle.js';
import { openSandboxKind } from './provider/sandbox-provider.js';
import type { ProviderKind } from './provider/workspace-maker.js';
import { openWorktreeKind } from './provider/worktree-provider.js';

/** Which isolation provider to create, and for how many attempts at once. */
export interface ProviderRequest {
  readonly isolation: AttemptIsolation;
  /** How many environments can be in use at once. */
  readonly parallelism: number;
  /** What the agent must reach from a sandbox. Its keys are passed with its own call, where no grader sees them. */
  readonly hosts?: readonly string[] | undefined;
  /** Where the bases of its tasks come from; from their own descriptions when left out. */
  readonly sealBase?: SealBase | undefined;
}

/** The provider of a batch, in a context that the caller closes. */
export function createBatchProvider(context: Context, request: ProviderRequest): IsolationProvider {
  const source = { open: async () => context, close: async () => undefined };
  const { parallelism, sealBase } = request;
  const kind = chooseKind(request);
  return new ProviderLifecycle({ source, kind, parallelism, isChecked: true, sealBase });
}

/** How the environments of an isolation mode are made. */
export function chooseKind({ isolation, parallelism, hosts = [] }: ProviderRequest): ProviderKind {
  switch (isolation) {
    case 'worktree':
      return context => openWorktreeKind(narrateOnce(context), parallelism);
    case 'none':
      return context => openNoneKind(narrateOnce(context));
    case 'full':
    case 'docker':
      return context => openSandboxKind(narrateOnce(context), { isolation, hosts });
  }
}

/** The requested isolation; by default parallel attempts get worktrees and sequential ones do not. */
export function chooseAttemptIsolation(
  asked: AttemptIsolation | undefined,
  parallelism: number,
): AttemptIsolation {
  return asked ?? (parallelism > 1 ? 'worktree' : 'none');
}
