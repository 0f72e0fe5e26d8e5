import type { IsolationMode } from '../isolation.js';
import type { ContainerConfig } from '../sandbox/container.js';
import type { WorkspaceConfig, WorkspaceStrategy } from './workspace-config.js';

// Separate from the schemas so that mapping a mode does not load zod.

/** For the schema and for the command line. */
export const workspaceStrategies = ['worktree', 'container', 'directory', 'none'] as const;

const STRATEGIES: Record<IsolationMode, WorkspaceStrategy> = {
  // The container has a worktree inside.
  full: 'container',
  worktree: 'worktree',
  shared: 'none',
};

/** The strategy of an isolation mode; `none` for an unknown mode, which only untyped callers can pass. */
export function mapIsolationModeToStrategy(mode: IsolationMode): WorkspaceStrategy {
  return STRATEGIES[mode] ?? 'none';
}

const MODES: Record<WorkspaceStrategy, IsolationMode> = {
  container: 'full',
  worktree: 'worktree',
  // A plain copy is as separate from the checkout as a worktree.
  directory: 'worktree',
  none: 'shared',
};

/** The isolation mode of a strategy; undefined for an unknown word, which only an unchecked file can have. */
export const modeOfStrategy = (strategy: unknown): IsolationMode | undefined =>
  typeof strategy === 'string' && Object.hasOwn(MODES, strategy)
    ? MODES[strategy as WorkspaceStrategy]
    : undefined;

/**
 * The workspace that a task with this isolation mode gets.
 *
 * @example
 * ```ts
 * createWorkspaceConfigFromMode('worktree');
 * // { strategy: 'worktree', cleanup: true, preserveOnFailure: false, container: undefined }
 * ```
 */
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
