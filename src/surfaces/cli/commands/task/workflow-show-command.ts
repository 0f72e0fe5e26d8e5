import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { formatWorkflowPage } from '../../views/task/workflow-page.js';

export function define(command: Command, session: Session): void {
  command
    .argument(
      '<name>',
      'name of a file in .carrel/workflows without its extension, or of a built-in workflow',
    )
    .action(async (name: string, options: CommonOptions) => {
      const { showWorkflow } = await import('../../../../operations/setup/workflows.js');
      const page = await withApp(session, options, (app, repository) =>
        showWorkflow(app, { repository, name }),
      );
      answer(session, options, page, formatWorkflowPage);
    });
}
