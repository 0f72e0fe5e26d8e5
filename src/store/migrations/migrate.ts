import { sql, type Transaction } from 'kysely';
import { carrelError } from '../../domain/error.js';
import { type Migration, migrations as released } from './migrations.js';

// "Crrl". Tells our databases from those of other programs.
const APPLICATION_ID = 0x4372726c;

/** Whether nothing is to be done. STORE_TOO_NEW, or STORE_CORRUPT when the database is another program's. */
export async function isMigrated(db: Transaction<unknown>, file: string): Promise<boolean> {
  const header = await readHeader(db);
  refuseForeign(header, file, released.length);
  return header.version === released.length;
}

/** Brings the database to the version of this Carrel; does nothing when somebody else just did. */
export async function migrate(
  db: Transaction<unknown>,
  file: string,
  migrations: readonly Migration[] = released,
): Promise<void> {
  const header = await readHeader(db);
  refuseForeign(header, file, migrations.length);
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
  if (header.version > known) throw carrelError('STORE_TOO_NEW', { file, found: header.version, known });
  const isFresh = header.version === 0 && header.tables === 0;
  if (isFresh || header.application === APPLICATION_ID) return;
  throw carrelError('STORE_CORRUPT', { file, problem: 'it is the database of another program' });
}
