import type { Command } from 'commander';
import { parseDuration } from '../domain/quantity.js';
import { exitCodes } from './exit-code.js';
import { answer, type CommonOptions, type Session, withApp } from './session.js';
import { formatGcClosing, formatGcTable } from './views/gc-table.js';

interface CleanupOptions extends CommonOptions {
  readonly olderThan?: string;
  readonly all?: boolean;
  readonly yes?: boolean;
}

/** Options and action of the two words for cleaning up: `gc`, and `worktrees cleanup` with an age of its own. */
export function defineCleanup(
  command: Command,
  session: Session,
  { name, olderThan }: { readonly name: string; readonly olderThan?: string },
): void {
  command
    .option(
      '--older-than <duration>',
      'only workspaces without activity for this long, such as 12h or 7d',
      olderThan,
    )
    .option('--all', 'the workspaces of all repositories')
    .option('--yes', 'do it; without this only the plan is shown')
    .action((options: CleanupOptions) => cleanUp(name, options, session));
}

async function cleanUp(name: string, options: CleanupOptions, session: Session): Promise<void> {
  const execute = options.yes === true;
  const olderThanMs = options.olderThan === undefined ? undefined : parseDuration(options.olderThan);
  if (execute) session.interruption.follow('finish');
  const { collectAllGarbage } = await import('../task/forget-tasks.js');
  const report = await withApp(session, options, (app, repository) =>
    collectAllGarbage(app, {
      repository,
      all: options.all,
      olderThanMs,
      execute,
      signal: session.interruption.signal,
    }),
  );
  if (options.json || report.items.length > 0) answer(session, options, report, formatGcTable);
  session.output.narrate(formatGcClosing(report, describeExecution(name, options)));
  if (report.items.some(item => item.outcome === 'failed')) session.exitWith(exitCodes.failed);
}

/** The same call, with a yes. */
function describeExecution(name: string, { olderThan, all }: CleanupOptions): string {
  const age = olderThan === undefined ? [] : [`--older-than ${olderThan}`];
  return ['carrel', name, ...age, ...(all ? ['--all'] : []), '--yes'].join(' ');
}
