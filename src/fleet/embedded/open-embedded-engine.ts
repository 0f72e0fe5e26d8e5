import { type Engine, type EngineTiming, FLEET_TIMING } from '../engine/engine.js';
import { createEngine } from '../loop/create-engine.js';
import { openSqliteLedger } from './sqlite-ledger.js';

export interface EmbeddedEngineOptions {
  /** The database; it and its directory are created if missing. */
  readonly file: string;
  readonly timing?: EngineTiming | undefined;
}

/** STORE_CORRUPT, STORE_TOO_NEW, STATE_NOT_WRITABLE, DISK_FULL, STORE_BUSY; all but the last leave the file as it is. */
export async function openEmbeddedEngine({
  file,
  timing = FLEET_TIMING,
}: EmbeddedEngineOptions): Promise<Engine> {
  return createEngine(await openSqliteLedger(file, timing.pollMs), timing);
}
