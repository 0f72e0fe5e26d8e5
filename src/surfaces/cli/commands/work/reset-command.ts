import type { Command } from 'commander';
import type { ResetResult } from '../../../../domain/report/reset-result.js';
import { formatOmitted } from '../../../../domain/snapshot/omitted-files.js';
import type { ResetInput } from '../../../../operations/reset/reset.js';
import { type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';

type ResetOptions = CommonOptions & ResetInput['accepted'] & Pick<ResetInput, 'setup' | 'trust'>;

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('reset'))
    .addHelpText(
      'after',
      '\nA snapshot is taken before anything is discarded. Restore it with: carrel restore SNAPSHOT --as NAME',
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

/** The result of `carrel reset`, and how to get back what was there. */
function formatReset({ name, commit, snapshot, omitted, stopped }: ResetResult): string {
  return [
    commit === null ? `${name} is as it was created` : `${name} is at its base ${commit.slice(0, 12)}`,
    ...(stopped.length > 0 ? [`stopped ${stopped.length} process${stopped.length === 1 ? '' : 'es'}`] : []),
    `restore what was there with: carrel restore ${snapshot} --as ${name}-before`,
    ...(omitted.length === 0 ? [] : [`not in the snapshot: ${formatOmitted(omitted)}`]),
  ].join('; ');
}
