import type { Command } from 'commander';
import type { RemovalResult } from '../domain/result.js';
import type { AcceptedRisks } from '../domain/risk.js';
import { addServerOptions, asksServer, type ServerOptions } from './server-options.js';
import { type Session, withApp } from './session.js';
import { formatRemoval } from './views/removal.js';

/** Options and action of the two words for removing a workspace: `down NAME`, and `worktrees remove ID`, which can ask a server. */
export function defineRemoval(
  command: Command,
  session: Session,
  { mayAskServer = false }: { readonly mayAskServer?: boolean } = {},
): void {
  command
    .option('--discard-changes', 'remove it although it has changes that are not committed')
    .option('--discard-commits', 'remove it although it has commits that are nowhere else')
    .option('--stop-processes', 'end the processes that run in it')
    .option('--break-lease', 'remove it although somebody has leased it');
  if (mayAskServer) addServerOptions(command);
  command
    .addHelpText('after', '\nWhatever is discarded is snapshotted first: carrel restore brings it back.')
    .action((name: string, options: ServerOptions & AcceptedRisks) => {
      const isRemote = mayAskServer && asksServer(options, session);
      return remove(name, options, session, isRemote ? removeOnServer : removeHere);
    });
}

type Remove = (
  name: string,
  accepted: AcceptedRisks,
  options: ServerOptions,
  session: Session,
) => Promise<RemovalResult>;

async function remove(
  name: string,
  options: ServerOptions & AcceptedRisks,
  session: Session,
  act: Remove,
): Promise<void> {
  session.interruption.follow('finish');
  const { discardChanges, discardCommits, stopProcesses, breakLease } = options;
  const accepted = { discardChanges, discardCommits, stopProcesses, breakLease };
  const result = await act(name, accepted, options, session);
  for (const warning of result.warnings) session.output.narrate(`warning: ${warning}`);
  session.output.narrate(formatRemoval(result));
  if (options.json) session.output.json(result);
}

const removeHere: Remove = async (name, accepted, options, session) => {
  const { removeWorkspace } = await import('../operations/down.js');
  return withApp(session, options, (app, repository) =>
    removeWorkspace(app, { repository, name, accepted, signal: session.interruption.signal }),
  );
};

const removeOnServer: Remove = async (name, accepted, options, session) => {
  const [{ nameRepository, withServer }, { removeRemoteWorktree }] = await Promise.all([
    import('./server-connection.js'),
    import('./remote-worktrees.js'),
  ]);
  return withServer(session, options, server => {
    const isNamed = options.repository !== undefined;
    const repository = isNamed ? nameRepository(session, options, server) : undefined;
    return removeRemoteWorktree(server.client, name, { repository, accepted });
  });
};
