import type { Command } from 'commander';
import type { RemovalResult } from '../../../domain/report/result.js';
import type { AcceptedRisks } from '../../../domain/workspace/risk.js';
import { type Session, withApp } from '../cli-session.js';
import { addServerOptions, asksServer, type ServerOptions } from '../remote/server-options.js';
import { formatRemoval } from '../views/workspace/removal-report.js';

/** The action of `down NAME` and of `worktrees remove ID`, which can use a server. */
export function defineRemoval(
  command: Command,
  session: Session,
  { mayAskServer = false }: { readonly mayAskServer?: boolean } = {},
): void {
  if (mayAskServer) addServerOptions(command);
  command
    .addHelpText(
      'after',
      '\nA snapshot is taken before anything is discarded. Restore it with: carrel restore',
    )
    .action((name: string, options: ServerOptions & AcceptedRisks) => {
      const isRemote = mayAskServer && asksServer(options, session);
      const local = mayAskServer ? removeWorktreeHere : removeHere;
      return remove(name, options, session, isRemote ? removeOnServer : local);
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
  const { removeWorkspace } = await import('../../../operations/removal/down.js');
  return withApp(session, options, (app, repository) =>
    removeWorkspace(app, { repository, name, accepted, signal: session.interruption.signal }),
  );
};

/** An id of a workspace or of a task is enough, in any repository; a name is looked up in this one. */
const removeWorktreeHere: Remove = async (name, accepted, options, session) => {
  const [{ findWorktree, removeWorktree }, { removeWorkspace }] = await Promise.all([
    import('../../../operations/removal/remove-worktree.js'),
    import('../../../operations/removal/down.js'),
  ]);
  const { signal } = session.interruption;
  return withApp(session, options, async (app, repository) => {
    const record = await findWorktree(app, name);
    return record
      ? removeWorktree(app, record, accepted, signal)
      : removeWorkspace(app, { repository, name, accepted, signal });
  });
};

const removeOnServer: Remove = async (name, accepted, options, session) => {
  const [{ nameRepository, withServer }, { removeRemoteWorktree }] = await Promise.all([
    import('../remote/server-connection.js'),
    import('../remote/remote-worktrees.js'),
  ]);
  return withServer(session, options, server => {
    const isNamed = options.repository !== undefined;
    const repository = isNamed ? nameRepository(session, options, server) : undefined;
    return removeRemoteWorktree(server.client, name, { repository, accepted });
  });
};
