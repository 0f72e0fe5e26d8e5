import type { Command } from 'commander';
import type { GcReport } from '../../../domain/report/result.js';
import { answer, type Session, withApp } from '../cli-session.js';
import { addFields } from '../derive-command.js';
import { fieldsOf } from '../derived-fields.js';
import { exitCodes } from '../exit/exit-code.js';
import { durationFor } from '../options/number-option.js';
import { addServerOptions, asksServer, type ServerOptions } from '../remote/server-options.js';
import { formatGcClosing, formatGcTable } from '../views/workspace/gc-table.js';

interface CleanupOptions extends ServerOptions {
  readonly olderThan?: string;
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly trustClock?: boolean;
}

interface CleanupWord {
  readonly name: string;
  /** The default. */
  readonly olderThan?: string;
  readonly mayAskServer?: boolean;
}

/** Options and action of `gc` and of `worktrees cleanup`, which has an age and can use a server. */
export function defineCleanup(command: Command, session: Session, word: CleanupWord): void {
  const { name, olderThan, mayAskServer = false } = word;
  command.option(
    '--older-than <duration>',
    'only workspaces not used for this long, such as 12h or 7d',
    olderThan,
  );
  addFields(command, fieldsOf('gc'));
  if (mayAskServer)
    addServerOptions(command).addHelpText(
      'after',
      '\nA server cleans up all repositories unless -R names one. Work that could be lost is kept.',
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
  const olderThanMs =
    options.olderThan === undefined ? undefined : durationFor('--older-than')(options.olderThan);
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
  const { collectAllGarbage } = await import('../../../task/recovery/expire-tasks.js');
  const { signal } = session.interruption;
  return withApp(session, options, (app, repository) =>
    collectAllGarbage(app, {
      repository,
      all: options.all,
      trustClock: options.trustClock,
      ...order,
      signal,
    }),
  );
};

const cleanUpOnServer: CleanUp = async (options, session, { execute, olderThanMs = 0 }) => {
  const [{ nameRepository, withServer }, { cleanUpRemote }] = await Promise.all([
    import('../remote/server-connection.js'),
    import('../remote/remote-cleanup.js'),
  ]);
  const { signal } = session.interruption;
  return withServer(session, options, server => {
    const isOfAll = options.all || options.repository === undefined;
    const repository = isOfAll ? undefined : nameRepository(session, options, server);
    const now = Date.now();
    const { trustClock } = options;
    return cleanUpRemote(server.client, { repository, olderThanMs, execute, now, trustClock, signal });
  });
};

/** The same call with --yes. */
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

/** Quotes it for a shell. */
const quoteOdd = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
