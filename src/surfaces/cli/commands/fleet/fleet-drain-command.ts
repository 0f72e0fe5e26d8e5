import type { Command } from 'commander';
import { answer, type Session, withApp } from '../../cli-session.js';
import { addFleetOption, type FleetOptions, withFleet } from './fleet-option.js';

export function define(command: Command, session: Session): void {
  addFleetOption(command.argument('<host>', 'the id or the name of a host')).action(
    (name: string, options: FleetOptions) =>
      withApp(session, options, app =>
        withFleet(session, app, options, async ({ engine }) => {
          const host = (await engine.hosts()).find(each => each.name === name)?.id ?? name;
          await engine.drain(host);
          answer(session, options, { host }, each => each.host);
        }),
      ),
  );
}
