import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../session.js';
import { formatWorkflowTable } from '../../views/workflow-table.js';

export function define(command: Command, session: Session): void {
  command.action(async (options: CommonOptions) => {
    const { listWorkflows } = await import('../../../operations/workflows.js');
    const workflows = await withApp(session, options, (app, repository) =>
      listWorkflows(app, { repository }),
    );
    answer(session, options, workflows, formatWorkflowTable);
  });
}
