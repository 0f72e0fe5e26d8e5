import type { Command } from 'commander';
import type { AcceptedRisks } from '../domain/risk.js';
import { type CommonOptions, type Session, withApp } from './session.js';
import { formatRemoval } from './views/removal.js';

/** Options and action of the two words for removing a workspace: `down NAME` and `worktrees remove ID`. */
export function defineRemoval(command: Command, session: Session): void {
  command
    .option('--discard-changes', 'remove it although it has changes that are not committed')
    .option('--discard-commits', 'remove it although it has commits that are nowhere else')
    .option('--stop-processes', 'end the processes that run in it')
    .option('--break-lease', 'remove it although somebody has leased it')
    .addHelpText('after', '\nWhatever is discarded is snapshotted first: carrel restore brings it back.')
    .action((name: string, options: CommonOptions & AcceptedRisks) => remove(name, options, session));
}

async function remove(name: string, options: CommonOptions & AcceptedRisks, session: Session): Promise<void> {
  session.interruption.follow('finish');
  const { removeWorkspace } = await import('../operations/down.js');
  const { discardChanges, discardCommits, stopProcesses, breakLease } = options;
  const accepted = { discardChanges, discardCommits, stopProcesses, breakLease };
  const result = await withApp(session, options, (app, repository) =>
    removeWorkspace(app, { repository, name, accepted, signal: session.interruption.signal }),
  );
  for (const warning of result.warnings) session.output.narrate(`warning: ${warning}`);
  session.output.narrate(formatRemoval(result));
  if (options.json) session.output.json(result);
}
