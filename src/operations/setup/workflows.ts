import { basename, extname } from 'node:path';
import { resolveAgent } from '../../config/agents/resolve-agents.js';
import { loadNamedWorkflow, loadWorkflows } from '../../config/workflows/load-workflows.js';
import { type CarrelError, isCarrelError } from '../../domain/error/error.js';
import { sanitizeForFolder } from '../../domain/name.js';
import { findStrongerIsolation } from '../../domain/workflow/stage-isolation.js';
import { dependenciesOf } from '../../domain/workflow/stage-order.js';
import type { WorkflowStage } from '../../domain/workflow/workflow.js';
import type {
  StagePage,
  WorkflowCheckReport,
  WorkflowPage,
  WorkflowSummary,
} from '../../domain/workflow/workflow-report.js';
import type { Context } from '../context.js';
import { locateRepository } from '../repository/locate-repository.js';
import { resolveIsolation } from '../settings/resolve-isolation.js';
import { listWorkflowRepositories } from '../settings/template-repositories.js';
import { applyTemplate } from '../settings/workspace-settings.js';
import { defineTask, defineTaskOf, loadDefinitions, type TaskDefinition } from '../task/define-task.js';
import { findRepository } from '../workspace/find-workspace.js';

export interface WorkflowQuery {
  /** Where to look for a repository; without one only Carrel's own workflows are listed. */
  readonly repository: string;
}

/** Every workflow that a task could name. A broken one is listed with the reason. */
export async function listWorkflows(context: Context, query: WorkflowQuery): Promise<WorkflowSummary[]> {
  const root = await findRoot(context, query);
  const definitions = await loadDefinitions(context, root);
  return (await loadWorkflows(root)).map(each => {
    const { name, source } = each;
    if ('error' in each) {
      const problem = describeProblem(each.error);
      return { name, source, description: null, stages: [], isolation: null, problem };
    }
    const { definition } = each;
    return {
      name,
      source,
      description: definition.description,
      stages: definition.stages.map(stage => stage.name),
      isolation: defineTaskOf(context, definitions, each, {}).isolation.mode,
      problem: null,
    };
  });
}

/** A workflow as a task would run it now. */
export async function showWorkflow(
  context: Context,
  query: WorkflowQuery & { readonly name: string },
): Promise<WorkflowPage> {
  const root = await findRoot(context, query);
  const defined = await defineTask(context, root, { workflow: query.name });
  const { workflow, loaded, isolation, check } = defined;
  const { definition, source } = workflow;
  const after = dependenciesOf(definition.stages);
  return {
    name: workflow.name,
    source,
    description: definition.description,
    trigger: definition.trigger ?? [],
    isolation: isolation.mode,
    repositories: describeRepositories(root, defined),
    timeout: definition.timeout ?? null,
    limits: definition.limits ?? {},
    stages: definition.stages.map(stage => describeStage(defined, stage, after.get(stage.name) ?? [])),
    validation: [...loaded.config.tasks.validation, ...(definition.validation ?? [])],
    problems: [...check.problems, ...(await findMissing(context, root, defined))].map(describeProblem),
    warnings: [...check.warnings, ...(await warnOfIsolation(context, root, defined))],
  };
}

const describeRepositories = (
  root: string | null,
  { workflow }: TaskDefinition,
): WorkflowPage['repositories'] =>
  listWorkflowRepositories(root ?? '', workflow).map(({ alias, path, base = null }) => ({
    alias: alias ?? sanitizeForFolder(basename(path)),
    ...{ path, base },
  }));

/** Why its other repositories cannot be used. */
async function findMissing(
  context: Pick<Context, 'store' | 'backends' | 'git' | 'places' | 'narrate' | 'onStep'>,
  root: string | null,
  { workflow }: TaskDefinition,
): Promise<CarrelError[]> {
  const problems: CarrelError[] = [];
  for (const { path } of root === null ? [] : listWorkflowRepositories(root, workflow)) {
    const problem = await locateRepository(context, path).catch((error: unknown) => error);
    if (isCarrelError(problem)) problems.push(problem);
    else if (problem instanceof Error) throw problem;
  }
  return problems;
}

function describeStage(defined: TaskDefinition, stage: WorkflowStage, after: readonly string[]): StagePage {
  return {
    name: stage.name,
    agent: stage.agent,
    program: findProgram(defined, stage.agent),
    description: stage.description ?? null,
    after: [...after],
    inputs: stage.inputs ?? [],
    outputs: stage.outputs ?? [],
    retries: stage.retries ?? 0,
    timeout: stage.timeout ?? null,
    checks: stage.checks ?? [],
    isolation: findStrongerIsolation(stage, defined.isolation.mode) ?? null,
    approve: stage.approve ?? false,
  };
}

function findProgram({ request }: TaskDefinition, agent: string): StagePage['program'] {
  try {
    const { program } = resolveAgent(request, agent);
    if (program.kind === 'preset') return program.preset;
    return typeof program.command === 'string' ? program.command : [...program.command];
  } catch (error) {
    if (isCarrelError(error)) return null;
    throw error;
  }
}

/** All workflows and agents of a repository, with all problems. */
export async function checkWorkflows(context: Context, query: WorkflowQuery): Promise<WorkflowCheckReport> {
  const root = await findRoot(context, query);
  const definitions = await loadDefinitions(context, root);
  const workflows = await Promise.all(
    (await loadWorkflows(root)).map(async each => ({
      kind: 'workflow' as const,
      name: each.name,
      source: each.source,
      ...('error' in each
        ? { problems: [each.error], warnings: [] }
        : await checkDefined(context, root, defineTaskOf(context, definitions, each, {}))),
    })),
  );
  const agents = [...definitions.known.broken.values()].map(({ name, source, error }) => ({
    kind: 'agent' as const,
    name,
    source,
    problems: [error],
    warnings: [],
  }));
  return report([...workflows, ...agents]);
}

/** One file, wherever it is, with the agents of the repository. Throws the first problem. */
export async function checkWorkflowFile(
  context: Context,
  query: WorkflowQuery & { readonly file: string },
): Promise<WorkflowCheckReport> {
  const { file } = query;
  const workflow = await loadNamedWorkflow({ name: basename(file, extname(file)), file });
  const root = await findRoot(context, query);
  const definitions = await loadDefinitions(context, root);
  const check = await checkDefined(context, root, defineTaskOf(context, definitions, workflow, {}));
  const [first] = check.problems;
  if (first) throw first;
  return report([{ kind: 'workflow', name: workflow.name, source: workflow.source, ...check }]);
}

async function checkDefined(context: Context, root: string | null, defined: TaskDefinition) {
  const { problems, warnings } = defined.check;
  return {
    problems: [...problems, ...(await findMissing(context, root, defined))],
    warnings: [...warnings, ...(await warnOfIsolation(context, root, defined))],
  };
}

/** What a task of this workflow would find out: no sandbox works here. */
async function warnOfIsolation(
  context: Pick<Context, 'sandboxes' | 'places' | 'environment' | 'loadConfig'>,
  root: string | null,
  { isolation: { mode, askedBy } }: TaskDefinition,
): Promise<string[]> {
  if (mode !== 'full' || root === null) return [];
  const settings = await applyTemplate(context, { root }, undefined);
  const request = { isolation: mode, askedBy };
  const found = await resolveIsolation(context, request, settings, 'git').catch(error => {
    if (isCarrelError(error, 'ISOLATION_UNAVAILABLE')) return error;
    throw error;
  });
  if (isCarrelError(found)) return [`${found.message}; its tasks are refused`];
  const { effective, reason } = found.isolation;
  return effective === mode
    ? []
    : [`isolation full is not available: ${reason}; its tasks run in a ${effective}`];
}

interface Checked extends Omit<WorkflowCheckReport['checked'][number], 'problems' | 'warnings'> {
  readonly problems: readonly CarrelError[];
  readonly warnings: readonly string[];
}

const report = (checked: readonly Checked[]): WorkflowCheckReport => ({
  sound: checked.every(({ problems }) => problems.length === 0),
  checked: checked.map(each => ({
    ...each,
    problems: each.problems.map(describeProblem),
    warnings: [...each.warnings],
  })),
});

const describeProblem = ({ code, message, hint }: CarrelError) => ({ code, message, hint });

const findRoot = async (context: Context, { repository }: WorkflowQuery): Promise<string | null> =>
  (await findRepository(context, repository))?.root ?? null;
