import type { Task } from '../../../../../src/domain/task/task.js';
import { waitsForApproval } from '../../../../../src/domain/task/task-state.js';
import type { FormField } from '../../../forms/form-field.js';

/** The names of the stages that wait for an approval. */
export const undecidedStages = ({ stages }: Task): string[] =>
  stages.filter(waitsForApproval).map(({ name }) => name);

/**
 * The decision names the stage that the page shows, so that a page that is not up to date does not decide about another.
 */
export const stageOf = (names: readonly string[]): { stage?: string } =>
  names.length === 1 && names[0] !== undefined ? { stage: names[0] } : {};

/** Without a choice when there is only one stage. */
export const fieldsFor = (fields: readonly FormField[], names: readonly string[]): readonly FormField[] =>
  names.length === 1 ? fields.filter(({ name }) => name !== 'stage') : fields;
