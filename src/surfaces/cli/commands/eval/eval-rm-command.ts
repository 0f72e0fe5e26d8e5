import type { Command } from 'commander';
import type { RunRemoval } from '../../../../domain/batch/eval-report.js';
import { formatSize } from '../../../../domain/text/format-quantity.js';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('eval rm')).action(async (name: string, options: CommonOptions) => {
    session.interruption.follow('finish');
    const { removeRun } = await import('../../../../batch/record/remove-run.js');
    const removed = await withApp(session, options, app => removeRun(app, name));
    answer(session, options, removed, formatRemoval);
  });
}

function formatRemoval({ id, directory, isDirectoryLeft, keptFiles, freedBytes }: RunRemoval): string {
  const files = keptFiles === 0 ? '' : `, with the files of ${keptFiles} of its attempts`;
  const left = isDirectoryLeft ? `\nkept ${directory}: it has other files` : '';
  return `removed ${id}${files}; freed ${formatSize(freedBytes)}${left}`;
}
