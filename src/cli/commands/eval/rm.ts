import type { Command } from 'commander';
import type { RunRemoval } from '../../../domain/eval-report.js';
import { formatSize } from '../../../domain/quantity.js';
import { RunArgument } from '../../command.js';
import { answer, type CommonOptions, type Session, withApp } from '../../session.js';

export function define(command: Command, session: Session): void {
  command.addArgument(new RunArgument()).action(async (name: string, options: CommonOptions) => {
    session.interruption.follow('finish');
    const { removeRun } = await import('../../../batch/remove-run.js');
    const removed = await withApp(session, options, app => removeRun(app, name));
    answer(session, options, removed, formatRemoval);
  });
}

function formatRemoval({ id, directory, isDirectoryLeft, keptFiles, freedBytes }: RunRemoval): string {
  const files = keptFiles === 0 ? '' : `, with the kept files of ${keptFiles} of its attempts`;
  const left = isDirectoryLeft ? `\n${directory} stays: there is something else in it` : '';
  return `removed ${id}${files}; freed ${formatSize(freedBytes)}${left}`;
}
