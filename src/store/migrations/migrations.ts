import type { Kysely } from 'kysely';
import { createFirstTables } from './001-first-tables.js';
import { createSlotsAndRemains } from './002-slots-and-remains.js';
import { createTasks } from './003-tasks.js';

/** Upgrades a database from the version before to its own. Runs inside a transaction. */
export type Migration = (db: Kysely<unknown>) => Promise<void>;

/**
 * In order; the first creates version 1. A new required field in a `details` column needs a migration too: rows without
 * it would count as damaged.
 */
export const migrations: readonly Migration[] = [createFirstTables, createSlotsAndRemains, createTasks];
