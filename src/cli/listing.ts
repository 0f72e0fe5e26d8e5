import type { Command } from 'commander';
import type { WorkspaceDetails } from '../domain/workspace.js';
import { addServerOptions, asksServer, type ServerOptions } from './server-options.js';
import { answer, type Session, withApp } from './session.js';
import { formatWorkspaceTable } from './views/workspace-table.js';

interface ListOptions extends ServerOptions {
  readonly all?: boolean;
  readonly fast?: boolean;
}

/** Options and action of the two words for listing workspaces: `ls`, and `worktrees list`, which can ask a server. */
export function defineListing(
  command: Command,
  session: Session,
  { mayAskServer = false }: { readonly mayAskServer?: boolean } = {},
): void {
  command
    .option('--all', 'the workspaces of all repositories')
    .option('--fast', 'what is on record only, without a look at the files');
  if (mayAskServer)
    addServerOptions(command).addHelpText(
      'after',
      '\nA server lists those of all repositories unless -R names one.',
    );
  command.action((options: ListOptions) => list(options, session, mayAskServer));
}

async function list(options: ListOptions, session: Session, mayAskServer: boolean): Promise<void> {
  const isRemote = mayAskServer && asksServer(options, session);
  const workspaces = await (isRemote ? listOnServer(options, session) : listHere(options, session));
  if (workspaces.length === 0 && !options.json) {
    const where = options.all || isRemote ? '' : ' in this repository';
    return session.output.narrate(`there are no workspaces${where}; make one with: carrel up NAME`);
  }
  answer(session, options, workspaces, found => formatWorkspaceTable(found, Date.now()));
}

async function listHere(options: ListOptions, session: Session): Promise<WorkspaceDetails[]> {
  const { listWorkspaces } = await import('../operations/list.js');
  const { all, fast } = options;
  return withApp(session, options, (app, repository) => listWorkspaces(app, { repository, all, fast }));
}

async function listOnServer(options: ListOptions, session: Session): Promise<WorkspaceDetails[]> {
  const { nameRepository, withServer } = await import('./server-connection.js');
  const { all = false, fast, repository: given } = options;
  return withServer(session, options, server => {
    const repository = given === undefined || all ? undefined : nameRepository(session, options, server);
    return server.client.workspaces.list({ repository, fast });
  });
}
