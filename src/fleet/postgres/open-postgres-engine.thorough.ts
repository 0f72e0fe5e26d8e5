import { expect, test } from 'vitest';
import { usePostgres } from '../../../test/helpers/fleet/postgres.js';
import { severLedger } from '../../../test/helpers/fleet/severed-ledger.js';
import { engineContract } from '../engine/engine-contract.js';
import { createEngine } from '../loop/create-engine.js';
import { initPostgres } from './init-postgres.js';
import { openPostgresEngine } from './open-postgres-engine.js';
import { openPostgresLedger } from './postgres-ledger.js';

const postgres = usePostgres();

engineContract('the engine on PostgreSQL', async () => {
  const url = await postgres.createFleet();
  return {
    connect: async timing => {
      const { ledger, setAway } = severLedger(await openPostgresLedger(url));
      return { engine: createEngine(ledger, timing), setAway };
    },
    close: async () => undefined,
  };
});

test('a database without a fleet is refused, until it is initialized, which can be repeated', async () => {
  const url = await postgres.createDatabase();
  await expect(openPostgresEngine({ url })).rejects.toMatchObject({ code: 'FLEET_NOT_INITIALIZED' });
  const [first, second] = await Promise.all([initPostgres(url), initPostgres(url)]);
  expect([first.to, second.to]).toEqual([4, 4]);
  expect(await initPostgres(url)).toEqual({ from: 4, to: 4 });
  const engine = await openPostgresEngine({ url });
  expect(await engine.runs()).toEqual([]);
  await engine.close();
});

test('a server that does not answer is reported without the password', async () => {
  const url = 'postgres://carrel:secret@127.0.0.1:1/fleet';
  const error = await openPostgresEngine({ url }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'FLEET_UNAVAILABLE' });
  expect(JSON.stringify(error)).not.toContain('secret');
});
