import type { IsolationConfig, IsolationMode } from './isolation.js';

// Apart from isolation.ts so that choosing a mode does not load zod.

export interface IsolationWishes {
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

/** The mode to ask for: flag, then task, then workflow file, then override, then default, then `shared`. */
export function chooseIsolation(wishes: IsolationWishes): IsolationMode {
  const { flag, task, workflowIsolation, workflowName, config } = wishes;
  const own = flag ?? task ?? workflowIsolation;
  if (workflowName === undefined) return own ?? config?.default ?? 'shared';
  return resolveIsolationMode(workflowName, own, config);
}

/** The mode of a workflow: its own, then the configuration's override for it, then the default, then `shared`. */
export function resolveIsolationMode(
  workflowName: string,
  workflowIsolation?: IsolationMode,
  isolationConfig?: IsolationPreferences,
): IsolationMode {
  if (workflowIsolation) return workflowIsolation;
  return findOverride(workflowName, isolationConfig) ?? isolationConfig?.default ?? 'shared';
}

/** Own keys only: a workflow may be called `constructor`. */
export function findOverride(workflowName: string, config?: IsolationPreferences): IsolationMode | undefined {
  const overrides = config?.overrides;
  return overrides && Object.hasOwn(overrides, workflowName) ? overrides[workflowName] : undefined;
}
