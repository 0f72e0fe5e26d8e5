import { carrelError } from '../../domain/error/error.js';
import { type WorkflowDefinition, WorkflowDefinitionSchema } from '../../domain/workflow/workflow.js';
import { parseYaml } from '../files/parse-yaml.js';
import { readConfigText } from '../files/read-config-text.js';
import { requireValid } from '../files/validate-yaml.js';

/**
 * Loads a workflow from its file, with the same errors as the configuration. With `within`, links that lead outside that
 * directory are refused.
 *
 * @example
 * ```ts
 * const { name, stages, isolation } = await loadWorkflow('.carrel/workflows/feature.yaml');
 * ```
 */
export async function loadWorkflow(file: string, within?: string): Promise<WorkflowDefinition> {
  const text = await readConfigText(file, within);
  if (!text) throw carrelError('CONFIG_UNREADABLE', { file, problem: 'there is no such file' });
  return requireValid(WorkflowDefinitionSchema, parseYaml(text)) as WorkflowDefinition;
}
