import { findOverride, resolveIsolationMode } from '../../domain/isolation/choose-isolation.js';
import type { IsolationAsker } from '../../domain/isolation/decide-isolation.js';
import { CHAIN } from '../../domain/isolation/degrade-isolation.js';
import type { WorkspaceStrategy } from '../../domain/isolation/workspace-config.js';
import { mapIsolationModeToStrategy, modeOfStrategy } from '../../domain/isolation/workspace-strategy.js';
import type { IsolationMode } from '../../domain/isolation.js';
import { shippedTemplates } from '../defaults/shipped-templates.js';
import type { LoadedConfig } from '../load-config.js';
import type { LoadedWorkflow } from './load-workflows.js';

export interface TaskIsolationRequest {
  readonly workflow: LoadedWorkflow;
  readonly loaded: LoadedConfig;
  /** `--isolation`, or the field of an API call. */
  readonly flag?: IsolationMode | undefined;
  /** `--strategy`, or `workspace.strategy` of an API call. */
  readonly strategy?: WorkspaceStrategy | undefined;
}

/** What the files and the caller choose for a new workspace or task. */
export interface ChosenIsolation {
  readonly mode: IsolationMode;
  readonly strategy: WorkspaceStrategy;
  /** Whether the word `container` was used, so that an engine is preferred to another sandbox. */
  readonly prefersContainer: boolean;
  readonly askedBy: IsolationAsker;
  /** When the requested mode is not used. */
  readonly warning?: string | undefined;
}

/**
 * The mode that a task requests: the caller's, then the workflow file's, then the configuration's for this workflow, then
 * its default. A file of the repository does not weaken what the user chose: an agent can write it. A built-in workflow
 * is not a choice of the user; it raises the default and yields to an override in the configuration. Without any choice
 * it is `worktree`: the checkout belongs to the user, and `shared` needs the user's own choice.
 */
export function chooseTaskIsolation(request: TaskIsolationRequest): ChosenIsolation {
  const { workflow, loaded, strategy } = request;
  const flag = request.flag ?? modeOfStrategy(strategy);
  if (flag !== undefined) return { mode: flag, askedBy: 'flag', ...describeStrategy(flag, strategy) };
  const isBuiltIn = workflow.source === 'built-in';
  const userMode = findUserMode(loaded, [['isolation', 'overrides', workflow.name]]);
  const choice = allowShared(
    isBuiltIn ? chooseForBuiltIn(workflow, loaded) : choose(workflow, loaded, userMode),
    userMode,
  );
  const isByDefault =
    findOverride(workflow.name, loaded.config.isolation) === undefined &&
    (isBuiltIn || workflow.definition.isolation === undefined);
  const isOurs = isBuiltIn && workflow.definition.isolation === choice.mode;
  return {
    ...choice,
    askedBy: userMode === choice.mode ? 'user' : isOurs ? 'default' : 'repository',
    ...describeStrategy(choice.mode, isByDefault ? loaded.config.workspace.defaultStrategy : undefined),
  };
}

/** The mode of a workspace that no caller chooses: the template's, then the default. The same rules hold. */
export function chooseWorkspaceIsolation(
  loaded: LoadedConfig,
  template: string | undefined,
): ChosenIsolation {
  const { config, fromRepository } = loaded;
  const key = ['templates', template ?? '', 'isolation'];
  const ofTemplate = template === undefined ? undefined : chooseForTemplate(loaded, template);
  const userMode = findUserMode(loaded, ofTemplate === undefined ? [] : [key]);
  const choice = allowShared({ mode: ofTemplate ?? config.isolation.default }, userMode);
  const isOfRepository = fromRepository('isolation.default') || fromRepository(key.join('.'));
  return {
    ...choice,
    askedBy: userMode === choice.mode ? 'user' : isOfRepository ? 'repository' : 'default',
    ...describeStrategy(choice.mode, ofTemplate === undefined ? config.workspace.defaultStrategy : undefined),
  };
}

/**
 * A template that ships with Carrel is not a choice of the user: the user's own default wins over it. A file of the repository
 * does not weaken it: an agent can write that file.
 */
function chooseForTemplate({ config, userValue }: LoadedConfig, template: string): IsolationMode | undefined {
  const mode = config.templates[template]?.isolation;
  const shipped = findShipped(template);
  if (shipped === undefined || userValue(['templates', template, 'isolation']) !== undefined) return mode;
  const isChosen = [
    ['isolation', 'default'],
    ['workspace', 'defaultStrategy'],
  ].some(key => userValue(key) !== undefined);
  if (isChosen) return mode === shipped ? undefined : mode;
  return mode === undefined || isWeaker(mode, shipped) ? shipped : mode;
}

function findShipped(template: string): IsolationMode | undefined {
  const [, shipped] = Object.entries(shippedTemplates).find(([name]) => name === template) ?? [];
  return shipped && 'isolation' in shipped ? shipped.isolation : undefined;
}

type Choice = Pick<ChosenIsolation, 'mode' | 'warning'>;

/** The strategy that was chosen, if it is one of the mode. */
function describeStrategy(
  mode: IsolationMode,
  chosen: WorkspaceStrategy | undefined,
): Pick<ChosenIsolation, 'strategy' | 'prefersContainer'> {
  const isChosen = modeOfStrategy(chosen) === mode;
  return {
    strategy: isChosen ? (chosen as WorkspaceStrategy) : mapIsolationModeToStrategy(mode),
    prefersContainer: isChosen && chosen === 'container',
  };
}

function allowShared(choice: Choice, userMode: IsolationMode | undefined): Choice {
  if (choice.mode !== 'shared' || userMode === 'shared') return choice;
  return { mode: 'worktree', warning: WARNING_OF_SHARED };
}

const WARNING_OF_SHARED =
  'the repository requests isolation shared, which uses your own checkout and only you can allow, with --isolation shared or in your own configuration; worktree is used';

function choose(
  workflow: LoadedWorkflow,
  { config }: LoadedConfig,
  limit: IsolationMode | undefined,
): Choice {
  const { name, definition } = workflow;
  const requested = definition.isolation;
  if (requested && limit && isWeaker(requested, limit))
    return { mode: limit, warning: warn(workflow, requested, limit) };
  return { mode: resolveIsolationMode(name, requested, config.isolation) };
}

function chooseForBuiltIn({ name, definition }: LoadedWorkflow, { config }: LoadedConfig): Choice {
  const override = findOverride(name, config.isolation);
  const modes = override ? [override] : [definition.isolation, config.isolation.default];
  return { mode: CHAIN.find(mode => modes.includes(mode)) ?? 'worktree' };
}

/** The user's own mode for this case, or for all; undefined when the user has none. */
function findUserMode(
  { userValue }: LoadedConfig,
  keys: readonly (readonly string[])[],
): IsolationMode | undefined {
  const [word] = [...keys, ['isolation', 'default']].map(userValue).filter(value => value !== undefined);
  return CHAIN.find(mode => mode === word);
}

const isWeaker = (mode: IsolationMode, limit: IsolationMode): boolean =>
  CHAIN.indexOf(mode) > CHAIN.indexOf(limit);

const warn = ({ source }: LoadedWorkflow, requested: IsolationMode, limit: IsolationMode): string =>
  `${source} requests isolation ${requested}, which is weaker than ${limit} in your own configuration; ${limit} is used`;
