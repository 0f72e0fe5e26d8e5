import type { Command } from 'commander';
import type { WorkflowSummary } from '../../../../domain/workflow/workflow-report.js';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { alignColumns } from '../../terminal/columns.js';
import { printable } from '../../terminal/printable.js';

export function define(command: Command, session: Session): void {
  command.action(async (options: CommonOptions) => {
    const { listWorkflows } = await import('../../../../operations/setup/workflows.js');
    const workflows = await withApp(session, options, (app, repository) =>
      listWorkflows(app, { repository }),
    );
    answer(session, options, workflows, formatWorkflowTable);
  });
}

/** One line per workflow, with its description or its problem. */
function formatWorkflowTable(workflows: readonly WorkflowSummary[]): string {
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
