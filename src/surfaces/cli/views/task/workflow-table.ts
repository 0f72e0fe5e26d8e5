import type { WorkflowSummary } from '../../../../domain/workflow/workflow-report.js';
import { alignColumns } from '../../terminal/columns.js';
import { printable } from '../../terminal/printable.js';

/** One line per workflow, with its description or its problem. */
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
