import type { Command } from 'commander';
import { parseDuration } from '../domain/quantity.js';
import type { GcReport } from '../domain/result.js';
import { exitCodes } from './exit-code.js';
import { addServerOptions, asksServer, type ServerOptions } from './server-options.js';
import { answer, type Session, withApp } from './session.js';
import { formatGcClosing, formatGcTable } from './views/gc-table.js';

interface CleanupOptions extends ServerOptions {
  readonly olderThan?: string;
  readonly all?: boolean;
  readonly yes?: boolean;
}

interface CleanupWord {
  readonly name: string;
  /** Unless the call says otherwise. */
  readonly olderThan?: string;
  readonly mayAskServer?: boolean;
}

/** Options and action of the two words for cleaning up: `gc`, and `worktrees cleanup`, which has an age and can ask a server. */
export function defineCleanup(command: Command, session: Session, word: CleanupWord): void {
  const { name, olderThan, mayAskServer = false } = word;
  command
    .option(
      '--older-than <duration>',
      'only workspaces without activity for this long, such as 12h or 7d',
      olderThan,
    )
    .option('--all', 'the workspaces of all repositories')
    .option('--yes', 'do it; without this only the plan is shown');
  if (mayAskServer)
    addServerOptions(command).addHelpText(
      'after',
      '\nA server cleans up those of all repositories unless -R names one; what could be lost is kept.',
    );
  command.action((options: CleanupOptions) =>
    cleanUp(name, options, session, mayAskServer && asksServer(options, session)),
  );
}

async function cleanUp(
  name: string,
  options: CleanupOptions,
  session: Session,
  isRemote: boolean,
): Promise<void> {
  const execute = options.yes === true;
  const olderThanMs = options.olderThan === undefined ? undefined : parseDuration(options.olderThan);
  if (execute) session.interruption.follow('finish');
  const act = isRemote ? cleanUpOnServer : cleanUpHere;
  const report = await act(options, session, { execute, olderThanMs });
  if (options.json || report.items.length > 0) answer(session, options, report, formatGcTable);
  session.output.narrate(formatGcClosing(report, describeExecution(name, options)));
  if (report.items.some(item => item.outcome === 'failed')) session.exitWith(exitCodes.failed);
}

type CleanUp = (
  options: CleanupOptions,
  session: Session,
  order: { readonly execute: boolean; readonly olderThanMs: number | undefined },
) => Promise<GcReport>;

const cleanUpHere: CleanUp = async (options, session, order) => {
  const { collectAllGarbage } = await import('../task/forget-tasks.js');
  const { signal } = session.interruption;
  return withApp(session, options, (app, repository) =>
    collectAllGarbage(app, { repository, all: options.all, ...order, signal }),
  );
};

const cleanUpOnServer: CleanUp = async (options, session, { execute, olderThanMs = 0 }) => {
  const [{ nameRepository, withServer }, { cleanUpRemote }] = await Promise.all([
    import('./server-connection.js'),
    import('./remote-cleanup.js'),
  ]);
  const { signal } = session.interruption;
  return withServer(session, options, server => {
    const isOfAll = options.all || options.repository === undefined;
    const repository = isOfAll ? undefined : nameRepository(session, options, server);
    return cleanUpRemote(server.client, { repository, olderThanMs, execute, now: Date.now(), signal });
  });
};

/** The same call, with a yes. */
function describeExecution(name: string, options: CleanupOptions): string {
  const { olderThan, all, server, tokenFile, repository } = options;
  const values = {
    '--older-than': olderThan,
    '-R': repository,
    '--server': server,
    '--token-file': tokenFile,
  };
  const given = Object.entries(values).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
  return ['carrel', name, ...given.map(quoteOdd), ...(all ? ['--all'] : []), '--yes'].join(' ');
}

/** So that a shell takes it for one word. */
const quoteOdd = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
