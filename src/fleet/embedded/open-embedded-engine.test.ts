import { join } from 'node:path';
import { severLedger } from '../../../test/helpers/fleet/severed-ledger.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { engineContract } from '../engine/engine-contract.js';
import { createEngine } from '../loop/create-engine.js';
import { openSqliteLedger } from './sqlite-ledger.js';

engineContract('the embedded engine', async () => {
  const file = join(tempDir(), 'fleet.db');
  return {
    connect: async timing => {
      const { ledger, setAway } = severLedger(await openSqliteLedger(file, timing.pollMs));
      return { engine: createEngine(ledger, timing), setAway };
    },
    close: async () => undefined,
  };
});
