import type { Command } from 'commander';
import { addServerOptions, findServerName, type ServerOptions } from '../server-options.js';
import { answer, type Session, withApp } from '../session.js';

interface DashboardOptions extends ServerOptions {
  readonly open?: boolean;
}

export function define(command: Command, session: Session): void {
  addServerOptions(command)
    .option('--open', 'open the link in the browser, when this is a terminal')
    .addHelpText('after', '\nThe link lets one browser in, once, within ten minutes.')
    .action(async (options: DashboardOptions) => {
      const server = findServerName(options, session) ?? (await findOwnServer(options, session));
      const url = await makeLink({ ...options, server }, session);
      answer(session, options, { url }, link => link.url);
      if (options.open && session.isInteractive) await openBrowser(url, session);
    });
}

/** Where `carrel serve` listens unless it is told otherwise. */
const findOwnServer = (options: DashboardOptions, session: Session): Promise<string> =>
  withApp(session, options, async app => {
    const { host, port } = (await app.loadConfig(null)).config.server;
    const { urlOf } = await import('../../server/own-url.js');
    return urlOf(host, port);
  });

/** The server knows itself by the address that it listens on; whoever asks may reach it by another. */
async function makeLink(options: ServerOptions, session: Session): Promise<string> {
  const { withServer } = await import('../server-connection.js');
  return withServer(session, options, async ({ http, url }) => {
    const made = await http.json<{ url: string }>('/api/login-links', { method: 'POST' });
    const { pathname, search } = new URL(made.url);
    return url + pathname + search;
  });
}

async function openBrowser(url: string, { environment, output }: Session): Promise<void> {
  const { startBackground } = await import('../../exec/background.js');
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const started = startBackground({ command: [program, url], environment, cwd: '/', priority: 'normal' });
  if (!started) output.narrate(`${program} can't be started; open the link yourself`);
}
