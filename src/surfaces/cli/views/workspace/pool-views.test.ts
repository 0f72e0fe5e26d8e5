import { describe, expect, it } from 'vitest';
import type { PoolReport, SlotReport } from '../../../../domain/workspace/pool-report.js';
import { formatDraining, formatWarming } from './pool-change.js';
import { formatPoolClosing, formatPoolTable } from './pool-table.js';

const now = Date.parse('2026-03-02T12:00:00.000Z');

const free: SlotReport = {
  id: 'slot_0123456789abcdef',
  kind: 'checkout',
  status: 'free',
  commit: '1111111111111111111111111111111111111111',
  path: '/cache/carrel/worktrees/api/slot/tree',
  lease: null,
  owner: null,
  caches: ['node_modules'],
  reason: null,
  sizeBytes: 5 * 1024 ** 2,
  createdAt: '2026-03-01T12:00:00.000Z',
  changedAt: '2026-03-01T12:00:00.000Z',
};

const leased: SlotReport = {
  ...free,
  id: 'slot_1123456789abcdef',
  kind: 'overlay',
  status: 'leased',
  lease: { id: 'lease_1', holder: 'batch\u001b[2J', since: '2026-03-02T11:55:00.000Z' },
  owner: { pid: 77, state: 'dead' },
  caches: [],
};

const quarantined: SlotReport = {
  ...free,
  id: 'slot_2123456789abcdef',
  status: 'quarantined',
  reason: 'a process does not end',
  caches: [],
};

const report: PoolReport = {
  repository: '/code/api',
  cap: 8,
  slots: [free, leased, quarantined],
  damaged: ['slot_3123456789abcdef'],
  remains: [
    {
      id: 'snap_0123456789abcdef',
      of: 'slot_1123456789abcdef',
      holds: 'work',
      directory: '/cache/x',
      sizeBytes: 1024,
      createdAt: '2026-03-02T11:00:00.000Z',
    },
  ],
};

describe('formatPoolTable', () => {
  it('has a line for each slot and a table of leftovers', () => {
    expect(`\n${formatPoolTable(report, now)}\n`).toMatchInlineSnapshot(`
      "
      SLOT                   KIND      COMMIT      STATE        MADE    HOLDER                SIZE    NOTE
      slot_0123456789abcdef  checkout  1111111111  free         1d ago  -                     5.0 MB  keeps node_modules
      slot_1123456789abcdef  overlay   1111111111  leased       1d ago  batch\\x1b[2J, 5m ago  5.0 MB  its process 77 is dead
      slot_2123456789abcdef  checkout  1111111111  quarantined  1d ago  -                     5.0 MB  a process does not end

      REMAINS                OF                     HOLDS  SINCE   SIZE
      snap_0123456789abcdef  slot_1123456789abcdef  work   1h ago  1.0 KB
      "
    `);
  });

  it('omits an empty table', () => {
    expect(formatPoolTable({ ...report, slots: [] }, now)).toMatch(/^REMAINS/);
    expect(formatPoolTable({ ...report, remains: [] }, now)).not.toContain('REMAINS');
  });
});

describe('formatPoolClosing', () => {
  it('counts slots; one in quarantine does not count towards the limit', () => {
    expect(formatPoolClosing(report)).toMatchInlineSnapshot(
      `"2 of at most 8 slots: 1 free, 1 leased, 1 quarantined; 1 waiting for capture or deletion; 1 with a damaged record: slot_3123456789abcdef"`,
    );
  });

  it('names the first command when there are no slots', () => {
    expect(formatPoolClosing({ ...report, slots: [], damaged: [], remains: [] })).toMatchInlineSnapshot(
      `"there are no warm workspaces in this repository; create some with: carrel pool warm"`,
    );
  });
});

describe('formatWarming', () => {
  const warming = { repository: '/code/api', commit: free.commit, cap: 8, wanted: 2, free: 2 };

  it('says how many are free', () => {
    expect(formatWarming(warming)).toBe('2 slots are free at 1111111111');
    expect(formatWarming({ ...warming, wanted: 1, free: 1 })).toBe('1 slot is free at 1111111111');
  });

  it('says why there are fewer than requested', () => {
    expect(formatWarming({ ...warming, wanted: 20, free: 8 })).toMatchInlineSnapshot(
      `"8 slots are free at 1111111111; pool.size allows 8, not 20"`,
    );
    expect(formatWarming({ ...warming, wanted: 4 })).toMatchInlineSnapshot(
      `"2 slots are free at 1111111111; the rest of the 8 slots (pool.size) are in use, see: carrel pool status"`,
    );
  });
});

describe('formatDraining', () => {
  it('names the users of the slots that it kept', () => {
    const holder = { id: 'lease_1', holder: 'batch 7', since: leased.createdAt };
    const busy: SlotReport[] = [
      { ...leased, lease: holder },
      { ...free, status: 'creating', owner: { pid: 78, state: 'alive' } },
    ];
    const draining = { repository: '/code/api', destroyed: 1, busy };
    expect(formatDraining(draining)).toMatchInlineSnapshot(`
      "destroyed 1 slot
      kept slot_1123456789abcdef: leased by batch 7 (process 77)
      kept slot_0123456789abcdef: creating (process 78)"
    `);
    expect(formatDraining({ ...draining, destroyed: 2, busy: [] })).toBe('destroyed 2 slots');
  });
});
