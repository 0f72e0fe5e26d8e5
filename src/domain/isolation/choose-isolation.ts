import type { IsolationConfig, IsolationMode } from '../isolation.js';

// Separate from isolation.ts so that choosing a mode does not load zod.

export interface IsolationChoices {
  /** `--isolation`, or the field of an API call. */
  readonly flag?: IsolationMode | undefined;
  readonly task?: IsolationMode | undefined;
  /** `isolation` in the workflow's own file. */
  readonly workflowIsolation?: IsolationMode | undefined;
  readonly workflowName?: string | undefined;
  readonly config?: IsolationPreferences | undefined;
}

/** The part of the isolation configuration that chooses a mode. */
export type IsolationPreferences = Readonly<Pick<IsolationConfig, 'default' | 'overrides'>>;

/** The mode to request: flag, then task, then workflow file, then override, then default, then `worktree`. */
export function chooseIsolation(choices: IsolationChoices): IsolationMode {
  const { flag, task, workflowIsolation, workflowName, config } = choices;
  const own = flag ?? task ?? workflowIsolation;
  if (workflowName === undefined) return own ?? config?.default ?? 'worktree';
  return resolveIsolationMode(workflowName, own, config);
}

/**
 * The mode of a workflow: its own, then the configuration's override for it, then the default, then `worktree`: the
 * checkout belongs to the user.
 *
 * @example
 * ```ts
 * resolveIsolationMode('bugfix', undefined, { default: 'shared', overrides: { bugfix: 'worktree' } }); // 'worktree'
 * ```
 */
export function resolveIsolationMode(
  workflowName: string,
  workflowIsolation?: IsolationMode,
  isolationConfig?: IsolationPreferences,
): IsolationMode {
  if (workflowIsolation) return workflowIsolation;
  return findOverride(workflowName, isolationConfig) ?? isolationConfig?.default ?? 'worktree';
}

/** Own keys only: a workflow may be called `constructor`. */
export function findOverride(workflowName: string, config?: IsolationPreferences): IsolationMode | undefined {
  const overrides = config?.overrides;
  return overrides && Object.hasOwn(overrides, workflowName) ? overrides[workflowName] : undefined;
}
