import type { Command } from 'commander';
import { exitCodes } from '../../exit-code.js';
import { absolutePath, answer, type CommonOptions, type Session, withApp } from '../../session.js';
import { formatWorkflowCheck } from '../../views/workflow-check.js';

export function define(command: Command, session: Session): void {
  command
    .argument('[file]', 'one workflow file; all workflows and agents of the repository when left out')
    .action(async (file: string | undefined, options: CommonOptions) => {
      const { checkWorkflowFile, checkWorkflows } = await import('../../../operations/workflows.js');
      const report = await withApp(session, options, (app, repository) =>
        file === undefined
          ? checkWorkflows(app, { repository })
          : checkWorkflowFile(app, { repository, file: absolutePath(session, file) }),
      );
      answer(session, options, report, formatWorkflowCheck);
      if (!report.sound) session.exitWith(exitCodes.config);
    });
}
