import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../session.js';
import { formatWorkflowPage } from '../../views/workflow-page.js';

export function define(command: Command, session: Session): void {
  command
    .argument(
      '<name>',
      'the workflow: its file in .carrel/workflows without the ending, or one of Carrel’s own',
    )
    .action(async (name: string, options: CommonOptions) => {
      const { showWorkflow } = await import('../../../operations/workflows.js');
      const page = await withApp(session, options, (app, repository) =>
        showWorkflow(app, { repository, name }),
      );
      answer(session, options, page, formatWorkflowPage);
    });
}
