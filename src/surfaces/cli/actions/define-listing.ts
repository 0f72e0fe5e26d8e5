import type { Command } from 'commander';
import { answer, type Session, withApp } from '../cli-session.js';
import { addFields } from '../derive-command.js';
import { fieldsOf } from '../derived-fields.js';
import { addServerOptions, asksServer, type ServerOptions } from '../remote/server-options.js';
import { formatWorkspaceTable, type ListedWorktree } from '../views/workspace/workspace-table.js';

interface ListOptions extends ServerOptions {
  readonly all?: boolean;
  readonly fast?: boolean;
}

/** Options and action of `ls` and of `worktrees list`, which can use a server. */
export function defineListing(
  command: Command,
  session: Session,
  { mayAskServer = false }: { readonly mayAskServer?: boolean } = {},
): void {
  addFields(command, fieldsOf('ls'));
  if (mayAskServer)
    addServerOptions(command).addHelpText(
      'after',
      '\nA server lists the workspaces of all repositories unless -R names one.',
    );
  command.action((options: ListOptions) => list(options, session, mayAskServer));
}

async function list(options: ListOptions, session: Session, mayAskServer: boolean): Promise<void> {
  const isRemote = mayAskServer && asksServer(options, session);
  const workspaces = await (isRemote
    ? listOnServer(options, session)
    : listHere(options, session, mayAskServer));
  if (workspaces.length === 0 && !options.json) {
    const where = options.all || isRemote ? '' : ' in this repository';
    return session.output.narrate(`there are no workspaces${where}; create one with: carrel up NAME`);
  }
  answer(session, options, workspaces, found => formatWorkspaceTable(found, Date.now()));
}

async function listHere(
  options: ListOptions,
  session: Session,
  withWorkflows: boolean,
): Promise<ListedWorktree[]> {
  const { listWorkspaces } = await import('../../../operations/workspace/list.js');
  const { all, fast } = options;
  return withApp(session, options, async (app, repository) => {
    const workspaces = await listWorkspaces(app, { repository, all, fast });
    if (!withWorkflows) return workspaces;
    const tasks = new Map((await app.store.tasks.list()).map(task => [task.workspaceId, task.id]));
    return workspaces.map(workspace => ({ ...workspace, workflowId: tasks.get(workspace.id) ?? null }));
  });
}

async function listOnServer(options: ListOptions, session: Session): Promise<ListedWorktree[]> {
  const { nameRepository, withServer } = await import('../remote/server-connection.js');
  const { all = false, fast, repository: given } = options;
  return withServer(session, options, async server => {
    const repository = given === undefined || all ? undefined : nameRepository(session, options, server);
    const { client } = server;
    const [workspaces, worktrees] = await Promise.all([
      client.workspaces.list({ repository, fast }),
      client.developer.worktrees(),
    ]);
    const workflows = new Map(worktrees.map(({ id, workflowId }) => [id, workflowId]));
    return workspaces.map(workspace => ({ ...workspace, workflowId: workflows.get(workspace.id) ?? null }));
  });
}
