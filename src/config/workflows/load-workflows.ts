import { join } from 'node:path';
import { type CarrelError, carrelError, isCarrelError } from '../../domain/error/error.js';
import { nearest } from '../../domain/text/nearest-word.js';
import { type WorkflowDefinition, WorkflowDefinitionSchema } from '../../domain/workflow/workflow.js';
import { type DefinitionFile, listDefinitionFiles, refuseTwin } from '../files/definition-files.js';
import { parseYaml } from '../files/parse-yaml.js';
import { requireValid } from '../files/validate-yaml.js';
import { exampleWorkflows } from './example-workflows.js';
import { loadWorkflow } from './load-workflow.js';

/** A workflow and its source: a file, or built in. */
export interface LoadedWorkflow {
  readonly name: string;
  readonly source: 'built-in' | string;
  readonly definition: WorkflowDefinition;
}

/** A workflow file that can't be used. */
export interface BrokenWorkflow {
  readonly name: string;
  readonly source: string;
  readonly error: CarrelError;
}

/** All workflows of a repository (null for none: the built-in ones), by name. A broken file hides no other. */
export async function loadWorkflows(
  repositoryRoot: string | null,
): Promise<(LoadedWorkflow | BrokenWorkflow)[]> {
  const files = await listFiles(repositoryRoot);
  const own = await Promise.all(files.map(file => loadOrExplain(file, repositoryRoot)));
  const builtIn = builtInNames.filter(name => !files.some(file => file.name === name)).map(loadBuiltIn);
  return [...own, ...builtIn].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The workflow with a name: the repository's own before the built-in one. UNKNOWN_WORKFLOW when there is none. */
export async function requireWorkflow(repositoryRoot: string | null, name: string): Promise<LoadedWorkflow> {
  const files = await listFiles(repositoryRoot);
  const file = files.find(each => each.name === name);
  if (file) return loadNamedWorkflow(file, repositoryRoot ?? undefined);
  if (isBuiltIn(name)) return loadBuiltIn(name);
  const known = [...new Set([...files.map(each => each.name), ...builtInNames])].sort();
  throw carrelError('UNKNOWN_WORKFLOW', { name, known, nearest: nearest(name, known) });
}

/** The one workflow that a trigger starts. UNKNOWN_TRIGGER when there is none, INVALID_INPUT when there are several. */
export async function requireTriggered(
  repositoryRoot: string | null,
  trigger: string,
): Promise<LoadedWorkflow> {
  const usable = (await loadWorkflows(repositoryRoot)).filter(each => 'definition' in each);
  const triggered = usable.filter(({ definition }) => definition.trigger?.includes(trigger));
  const [found, ...others] = triggered;
  if (found && others.length === 0) return found;
  if (found)
    throw carrelError('INVALID_INPUT', {
      what: `the trigger ${trigger}`,
      found: `in the workflows ${triggered.map(({ name }) => name).join(', ')}`,
      expected: 'in one workflow; choose it with --workflow NAME',
    });
  const known = [...new Set(usable.flatMap(({ definition }) => definition.trigger ?? []))].sort();
  throw carrelError('UNKNOWN_TRIGGER', { trigger, known, nearest: nearest(trigger, known) });
}

/** WORKFLOW_NAME_DIFFERS when the name in the file differs from the file name; `within` as for loadWorkflow. */
export async function loadNamedWorkflow(file: DefinitionFile, within?: string): Promise<LoadedWorkflow> {
  refuseTwin(file);
  const definition = await loadWorkflow(file.file, within);
  if (definition.name === file.name) return { name: file.name, source: file.file, definition };
  throw carrelError('WORKFLOW_NAME_DIFFERS', {
    file: file.file,
    name: definition.name,
    expected: file.name,
  });
}

type BuiltInName = keyof typeof exampleWorkflows;

const builtInNames = Object.keys(exampleWorkflows) as BuiltInName[];

const isBuiltIn = (name: string): name is BuiltInName => Object.hasOwn(exampleWorkflows, name);

function loadBuiltIn(name: BuiltInName): LoadedWorkflow {
  const file = parseYaml({ file: `built-in ${name}`, text: exampleWorkflows[name] });
  return {
    name,
    source: 'built-in',
    definition: requireValid(WorkflowDefinitionSchema, file) as WorkflowDefinition,
  };
}

async function listFiles(repositoryRoot: string | null): Promise<DefinitionFile[]> {
  if (repositoryRoot === null) return [];
  return listDefinitionFiles(join(repositoryRoot, '.carrel', 'workflows'), ['.yaml', '.yml']);
}

async function loadOrExplain(
  file: DefinitionFile,
  repositoryRoot: string | null,
): Promise<LoadedWorkflow | BrokenWorkflow> {
  try {
    return await loadNamedWorkflow(file, repositoryRoot ?? undefined);
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    return { name: file.name, source: file.file, error };
  }
}
