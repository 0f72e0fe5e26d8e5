import { existsSync } from 'node:fs';
import { sql, type Transaction } from 'kysely';
import { carrelError } from '../../domain/error/error.js';
import { type Migration, migrations as released } from '../migrations/migrations.js';
import { copyOfVersion } from './copy-database.js';

// "Crrl". Distinguishes our databases from those of other programs.
const APPLICATION_ID = 0x4372726c;

/** Whether there is nothing to do. STORE_TOO_NEW, or STORE_CORRUPT when the database belongs to another program. */
export async function isMigrated(db: Transaction<unknown>, file: string): Promise<boolean> {
  const header = await readHeader(db);
  refuseForeign(header, file, released.length);
  return header.version === released.length;
}

/**
 * Upgrades the database to the version of this Carrel; does nothing when another process has just done so. `keepCopy`
 * is called before anything is changed, unless the database is new.
 */
export async function migrate(
  db: Transaction<unknown>,
  file: string,
  migrations: readonly Migration[] = released,
  keepCopy: (version: number) => void = () => undefined,
): Promise<void> {
  const header = await readHeader(db);
  refuseForeign(header, file, migrations.length);
  if (header.version > 0 && header.version < migrations.length) keepCopy(header.version);
  for (const migration of migrations.slice(header.version)) await migration(db);
  await sql`pragma user_version = ${sql.lit(migrations.length)}`.execute(db);
  await sql`pragma application_id = ${sql.lit(APPLICATION_ID)}`.execute(db);
}

interface Header {
  readonly version: number;
  readonly application: number;
  readonly tables: number;
}

async function readHeader(db: Transaction<unknown>): Promise<Header> {
  const { rows } = await sql<Header>`
    select user_version as version, application_id as application, (select count(*) from sqlite_schema) as tables
    from pragma_user_version, pragma_application_id`.execute(db);
  return rows[0] as Header;
}

function refuseForeign(header: Header, file: string, known: number): void {
  if (header.version > known) {
    const copy = copyOfVersion(file, known);
    const details = { file, found: header.version, known };
    throw carrelError('STORE_TOO_NEW', existsSync(copy) ? { ...details, copy } : details);
  }
  const isFresh = header.version === 0 && header.tables === 0;
  if (isFresh || header.application === APPLICATION_ID) return;
  throw carrelError('STORE_CORRUPT', { file, problem: 'it is the database of another program' });
}
