import type { WorkflowSummary } from '../../domain/workflow-report.js';
import { alignColumns } from '../columns.js';
import { printable } from '../printable.js';

/** One line per workflow; a broken one says what is wrong with it instead. */
export function formatWorkflowTable(workflows: readonly WorkflowSummary[]): string {
  const rows = workflows.map(({ name, source, description, stages, isolation, problem }) => [
    name,
    stages.length === 0 ? '-' : String(stages.length),
    isolation ?? '-',
    source === 'built-in' ? source : 'repository',
    problem ? `broken: ${problem.message}` : (description ?? ''),
  ]);
  const head = ['NAME', 'STAGES', 'ISOLATION', 'FROM', 'DESCRIPTION'];
  return alignColumns([head, ...rows.map(row => row.map(printable))]).join('\n');
}
