import { type Command, Option } from 'commander';
import { carrelError } from '../../../../domain/error/error.js';
import type { Fleet } from '../../../../fleet/open/open-fleet.js';
import type { Context } from '../../../../operations/context.js';
import type { CommonOptions, Session } from '../../cli-session.js';

export interface FleetOptions extends CommonOptions {
  readonly on?: string;
}

/** The fleet that a command is about. */
export const addFleetOption = (command: Command): Command =>
  command.addOption(
    new Option('--on <fleet>', 'the fleet: postgres://…, a directory, or local (default: CARREL_FLEET)'),
  );

/** Opens the fleet of a command and always closes it. */
export async function withFleet<T>(
  session: Session,
  app: Context,
  { on }: FleetOptions,
  use: (fleet: Fleet) => Promise<T>,
): Promise<T> {
  const address = on ?? session.environment.CARREL_FLEET;
  if (address === undefined || address === '')
    throw carrelError('FLEET_ADDRESS_INVALID', {
      ...{ what: '--on', found: 'nothing', expected: 'the address of a fleet, such as postgres://…' },
    });
  const { openFleet } = await import('../../../../fleet/open/open-fleet.js');
  const fleet = await openFleet(app, address);
  try {
    return await use(fleet);
  } finally {
    await fleet.close();
  }
}
