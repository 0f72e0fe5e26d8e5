import { carrelError } from '../domain/error.js';
import { type WorkflowDefinition, WorkflowDefinitionSchema } from '../domain/workflow.js';
import { parseYaml } from './parse-yaml.js';
import { readConfigText } from './read-config-text.js';
import { requireValid } from './validate.js';

/**
 * A workflow from its file, with the same errors as the configuration. With `within`, links that lead out of that
 * directory are refused.
 */
export async function loadWorkflow(file: string, within?: string): Promise<WorkflowDefinition> {
  const text = await readConfigText(file, within);
  if (!text) throw carrelError('CONFIG_UNREADABLE', { file, problem: 'there is no such file' });
  return requireValid(WorkflowDefinitionSchema, parseYaml(text)) as WorkflowDefinition;
}
