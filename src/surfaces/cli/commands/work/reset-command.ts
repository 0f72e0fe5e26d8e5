import type { Command } from 'commander';
import type { ResetInput } from '../../../../operations/reset/reset.js';
import { type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { formatReset } from '../../views/workspace/reset-report.js';

type ResetOptions = CommonOptions & ResetInput['accepted'] & Pick<ResetInput, 'setup' | 'trust'>;

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('reset'))
    .addHelpText(
      'after',
      '\nA snapshot is taken before anything is discarded. Get it back with: carrel restore SNAPSHOT --as NAME',
    )
    .action(async (name: string, options: ResetOptions) => {
      session.interruption.follow('finish');
      const { discardChanges, discardCommits, stopProcesses, setup, trust } = options;
      const accepted = { discardChanges, discardCommits, stopProcesses };
      const { signal } = session.interruption;
      const { resetWorkspace } = await import('../../../../operations/reset/reset.js');
      const result = await withApp(session, options, (app, repository) =>
        resetWorkspace(app, { repository, name, accepted, setup, trust, signal }),
      );
      for (const warning of result.warnings) session.output.narrate(`warning: ${warning}`);
      session.output.narrate(formatReset(result));
      if (options.json) session.output.json(result);
    });
}
