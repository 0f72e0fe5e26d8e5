import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { carrelError, errnoOf } from '../../domain/error/error.js';
import { importModule } from '../../exec/import-module.js';

export type PgBossModule = typeof import('pg-boss');

/** The version that the contract suite was run with. */
const TESTED = '12.35.0';
/** Earlier ones have no fence: a host that lost its claim could complete the job of another. */
const OLDEST_MAJOR = 12;

const install = `npm install pg-boss@${TESTED}`;

/** The one that a module at `from` finds. FLEET_ENGINE_MISSING. */
export async function loadPgBoss(from = import.meta.url): Promise<PgBossModule> {
  const entry = findEntry(from);
  const version = readVersion(entry);
  if (Number.parseInt(version, 10) < OLDEST_MAJOR) {
    const problem = `pg-boss ${version} is installed; expected ${OLDEST_MAJOR} or newer`;
    throw carrelError('FLEET_ENGINE_MISSING', { problem, install });
  }
  return (await importModule(pathToFileURL(entry).href)) as PgBossModule;
}

function findEntry(from: string): string {
  try {
    return createRequire(from).resolve('pg-boss');
  } catch (error) {
    if (errnoOf(error) !== 'MODULE_NOT_FOUND') throw error;
    throw carrelError('FLEET_ENGINE_MISSING', { problem: 'pg-boss is not installed', install }, error);
  }
}

/** Its package.json is not among its exports. */
function readVersion(entry: string): string {
  const file = join(entry.slice(0, entry.lastIndexOf('pg-boss')), 'pg-boss', 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
