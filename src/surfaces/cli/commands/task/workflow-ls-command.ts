import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { formatWorkflowTable } from '../../views/task/workflow-table.js';

export function define(command: Command, session: Session): void {
  command.action(async (options: CommonOptions) => {
    const { listWorkflows } = await import('../../../../operations/setup/workflows.js');
    const workflows = await withApp(session, options, (app, repository) =>
      listWorkflows(app, { repository }),
    );
    answer(session, options, workflows, formatWorkflowTable);
  });
}
