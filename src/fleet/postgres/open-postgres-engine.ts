import { type Engine, type EngineTiming, FLEET_TIMING } from '../engine/engine.js';
import { createEngine } from '../loop/create-engine.js';
import { openPostgresLedger } from './postgres-ledger.js';

export interface PostgresEngineOptions {
  /** Such as `postgres://user:password@host/database?sslmode=verify-full`. */
  readonly url: string;
  readonly timing?: EngineTiming | undefined;
}

/**
 * The engine of a fleet that `initPostgres` has created. FLEET_ENGINE_MISSING, FLEET_UNAVAILABLE,
 * FLEET_NOT_INITIALIZED, FLEET_VERSION_DIFFERS.
 */
export async function openPostgresEngine({
  url,
  timing = FLEET_TIMING,
}: PostgresEngineOptions): Promise<Engine> {
  return createEngine(await openPostgresLedger(url), timing);
}
