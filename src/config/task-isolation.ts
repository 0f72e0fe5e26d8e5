import { findOverride } from '../domain/choose-isolation.js';
import { CHAIN } from '../domain/degrade-isolation.js';
import type { IsolationMode } from '../domain/isolation.js';
import type { LoadedConfig } from './load.js';
import type { LoadedWorkflow } from './load-workflows.js';

export interface TaskIsolationRequest {
  readonly workflow: LoadedWorkflow;
  readonly loaded: LoadedConfig;
  /** `--isolation`, or the field of an API call. */
  readonly flag?: IsolationMode | undefined;
}

export interface TaskIsolation {
  readonly mode: IsolationMode;
  /** When the workflow's word did not count. */
  readonly warning?: string | undefined;
}

/**
 * The mode that a task asks for: the flag's, then the workflow file's, then the configuration's for this workflow, then
 * its default. A file of the repository does not weaken what the user chose: an agent can write it. A workflow that
 * Carrel brings is nobody's word; it raises the default and gives way to the configuration's word for it. Where nobody
 * chose anything it is `worktree`: the user's checkout is not ours, and `shared` needs the user's own word.
 */
export function chooseTaskIsolation({ workflow, loaded, flag }: TaskIsolationRequest): TaskIsolation {
  if (flag !== undefined) return { mode: flag };
  const choice =
    workflow.source === 'built-in' ? chooseForBuiltIn(workflow, loaded) : choose(workflow, loaded);
  if (choice.mode !== 'shared' || findUserMode(workflow.name, loaded) === 'shared') return choice;
  return { mode: 'worktree', warning: WARNING_OF_SHARED };
}

const WARNING_OF_SHARED =
  'the repository asks for isolation shared, your own checkout, which only you can allow: with --isolation shared or in your own configuration; worktree is used';

function choose(workflow: LoadedWorkflow, loaded: LoadedConfig): TaskIsolation {
  const { name, definition } = workflow;
  const wish = definition.isolation;
  const limit = findUserMode(name, loaded);
  if (wish && limit && isWeaker(wish, limit)) return { mode: limit, warning: warn(workflow, wish, limit) };
  const usual = findOverride(name, loaded.config.isolation) ?? findDefault(loaded);
  return { mode: wish ?? usual ?? 'worktree' };
}

function chooseForBuiltIn({ name, definition }: LoadedWorkflow, loaded: LoadedConfig): TaskIsolation {
  const override = findOverride(name, loaded.config.isolation);
  const modes = override ? [override] : [definition.isolation, findDefault(loaded)];
  return { mode: CHAIN.find(mode => modes.includes(mode)) ?? 'worktree' };
}

/** Undefined when nobody chose one. */
function findDefault({ config, origins }: LoadedConfig): IsolationMode | undefined {
  return origins['isolation.default']?.file === 'default' ? undefined : config.isolation.default;
}

/** The user's own word for this workflow, or for all; undefined when the user has none. */
function findUserMode(name: string, { userValue }: LoadedConfig): IsolationMode | undefined {
  const word = userValue(['isolation', 'overrides', name]) ?? userValue(['isolation', 'default']);
  return CHAIN.find(mode => mode === word);
}

const isWeaker = (mode: IsolationMode, limit: IsolationMode): boolean =>
  CHAIN.indexOf(mode) > CHAIN.indexOf(limit);

const warn = ({ source }: LoadedWorkflow, wish: IsolationMode, limit: IsolationMode): string =>
  `${source} asks for isolation ${wish}, which is weaker than the ${limit} of your own configuration; ${limit} is used`;
