import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { replaceFile } from '../../../../exec/filesystem/replace-file.js';
import { dashboardUrlOf } from '../../../http/security/own-url.js';
import { answer, type Session, withApp } from '../../cli-session.js';
import { addServerOptions, findServerName, type ServerOptions } from '../../remote/server-options.js';

interface DashboardOptions extends ServerOptions {
  readonly open?: boolean;
}

export function define(command: Command, session: Session): void {
  addServerOptions(command)
    .option('--open', 'open the link in the browser, if stdout is a terminal')
    .addHelpText(
      'after',
      '\nThe link works once and for ten minutes. If stdout is not a terminal, the link is written to a file that only you can read, and its name is printed.',
    )
    .action(async (options: DashboardOptions) => {
      const server = findServerName(options, session) ?? (await findOwnServer(options, session));
      const url = await makeLink({ ...options, server }, session);
      if (options.open && session.isInteractive) await openBrowser(url, session);
      if (session.output.isAnsweredToTerminal) return answer(session, options, { url }, link => link.url);
      const file = await keepLink(url, session);
      answer(session, options, { file }, link => link.file);
      session.output.narrate('the link is in this file, so that readers of a log cannot use it');
    });
}

/** The default address of `carrel serve`. */
const findOwnServer = (options: DashboardOptions, session: Session): Promise<string> =>
  withApp(session, options, async app => {
    const { host, port } = (await app.loadConfig(null)).config.server;
    const { urlOf } = await import('../../../http/security/own-url.js');
    return urlOf(host, port);
  });

/** The server uses the address that it listens on; the client may reach it by another one. */
async function makeLink(options: ServerOptions, session: Session): Promise<string> {
  const { withServer } = await import('../../remote/server-connection.js');
  return withServer(session, options, async ({ http, url }) => {
    const made = await http.json<{ url: string }>('/api/login-links', { method: 'POST' });
    const { pathname, search } = new URL(made.url);
    return dashboardUrlOf(url) + pathname + search;
  });
}

/** Mode 0600; replaced by the next one. */
const keepLink = (url: string, session: Session): Promise<string> =>
  withApp(session, {}, async ({ places }) => {
    const directory = join(places.stateDir, 'server');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const file = join(directory, 'login-link');
    await replaceFile(file, `${url}\n`, 0o600);
    return file;
  });

async function openBrowser(url: string, { environment, output }: Session): Promise<void> {
  const { startBackground } = await import('../../../../exec/background-process.js');
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const started = startBackground({ command: [program, url], environment, cwd: '/', priority: 'normal' });
  if (!started) output.narrate(`cannot start ${program}; open the link yourself`);
}
