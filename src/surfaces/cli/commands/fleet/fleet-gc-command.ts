import type { Command } from 'commander';
import { formatSize } from '../../../../domain/text/format-quantity.js';
import { answer, type Session, withApp } from '../../cli-session.js';
import { durationFor } from '../../options/number-option.js';
import { addFleetOption, type FleetOptions, withFleet } from './fleet-option.js';

interface CleanCommandOptions extends FleetOptions {
  readonly olderThan?: number;
  readonly dryRun?: boolean;
}

const MONTH_MS = 30 * 24 * 60 * 60_000;

export function define(command: Command, session: Session): void {
  addFleetOption(command)
    .option(
      '--older-than <duration>',
      'only files that were last sent this long ago, at least a day (default: 30d)',
      durationFor('--older-than'),
    )
    .option('--dry-run', 'print what would be removed')
    .action((options: CleanCommandOptions) =>
      withApp(session, options, app =>
        withFleet(session, app, options, async fleet => {
          const { cleanFleet } = await import('../../../../fleet/open/clean-fleet.js');
          const { olderThan: olderThanMs = MONTH_MS, dryRun: isDryRun = false } = options;
          const cleaned = await cleanFleet(app, fleet, { olderThanMs, isDryRun });
          answer(session, options, cleaned, ({ removed, freedBytes, kept }) =>
            [
              `${isDryRun ? 'files to remove' : 'removed files'}: ${removed}, ${formatSize(freedBytes)}`,
              `kept: ${kept}`,
            ].join('; '),
          );
          for (const run of cleaned.runs) session.output.narrate(`${run} still needs its files`);
        }),
      ),
    );
}
