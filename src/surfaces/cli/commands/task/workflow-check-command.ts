import type { Command } from 'commander';
import type { WorkflowCheckReport } from '../../../../domain/workflow/workflow-report.js';
import { absolutePath, answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { exitCodes } from '../../exit/exit-code.js';
import { printable } from '../../terminal/printable.js';

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

/** One line per file, with its problems below. */
function formatWorkflowCheck({ checked }: WorkflowCheckReport): string {
  return checked.map(formatChecked).join('\n');
}

function formatChecked({ kind, name, problems, warnings }: WorkflowCheckReport['checked'][number]): string {
  const count = problems.length;
  const verdict = count === 0 ? 'ok' : `${count} problem${count === 1 ? '' : 's'}`;
  return [
    `${kind} ${printable(name)}: ${verdict}`,
    ...problems.flatMap(({ message, hint }) => [`  ${printable(message)}`, `    hint: ${printable(hint)}`]),
    ...warnings.map(warning => `  warning: ${printable(warning)}`),
  ].join('\n');
}
