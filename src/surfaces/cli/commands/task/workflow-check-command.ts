import type { Command } from 'commander';
import { absolutePath, answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { exitCodes } from '../../exit/exit-code.js';
import { formatWorkflowCheck } from '../../views/task/workflow-check-report.js';

export function define(command: Command, session: Session): void {
  command
    .argument('[file]', 'the workflow file (default: all workflows and agents of the repository)')
    .action(async (file: string | undefined, options: CommonOptions) => {
      const { checkWorkflowFile, checkWorkflows } = await import('../../../../operations/setup/workflows.js');
      const report = await withApp(session, options, (app, repository) =>
        file === undefined
          ? checkWorkflows(app, { repository })
          : checkWorkflowFile(app, { repository, file: absolutePath(session, file) }),
      );
      answer(session, options, report, formatWorkflowCheck);
      if (!report.sound) session.exitWith(exitCodes.config);
    });
}
