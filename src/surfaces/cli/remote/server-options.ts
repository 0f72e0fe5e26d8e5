import type { Command } from 'commander';
import type { CommonOptions, Session } from '../cli-session.js';

/** The options of commands that can use a server instead of this machine. */
export interface ServerOptions extends CommonOptions {
  readonly server?: string;
  readonly tokenFile?: string;
}

export const addServerOptions = (command: Command): Command =>
  command
    .option('--server <url>', 'use this server instead of this machine (default: CARREL_SERVER)')
    .option(
      '--token-file <file>',
      "file with the token of the server (default: CARREL_TOKEN, or the token of this machine's server)",
    );

/** The server as the user named it. An empty variable names none. */
export const findServerName = ({ server }: ServerOptions, { environment }: Session): string | undefined =>
  server ?? (environment.CARREL_SERVER || undefined);

export const asksServer = (options: ServerOptions, session: Session): boolean =>
  findServerName(options, session) !== undefined;
