import { carrelError } from '../../../src/domain/error/error.js';
import type { LedgerSession } from '../../../src/fleet/ledger/ledger-session.js';

/** A ledger whose database can be away, as behind a cut cable. */
export function severLedger(ledger: LedgerSession): {
  ledger: LedgerSession;
  setAway(isAway: boolean): void;
} {
  let isAway = false;
  const requireThere = (): void => {
    if (isAway) throw carrelError('FLEET_UNAVAILABLE', { location: 'the test', problem: 'it is away' });
  };
  return {
    setAway: value => {
      isAway = value;
    },
    ledger: {
      ...ledger,
      read: async action => {
        requireThere();
        return ledger.read(action);
      },
      change: async action => {
        requireThere();
        return ledger.change(action);
      },
      runningForMs: async () => {
        requireThere();
        return ledger.runningForMs();
      },
      listen: callback => ledger.listen(news => isAway || callback(news)),
    },
  };
}
