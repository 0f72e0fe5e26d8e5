import type { Command } from 'commander';
import { answer, type Session, withApp } from '../../cli-session.js';
import { formatFleetRun } from '../../views/fleet/fleet-run.js';
import { addFleetOption, type FleetOptions, withFleet } from './fleet-option.js';

export function define(command: Command, session: Session): void {
  addFleetOption(command.argument('<run>', 'the id of a run')).action((run: string, options: FleetOptions) =>
    withApp(session, options, app =>
      withFleet(session, app, options, async ({ engine }) =>
        answer(session, options, await engine.progress(run), value => formatFleetRun(value, Date.now())),
      ),
    ),
  );
}
