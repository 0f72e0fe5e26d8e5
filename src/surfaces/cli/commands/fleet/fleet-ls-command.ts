import type { Command } from 'commander';
import { answer, type Session, withApp } from '../../cli-session.js';
import { formatFleet } from '../../views/fleet/fleet-table.js';
import { addFleetOption, type FleetOptions, withFleet } from './fleet-option.js';

export function define(command: Command, session: Session): void {
  addFleetOption(command).action((options: FleetOptions) =>
    withApp(session, options, app =>
      withFleet(session, app, options, async ({ engine }) => {
        const [hosts, runs, limits] = [await engine.hosts(), await engine.runs(), await engine.limits()];
        const value = { hosts, runs, limits };
        answer(session, options, value, found => formatFleet(found, Date.now()));
      }),
    ),
  );
}
