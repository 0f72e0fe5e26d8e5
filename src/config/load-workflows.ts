import { join } from 'node:path';
import { type CarrelError, carrelError, isCarrelError } from '../domain/error.js';
import { nearest } from '../domain/nearest.js';
import { type WorkflowDefinition, WorkflowDefinitionSchema } from '../domain/workflow.js';
import { type DefinitionFile, listDefinitionFiles, refuseTwin } from './definition-files.js';
import { exampleWorkflows } from './example-workflows.js';
import { loadWorkflow } from './load-workflow.js';
import { parseYaml } from './parse-yaml.js';
import { requireValid } from './validate.js';

/** A workflow and where it is from: its file, or Carrel itself. */
export interface LoadedWorkflow {
  readonly name: string;
  readonly source: 'built-in' | string;
  readonly definition: WorkflowDefinition;
}

/** A file that should be a workflow and can't be used. */
export interface BrokenWorkflow {
  readonly name: string;
  readonly source: string;
  readonly error: CarrelError;
}

/** All workflows of a repository (null for none: those that Carrel brings), by name. A broken file hides no other. */
export async function loadWorkflows(
  repositoryRoot: string | null,
): Promise<(LoadedWorkflow | BrokenWorkflow)[]> {
  const files = await listFiles(repositoryRoot);
  const own = await Promise.all(files.map(file => loadOrExplain(file, repositoryRoot)));
  const builtIn = builtInNames.filter(name => !files.some(file => file.name === name)).map(loadBuiltIn);
  return [...own, ...builtIn].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The workflow of a name: the repository's own before the one that Carrel brings. UNKNOWN_WORKFLOW when there is none. */
export async function requireWorkflow(repositoryRoot: string | null, name: string): Promise<LoadedWorkflow> {
  const files = await listFiles(repositoryRoot);
  const file = files.find(each => each.name === name);
  if (file) return loadNamedWorkflow(file, repositoryRoot ?? undefined);
  if (isBuiltIn(name)) return loadBuiltIn(name);
  const known = [...new Set([...files.map(each => each.name), ...builtInNames])].sort();
  throw carrelError('UNKNOWN_WORKFLOW', { name, known, nearest: nearest(name, known) });
}

/** WORKFLOW_NAME_DIFFERS when the file has another name than it says; `within` as for loadWorkflow. */
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
