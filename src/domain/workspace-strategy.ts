import type { ContainerConfig } from './container.js';
import type { IsolationMode } from './isolation.js';
import type { WorkspaceConfig, WorkspaceStrategy } from './workspace-config.js';

// Apart from the schemas so that mapping a mode does not load zod.

const STRATEGIES: Record<IsolationMode, WorkspaceStrategy> = {
  // The container has a worktree inside.
  full: 'container',
  worktree: 'worktree',
  shared: 'none',
};

/** The strategy of an isolation mode; `none` for a word that is no mode, which only untyped callers can say. */
export function mapIsolationModeToStrategy(mode: IsolationMode): WorkspaceStrategy {
  return STRATEGIES[mode] ?? 'none';
}

/** The workspace that a task with this isolation mode gets. */
export function createWorkspaceConfigFromMode(
  mode: IsolationMode,
  options?: {
    containerConfig?: ContainerConfig | undefined;
    cleanup?: boolean | undefined;
    preserveOnFailure?: boolean | undefined;
  },
): WorkspaceConfig {
  return {
    strategy: mapIsolationModeToStrategy(mode),
    cleanup: options?.cleanup ?? true,
    preserveOnFailure: options?.preserveOnFailure ?? false,
    container: mode === 'full' ? options?.containerConfig : undefined,
  };
}
