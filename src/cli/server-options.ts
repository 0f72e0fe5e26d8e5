import type { Command } from 'commander';
import type { CommonOptions, Session } from './session.js';

/** The options of commands that can ask a server instead of working here. */
export interface ServerOptions extends CommonOptions {
  readonly server?: string;
  readonly tokenFile?: string;
}

export const addServerOptions = (command: Command): Command =>
  command
    .option('--server <url>', 'ask this server instead of working here (default: CARREL_SERVER)')
    .option(
      '--token-file <file>',
      "the server's token (default: CARREL_TOKEN, or this machine's own for a server on it)",
    );

/** The server that is meant, as it was named; an empty variable names none. */
export const findServerName = ({ server }: ServerOptions, { environment }: Session): string | undefined =>
  server ?? (environment.CARREL_SERVER || undefined);

export const asksServer = (options: ServerOptions, session: Session): boolean =>
  findServerName(options, session) !== undefined;
