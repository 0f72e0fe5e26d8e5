import type { HostState } from '../../engine/host.js';
import type { ClaimProgress } from '../../engine/run.js';
import type { LedgerSession } from '../ledger-session.js';
import type { HostRow } from '../ledger-tables.js';
import { listClaims } from './read-runs.js';

export function listHosts(session: LedgerSession, lifeMs: number): Promise<HostState[]> {
  return session.read(async db => {
    const rows = await db
      .selectFrom('fleet_hosts')
      .selectAll()
      .select(session.now.as('now'))
      .orderBy('name')
      .orderBy('id')
      .execute();
    const claims = await listClaims(db);
    return rows.map(row => toState(row, row.now, lifeMs, claims));
  });
}

function toState(row: HostRow, now: number, lifeMs: number, claims: readonly ClaimProgress[]): HostState {
  const silentForMs = Math.max(0, now - row.beat_at);
  return {
    ...{ id: row.id, name: row.name, slots: row.slots, refusing: row.refusing },
    labels: JSON.parse(row.labels) as string[],
    versions: JSON.parse(row.versions) as Record<string, string>,
    diskFreeBytes: row.disk_free,
    state: nameState(row, silentForMs > lifeMs),
    ...{ beatAt: row.beat_at, silentForMs },
    claims: claims.filter(claim => claim.host === row.id),
  };
}

function nameState(row: HostRow, isSilent: boolean): HostState['state'] {
  if (row.gone === 1) return 'gone';
  if (isSilent) return 'silent';
  if (row.draining === 1) return 'draining';
  return row.refusing === null ? 'working' : 'refusing';
}
