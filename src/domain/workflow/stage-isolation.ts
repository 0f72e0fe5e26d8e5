import { CHAIN } from '../isolation/degrade-isolation.js';
import type { IsolationMode } from '../isolation.js';
import type { WorkflowStage } from './workflow.js';

// Separate from workflow.ts so that running a workflow does not load zod.

/**
 * The mode of a stage that is stronger than that of its task; undefined when it is not. A stage never weakens what the
 * user or the workflow chose.
 */
export function findStrongerIsolation(
  { isolation }: Pick<WorkflowStage, 'isolation'>,
  ofTask: IsolationMode,
): IsolationMode | undefined {
  return isolation !== undefined && CHAIN.indexOf(isolation) < CHAIN.indexOf(ofTask) ? isolation : undefined;
}
